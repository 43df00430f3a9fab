/** Where documents are read from and deliverables, reports and item ledgers are written to. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FolderStorage } from './folder';
import { type Storage, StorageError } from './storage';

export { type Content, type Storage, StorageError, type StorageErrorKind, type Stored } from './storage';

const HOW = 'give a folder, as a path or as file:///absolute/path';

/**
 * Opens a storage by its URL. A folder may be given as a path, relative to where the process runs; it is created at the
 * first write.
 * @throws {StorageError} `refused`, without the URL itself, which may hold credentials
 */
export function openStorage(url: string): Storage {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (url.trim() === '' || url.includes('\0')) throw new StorageError('refused', `The storage has no name: ${HOW}.`);
  if (scheme === undefined) return new FolderStorage(resolve(url));
  if (scheme !== 'file')
    throw new StorageError('refused', `A storage of the kind '${scheme.slice(0, 20)}' is not known: ${HOW}.`);
  return new FolderStorage(folderOf(url));
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
