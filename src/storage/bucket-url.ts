/** Where a bucket is and how it is reached. */
import { isLoopback } from '../agent-api/base-url';
import { namesOf } from './ref';
import { StorageError } from './storage';

/** From `s3://bucket/prefix?endpoint=…&region=…&pathStyle=…` and the environment. */
export interface BucketAddress {
  readonly bucket: string;
  /** Names separated by `/`; empty for the whole bucket. */
  readonly prefix: string;
  /** A server other than AWS's own, for example `https://minio.example.com:9000`. */
  readonly endpoint?: string;
  /** Absent: as the AWS SDK finds it (AWS_REGION, or the profile). */
  readonly region?: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. @default whether there is an endpoint */
  readonly pathStyle: boolean;
}

/** Variables of the environment, as the AWS tools name them. */
type Env = Readonly<Record<string, string | undefined>>;

const SETTINGS = ['endpoint', 'region', 'pathStyle'];
const HOW = 'give s3://bucket/prefix, with ?endpoint=https://… for a server other than AWS';

const refused = (found: string, mend = HOW) => new StorageError('refused', found, mend);

/**
 * Reads the URL of a bucket. The endpoint may also come from AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL; credentials never
 * come from here: the AWS SDK finds them.
 * @throws {StorageError} `refused`; no message quotes the URL, which may hold credentials (S4)
 */
export function parseBucketUrl(url: string, env: Env): BucketAddress {
  // Not `new URL`, which takes `..` out of the path before anybody sees it.
  const parts = /^s3:\/\/(?<bucket>[^/?#]*)(?:\/(?<prefix>[^?#]*))?(?:\?(?<query>[^#]*))?$/i.exec(url)?.groups;
  const { bucket = '', prefix = '', query = '' } = parts ?? {};
  if (bucket.includes('@') || bucket.includes(':'))
    throw refused(
      "The storage's URL has credentials or a server where the bucket's name belongs",
      `${HOW}, and credentials as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or as an AWS profile`,
    );
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(bucket)) throw refused("The storage's URL names no bucket");
  const settings = new URLSearchParams(query);
  if ([...settings.keys()].some((name) => !SETTINGS.includes(name)))
    throw refused("The storage's URL has a setting that is not known", `there are ${SETTINGS.join(', ')}`);

  const endpoint = settings.get('endpoint') || env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const region = settings.get('region') || env.AWS_REGION || (endpoint && 'us-east-1');
  const pathStyle = settings.get('pathStyle') ?? String(endpoint !== undefined);
  if (pathStyle !== 'true' && pathStyle !== 'false')
    throw refused("'pathStyle' in the storage's URL is neither true nor false", 'give one of the two');
  return {
    bucket,
    prefix: prefixNames(prefix).join('/'),
    ...(endpoint && { endpoint: checkedEndpoint(endpoint) }),
    ...(region && { region }),
    pathStyle: pathStyle === 'true',
  };
}

/** A prefix follows the rules of references, and may end in `/`. */
function prefixNames(prefix: string): string[] {
  const path = prefix.replace(/\/$/, '');
  try {
    return path === '' ? [] : namesOf(path);
  } catch {
    throw refused("What follows the bucket in the storage's URL is no prefix of references");
  }
}

/** Whether what goes there could be read on the way (S4). A host in brackets, as in URLs, or without. */
export const isInTheClear = ({ protocol, hostname }: { protocol: string; hostname: string }): boolean =>
  protocol === 'http:' && hostname !== '::1' && !isLoopback(hostname);

export const IN_THE_CLEAR =
  'The endpoint of the storage is reached without encryption, so documents and credentials could be read on the way';

function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const plain =
    url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!plain)
    throw refused(
      'The endpoint of the storage is not the address of a server alone',
      'give it as https://host:port, without credentials, in the URL as ?endpoint=… or in AWS_ENDPOINT_URL_S3',
    );
  if (isInTheClear(url)) throw refused(IN_THE_CLEAR, 'give it as https://…; http:// is taken on this machine alone');
  return url.href.replace(/\/$/, '');
}
