/** References to stored documents, checked before any storage sees them. */
import { StorageError } from './storage';
import { TEMPORARY } from './temporary';

/** File systems allow 255 bytes in a name. */
const LONGEST_NAME = 255;
/** What S3 allows in a key. */
const LONGEST_REF = 1024;

const bytes = (text: string) => Buffer.byteLength(text);

/** Why a reference is refused, or undefined. The rules are the strictest of all kinds of storage, so references can move. */
function problem(ref: string): string | undefined {
  if (ref === '') return 'it is empty';
  if (bytes(ref) > LONGEST_REF) return `it has more than ${LONGEST_REF} bytes`;
  if (/[\p{Cc}\p{Cs}]/u.test(ref)) return 'it holds control characters or half a character';
  if (ref.includes('\\')) return 'it holds a backslash';
  // Never decoded here, but whoever handles the URL of the document may decode it, even twice.
  if (/%[0-9a-f]{2}/i.test(ref)) return 'it holds a percent code';
  if (ref.startsWith('/')) return 'it is absolute';
  for (const name of ref.split('/')) {
    if (name === '') return 'it has an empty name in it';
    if (/^\.\.?\s*$/.test(name)) return "it has '.' or '..' in it";
    if (bytes(name) > LONGEST_NAME) return `a name in it has more than ${LONGEST_NAME} bytes`;
    if (TEMPORARY.test(name)) return 'it names a temporary file';
  }
  return undefined;
}

/** The folders that audit-runner writes into, by IDs; anything else a person has called as they like. */
const OWN = /^(accounts\/[a-z0-9-]+\/)?(backfills|calls|runs|sweeps)\//;

/** How a message speaks of a document: a file may be called after a person (S4). */
export const shownRef = (ref: string): string =>
  OWN.test(ref) ? `'${ref}'` : `of this name (${ref.length} characters)`;

export const isRef = (ref: string): boolean => problem(ref) === undefined;

/**
 * The names in a reference.
 * @throws {StorageError} `refused`
 */
export function namesOf(ref: string): string[] {
  const found = problem(ref);
  if (found !== undefined)
    throw new StorageError('refused', `The reference (${ref.length} characters) is refused: ${found}.`);
  return ref.split('/');
}

/**
 * The names of the folders that a prefix leads into: what stands before its last `/`.
 * @throws {StorageError} `refused`
 */
export function foldersOf(prefix: string): string[] {
  const end = prefix.lastIndexOf('/');
  return end < 0 ? [] : namesOf(prefix.slice(0, end));
}
