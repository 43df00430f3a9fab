/** What a failed request to a bucket means for whoever set it up. */
import type { BucketAddress } from './bucket-url';
import { StorageError } from './storage';

/** The parts that errors of the AWS SDK and of Node may have. */
interface Parts {
  name: string;
  /** As S3 names it in its answer; absent when the answer was not S3's. */
  code: string | undefined;
  /** As Node or OpenSSL names it, when there was no answer. */
  systemCode: string | undefined;
  status: number | undefined;
}

function partsOf(error: Error): Parts {
  const read = (key: string, from: object = error): unknown => (key in from ? Reflect.get(from, key) : undefined);
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const metadata = read('$metadata');
  const status = typeof metadata === 'object' && metadata !== null ? read('httpStatusCode', metadata) : undefined;
  return {
    name: error.name,
    code: text(read('Code')),
    systemCode: text(read('code')),
    status: typeof status === 'number' ? status : undefined,
  };
}

/** The server answered that there is no such document. */
export const isAbsent = (error: unknown): boolean => error instanceof Error && partsOf(error).code === 'NoSuchKey';

/** The server answered that the document has no such part. */
export const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && partsOf(error).code === 'InvalidRange';

/** The server answered that others write the same document at this moment, to a write that wants none. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && partsOf(error).code === 'ConditionalRequestConflict';

/** The server answered that there is such a document already, to a write that wants none. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && partsOf(error).code === 'PreconditionFailed';

/** The server answered that it does not know a part of what was asked for. */
export const isNotImplemented = (error: unknown): boolean =>
  error instanceof Error && partsOf(error).code === 'NotImplemented';

const CREDENTIALS =
  'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the AWS profile that AWS_PROFILE names';
const ENDPOINT = "check the endpoint: ?endpoint=… in the storage's URL, or AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL";
const REGION = "check the region: ?region=… in the storage's URL, or AWS_REGION";
const BUCKET = "create it, or correct the bucket in the storage's URL (STORAGE_URL)";
const SERVER = 'see that its server works, and is neither overloaded nor out of reach';
const RIGHTS = 'let the credentials list the bucket, and read, write and delete below its prefix';

const NO_BUCKET = /^(NoSuchBucket|InvalidBucketName)$/;
const BAD_CREDENTIALS =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|ExpiredTokenException|InvalidIdentityToken|TokenRefreshRequired|InvalidClientTokenId|Unauthorized|InvalidSecurity)$/;
const NO_CREDENTIALS = /^(CredentialsProviderError|TokenProviderError)$/;
const WRONG_REGION = /^(PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed)$/;
/** EAI_AGAIN, ECONNRESET and time limits are not among them: these pass, and nobody has to correct the endpoint. */
const NOT_THERE = /^(ENOTFOUND|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/;
const NO_TLS = /^(EPROTO|ERR_TLS.*|ERR_SSL.*|DEPTH_ZERO.*|UNABLE_TO_.*|SELF_SIGNED.*|CERT_.*|HOSTNAME_MISMATCH)$/;

const LOST = /^(ECONNRESET|EPIPE)$/;
/** What the SDK has tried several times by then. */
const OVERLOADED = /^(SlowDown|RequestTimeout|TooManyRequests)$/;

/** The bucket and its server, for a person. */
export const whereIs = ({ bucket, endpoint }: BucketAddress): string =>
  endpoint === undefined ? `bucket '${bucket}'` : `bucket '${bucket}' at ${endpoint}`;

/** The answer is not S3's. */
export const notS3 = (address: BucketAddress, status?: number): StorageError =>
  new StorageError(
    'unusable',
    `What answers for the ${whereIs(address)} does not speak S3${status === undefined ? '' : ` (status ${status})`}`,
    ENDPOINT,
  );

/**
 * A sentence for what a person has to see to; undefined for everything else, which comes through as it is. The error itself
 * is not kept as a cause: S3's answers to a wrong signature hold the key's ID and what was signed (S4).
 */
export function explain(error: unknown, address: BucketAddress): StorageError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, code = '', systemCode = '', status } = partsOf(error);
  const where = whereIs(address);
  const unusable = (found: string, mend: string) => new StorageError('unusable', found, mend);

  if (NO_BUCKET.test(code)) return unusable(`There is no ${where}`, BUCKET);
  if (NO_CREDENTIALS.test(name)) return unusable(`No credentials were found for the ${where}`, CREDENTIALS);
  if (error.message === 'Region is missing') return unusable(`The region of the ${where} is not known`, REGION);
  if (WRONG_REGION.test(code)) return unusable(`The ${where} is in another region (${code})`, REGION);
  if (code === 'RequestTimeTooSkewed')
    return unusable(`The ${where} is refused by the time of the request`, "set this machine's clock");
  if (BAD_CREDENTIALS.test(code) || status === 401)
    return unusable(`The credentials for the ${where} are not accepted (${code || status})`, CREDENTIALS);
  if (NOT_THERE.test(systemCode)) return unusable(`The ${where} cannot be reached (${systemCode})`, ENDPOINT);
  if (NO_TLS.test(systemCode)) return unusable(`The ${where} cannot be reached by TLS (${systemCode})`, ENDPOINT);
  // S7: a run that Temporal tries again by itself says nothing, and reads from the service what it stores each time.
  const faulty = faultOf({ name, code, systemCode, status });
  if (faulty !== undefined) return unusable(`The ${where} does not answer as it should (${faulty})`, SERVER);
  if (status === undefined) return undefined;
  if (code === '' && status !== 403) return notS3(address, status);
  return status === 403 ? unusable(`Access to the ${where} is denied (${code || status})`, RIGHTS) : undefined;
}

/** What the server itself, or the way to it, does wrong. Its own words are not repeated (S4). */
function faultOf({ name, code = '', systemCode, status }: Parts): string | undefined {
  // The SDK gives this name to connections that were lost, too.
  if (name === 'TimeoutError') return LOST.test(systemCode ?? '') ? systemCode : 'no answer in time';
  if (status === undefined || !(status >= 500 || status === 429 || OVERLOADED.test(code))) return undefined;
  return /^\w{1,40}$/.test(code) ? `${status} ${code}` : `${status}`;
}
