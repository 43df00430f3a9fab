/** Failures of a storage that pass by themselves, or once a person has mended something. */
import { errorCode } from '../system';
import { StorageError } from './storage';

const FULL = 'it is full: make room in it';
const NO_ENTRY = 'let the worker read and write there';
const MEND: Readonly<Record<string, string>> = {
  ...{ ENOSPC: FULL, EDQUOT: FULL },
  ...{ EACCES: NO_ENTRY, EPERM: NO_ENTRY, EROFS: NO_ENTRY },
  ...{ EEXIST: 'its place is no folder: put one there', ENOTDIR: 'its place is no folder: put one there' },
};

/**
 * What passes, as one kind of failure: also the errors of the system below, whose own text may name files (S4).
 * @returns undefined for every other error
 */
export function passing(error: unknown): StorageError | undefined {
  if (error instanceof StorageError) return error.kind === 'unusable' ? error : undefined;
  const code = errorCode(error);
  if (code === undefined || !/^E(?!RR_)[A-Z0-9_]+$/.test(code)) return undefined;
  return new StorageError('unusable', `The storage cannot be used (${code})`, MEND[code] ?? 'see that it is there');
}
