/** What a storage is: documents are read from it, deliverables, reports and item ledgers are written to it. */
import type { Readable } from 'node:stream';

/** A stored document. */
export interface Stored {
  /** Its reference: names separated by `/`, relative to the storage's root. */
  readonly ref: string;
  /** Bytes. */
  readonly size: number;
}

/** What can be written. */
export type Content = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/**
 * One storage. What was written or removed is seen at once by all of its methods but `list` and `folders`, which may show
 * it minutes later. Every method checks its reference and throws {@link StorageError} `refused` when that could lead outside
 * the root. Errors of the system below (full, no permission) come through as they are: these may pass.
 */
export interface Storage {
  /**
   * Opens a document.
   * @throws {StorageError} `notFound`
   */
  read(ref: string): Promise<Readable>;
  /**
   * Writes a document whole or not at all, over one that was there. Repeatable; of two writers at once the last wins.
   * `contentType` is kept where the storage has a place for it; a folder has none.
   */
  write(ref: string, content: Content, options?: { readonly contentType?: string }): Promise<Stored>;
  /**
   * Writes a document only where there is none; of several writers at once exactly one does. After a failure it may be there
   * all the same.
   * @returns false when there is one already
   * @throws {NoConditionalWrites} where the storage cannot do that
   */
  create(ref: string, content: string): Promise<boolean>;
  /**
   * The documents whose references begin with `prefix`, in the order of their references. No prefix: all.
   * @param after only those that come after this one in that order; it need not be there
   */
  list(prefix?: string, after?: string): AsyncIterable<Stored>;
  /** The names of the folders directly below a prefix that ends in `/`, in their order, without looking into them. */
  folders(prefix: string): Promise<string[]>;
  /** A document's size, or undefined when there is none. */
  stat(ref: string): Promise<Stored | undefined>;
  /** Removes a document. Repeatable: one that is gone is no error. */
  delete(ref: string): Promise<void>;
  /** Where a person finds a document. */
  urlOf(ref: string): string;
  /** The storage for a person. Holds no credentials. */
  describe(): string;
}

/**
 * `refused`: the reference or the storage's URL is not allowed. `damaged`: not what was written. These two and `notFound`
 * do not pass by themselves. `unusable`: the storage is not there or lets nobody in; once a person has mended what the
 * message names, the same call succeeds, so it may be tried again.
 */
export type StorageErrorKind = 'refused' | 'notFound' | 'damaged' | 'unusable';

/** A sentence for a person, without credentials. */
export class StorageError extends Error {
  /** What does not pass by itself has a name of its own: Temporal does not try it again. */
  override readonly name: 'StorageError' | 'StorageUnusable';
  /** @param mend what a person can do about it; part of the message */
  constructor(
    readonly kind: StorageErrorKind,
    readonly found: string,
    readonly mend?: string,
  ) {
    super(mend === undefined ? found : `${found}: ${mend}.`);
    this.name = kind === 'unusable' ? 'StorageUnusable' : 'StorageError';
  }
}

/** It cannot write a document only where there is none, however often it is tried. */
export class NoConditionalWrites extends StorageError {
  /** @param found what it does instead */
  constructor(storage: Pick<Storage, 'describe'>, found: string) {
    super(
      'unusable',
      `${storage.describe()} ${found}`,
      'keep the books in a storage with conditional writes (S3: If-None-Match; a folder: a file system with hard links)',
    );
  }
}
