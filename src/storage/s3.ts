/** A bucket as storage: AWS S3, or a server that speaks its protocol (MinIO, R2, Ceph). */
import { Readable } from 'node:stream';
import type { ListObjectsV2CommandInput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { LIMITS, type Limits, type Loaded, load } from './bucket-client';
import {
  explain,
  isAbsent,
  isConflict,
  isNotImplemented,
  isOutOfRange,
  isTaken,
  notS3,
  whereIs,
} from './bucket-failure';
import type { BucketAddress } from './bucket-url';
import { foldersOf, isRef, namesOf, shownRef } from './ref';
import { type Content, NoConditionalWrites, type Storage, StorageError, type Stored } from './storage';

/** Parts of one document under way at once, 5 MiB each: they are what a write holds in memory. */
const PARTS_AT_ONCE = 1;
/** How often a document is tried that others write at the same moment. */
const CONFLICTS = 3;

/**
 * What is larger than 5 MiB goes out in parts, and appears with the last one; S3 itself makes each write whole. Parts of a
 * write whose process was killed stay, unseen and billed: give the bucket a lifecycle rule that removes incomplete
 * multipart uploads. The SDK is loaded with the first call, so that a storage in a folder starts without it.
 */
export class BucketStorage implements Storage {
  #loaded: Promise<Loaded> | undefined;

  /** Credentials come from where the AWS SDK finds them: the environment, a profile, the machine's role. */
  constructor(
    private readonly address: BucketAddress,
    private readonly limits: Limits = LIMITS,
  ) {}

  async read(ref: string): Promise<Readable> {
    const found = await this.#get(ref);
    if (found) return this.#explainedAsRead(found.body);
    throw new StorageError('notFound', `There is no document ${shownRef(ref)} in ${this.describe()}.`);
  }

  /** @param Range the part of it that is wanted @returns undefined where there is none */
  #get(ref: string, Range?: string): Promise<{ body: Readable; size: number } | undefined> {
    const Key = this.#key(ref);
    return this.#explained(async ({ client, sdk }) => {
      const asked = new sdk.GetObjectCommand({ ...this.#bucket, Key, ...(Range !== undefined && { Range }) });
      const found = await client.send(asked).catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
      });
      if (!found) return undefined;
      const { Body, ETag, ContentRange, ContentLength = 0 } = found;
      const size = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength);
      if (Body instanceof Readable && ETag !== undefined) return { body: Body, size };
      if (Body instanceof Readable) Body.destroy();
      throw notS3(this.address);
    });
  }

  async write(ref: string, content: Content, { contentType }: { contentType?: string } = {}): Promise<Stored> {
    const Key = this.#key(ref);
    const source = sourceOf(content);
    return this.#explained(async ({ client, Upload }) => {
      const params = { ...this.#bucket, Key, Body: source.body, ...(contentType && { ContentType: contentType }) };
      try {
        const { ETag } = await new Upload({ client, params, queueSize: PARTS_AT_ONCE }).done();
        this.#mustBeS3(ETag);
      } catch (error) {
        throw source.failure ?? error;
      }
      return { ref, size: source.size };
    }, source);
  }

  async create(ref: string, content: string): Promise<boolean> {
    const Key = this.#key(ref);
    const put = () =>
      this.#explained(async ({ client, sdk }) => {
        const asked = new sdk.PutObjectCommand({ ...this.#bucket, Key, Body: content, IfNoneMatch: '*' });
        const made = await client.send(asked).catch((error: unknown) => {
          if (!isNotImplemented(error)) throw error;
          throw new NoConditionalWrites(
            this,
            'does not know conditional writes, or another part of the request (NotImplemented)',
          );
        });
        this.#mustBeS3(made.ETag);
        return true;
      });
    for (let tries = 1; ; tries++) {
      try {
        return await put();
      } catch (error) {
        if (isTaken(error)) return false;
        // Of several that write at once S3 may refuse each, and asks for another try.
        if (!isConflict(error) || tries === CONFLICTS) throw error;
      }
    }
  }

  async *list(prefix = '', after?: string): AsyncIterable<Stored> {
    foldersOf(prefix);
    const from = after === undefined ? {} : { StartAfter: this.#root + after };
    for await (const { Contents = [] } of this.#pages(prefix, from))
      for (const { Key = '', Size = 0 } of Contents) {
        const ref = Key.slice(this.#root.length);
        // Others may keep here what has no reference, such as the empty objects that some tools make for folders.
        if (isRef(ref)) yield { ref, size: Size };
      }
  }

  async folders(prefix: string): Promise<string[]> {
    foldersOf(prefix);
    const names: string[] = [];
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, { Delimiter: '/' }))
      for (const { Prefix = '' } of CommonPrefixes) names.push(Prefix.slice((this.#root + prefix).length, -1));
    return names.filter(isRef);
  }

  /**
   * By its first byte: some servers list a document only minutes after it was written, and the answer to a HEAD would give no
   * reason, so that a missing bucket would look like a missing document.
   */
  async stat(ref: string): Promise<Stored | undefined> {
    const found = await this.#get(ref, 'bytes=0-0').catch((error: unknown) => {
      // An empty document has no first byte.
      if (isOutOfRange(error)) return { body: undefined, size: 0 };
      throw error;
    });
    found?.body?.destroy();
    return found && { ref, size: found.size };
  }

  async delete(ref: string): Promise<void> {
    const Key = this.#key(ref);
    await this.#explained(({ client, sdk }) => client.send(new sdk.DeleteObjectCommand({ ...this.#bucket, Key })));
  }

  /** As the AWS tools take it. */
  urlOf(ref: string): string {
    return `s3://${this.address.bucket}/${this.#key(ref)}`;
  }

  describe(): string {
    const { prefix } = this.address;
    return `the ${whereIs(this.address)}${prefix === '' ? '' : `, below ${prefix}/`}`;
  }

  get #bucket() {
    return { Bucket: this.address.bucket };
  }

  /** The reference's key, which is not longer than S3 allows either. */
  #key(ref: string): string {
    namesOf(ref);
    const { prefix } = this.address;
    return prefix === '' ? ref : namesOf(`${prefix}/${ref}`).join('/');
  }

  /** What comes before the references in the keys. */
  get #root(): string {
    return this.address.prefix === '' ? '' : `${this.address.prefix}/`;
  }

  async *#pages(prefix: string, how: Omit<Listing, 'Prefix'>): AsyncGenerator<ListObjectsV2CommandOutput> {
    let next: string | undefined;
    do {
      const from = next === undefined ? {} : { ContinuationToken: next };
      const page = await this.#page({ ...how, ...from, Prefix: this.#root + prefix });
      yield page;
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  #page(how: Listing): Promise<ListObjectsV2CommandOutput> {
    return this.#explained(async ({ client, sdk }) => {
      const page = await client.send(new sdk.ListObjectsV2Command({ ...this.#bucket, ...how }));
      this.#mustBeS3(page.Name ?? page.IsTruncated);
      return page;
    });
  }

  /** A page of some other server with status 200 must be neither a document nor an empty list. */
  #mustBeS3(onlyS3Says: unknown): void {
    if (onlyS3Says === undefined) throw notS3(this.address);
  }

  /** What breaks while a document is read has the same sentence. */
  #explainedAsRead(body: Readable): Readable {
    const { address } = this;
    async function* pieces() {
      try {
        yield* body;
      } catch (error) {
        throw explain(error, address) ?? error;
      }
    }
    // What nobody has read from has not begun, and would leave the answer open.
    return Readable.from(pieces(), { objectMode: false }).once('close', () => body.destroy());
  }

  /** @param source whose own failure is nothing that the bucket did */
  async #explained<T>(work: (loaded: Loaded) => Promise<T>, source?: { readonly failure?: unknown }): Promise<T> {
    try {
      this.#loaded ??= load(this.address, this.limits);
      return await work(await this.#loaded);
    } catch (error) {
      if (error instanceof StorageError || source?.failure !== undefined) throw error;
      throw explain(error, this.address) ?? error;
    }
  }
}

/** What is listed. */
type Listing = Omit<ListObjectsV2CommandInput, 'Bucket'>;

/** The content as the SDK takes it, with what was counted and what broke on the way. */
function sourceOf(content: Content): { readonly body: Buffer | Readable; size: number; failure?: unknown } {
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const body = Buffer.from(content);
    return { body, size: body.length };
  }
  let waits = false;
  async function* counted(pieces: AsyncIterable<string | Uint8Array>) {
    try {
      for await (const piece of pieces) {
        const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
        source.size += chunk.length;
        waits = true;
        yield chunk;
        waits = false;
      }
    } catch (error) {
      // While it waits, what is thrown into it is the end of whoever read from it.
      if (!waits) source.failure = error;
      throw error;
    }
  }
  const source: ReturnType<typeof sourceOf> = { body: Readable.from(counted(content)), size: 0 };
  return source;
}
