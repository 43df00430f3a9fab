/** The AWS SDK's client of a bucket. */
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { z } from 'zod';
import { type BucketAddress, IN_THE_CLEAR, isInTheClear } from './bucket-url';
import { StorageError } from './storage';

/** How long a bucket may take. Milliseconds. */
export interface Limits {
  /** How often one request is tried. */
  tries: number;
  /** Until a connection is up. */
  connectMs: number;
  /**
   * Until the answer to one try begins; sending 5 MiB may be a part of that. S7: all tries together must be over before an
   * activity is (two minutes), since one that runs out of time is tried again without a word.
   */
  answerMs: number;
  /** In which nothing of a document moves that is read: it may wait for whoever takes it. */
  idleMs: number;
}

export const LIMITS: Limits = { tries: 3, connectMs: 10_000, answerMs: 30_000, idleMs: 90_000 };

export type Loaded = Awaited<ReturnType<typeof load>>;

/** Loads the SDK, and makes a client. */
export async function load(address: BucketAddress, limits: Limits) {
  // It speaks of versions to come, which the lock file does not take.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client: S3Client = new sdk.S3Client(clientConfig(address, limits));
  // Where the address names no endpoint, the SDK may find one in an AWS profile. Last of all steps: nothing changes it then.
  client.middlewareStack.add(
    (next) => (args) => {
      mustBeSafe(args.request, address);
      return next(args);
    },
    { step: 'deserialize', priority: 'low', name: 'neverInTheClear' },
  );
  return { sdk, Upload, client };
}

const Request = z.object({ protocol: z.string(), hostname: z.string() });

/** S4: whatever led to the endpoint. @throws {StorageError} */
function mustBeSafe(request: unknown, { bucket }: BucketAddress): void {
  const { protocol, hostname } = Request.parse(request);
  // Without path style the bucket's name stands before the endpoint's.
  const host = hostname.startsWith(`${bucket}.`) ? hostname.slice(bucket.length + 1) : hostname;
  if (isInTheClear({ protocol, hostname: host }))
    throw new StorageError(
      'unusable',
      IN_THE_CLEAR,
      'give it as https://…, also as endpoint_url in an AWS profile; http:// is taken on this machine alone',
    );
}

const clientConfig = ({ endpoint, region, pathStyle }: BucketAddress, limits: Limits): S3ClientConfig => ({
  ...(region !== undefined && { region }),
  // Other servers do not all know the checksums that the SDK would add; the signature covers what is written anyway.
  ...(endpoint !== undefined && {
    endpoint,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  }),
  forcePathStyle: pathStyle,
  maxAttempts: limits.tries,
  requestHandler: {
    connectionTimeout: limits.connectMs,
    requestTimeout: limits.answerMs,
    throwOnRequestTimeout: true,
    socketTimeout: limits.idleMs,
  },
});
