/** Where documents are read from and deliverables, reports and item ledgers are written to. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseBucketUrl } from './bucket-url';
import { FolderStorage } from './folder';
import { BucketStorage } from './s3';
import { type Storage, StorageError } from './storage';

export {
  type Content,
  NoConditionalWrites,
  type Storage,
  StorageError,
  type StorageErrorKind,
  type Stored,
} from './storage';

const HOW = 'give a folder, as a path or as file:///absolute/path, or a bucket as s3://bucket/prefix';

/**
 * Opens a storage by its URL. A folder may be given as a path, relative to where the process runs; it is created at the
 * first write. A bucket must exist; its endpoint, region and path style come from its URL or from the variables of the
 * environment that the AWS tools use, its credentials only from where the AWS SDK finds them.
 * @throws {StorageError} `refused`, without the URL itself, which may hold credentials (S4)
 */
export function openStorage(url: string, env: Readonly<Record<string, string | undefined>> = process.env): Storage {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (url.trim() === '' || url.includes('\0')) throw new StorageError('refused', `The storage has no name: ${HOW}.`);
  if (scheme === undefined) return new FolderStorage(resolve(url));
  if (scheme === 's3') return new BucketStorage(parseBucketUrl(url, env));
  if (scheme === 'file') return new FolderStorage(folderOf(url));
  throw new StorageError('refused', `A storage of the kind '${scheme.slice(0, 20)}' is not known: ${HOW}.`);
}

function folderOf(url: string): string {
  // 'file:data' and 'file://data' would become /data, or a host named data: neither is what was meant.
  const path = /^file:\/\/\/[^/?#][^?#]*$/i.test(url) ? decoded(url) : undefined;
  if (path === undefined || path.includes('\0'))
    throw new StorageError('refused', `The file URL of the storage names no folder: ${HOW}.`);
  return path;
}

function decoded(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
