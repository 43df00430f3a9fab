/** Where a note's text is, and what is kept of a note beyond its runs. */
import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { NOTE_MAX } from '../src/inputs/ingest-capture';
import type { Storage } from '../src/storage';
import { givenRef } from '../src/storage/of-account';
import type { Deps } from './deps';
import { Sending } from './kept-record';
import { ownInput } from './own-input';

/** Whose file of the storage a note is in. */
export interface NoteFile {
  /** Absent where an earlier version asks, which let a run name what it wanted. */
  account?: string;
  /** Absent: the text stands in the run's own input. */
  noteFile?: string | undefined;
}

/** A character has four bytes of UTF-8 at most. */
const MAX_BYTES = 4 * NOTE_MAX;

/** The text of a file as it is, without a byte order mark; undefined for bytes that are no UTF-8. */
const decoded = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;

/** What is wrong with the file of a note, one sentence each, without any of its text (S4). */
export async function problemsOfFile(
  storage: Storage,
  { account, noteFile }: Pick<NoteFile, 'account'> & { noteFile: string },
): Promise<string[]> {
  const problem = (text: string) => [`noteFile ${text}.`];
  let ref = noteFile;
  let size: number | undefined;
  try {
    if (account !== undefined) ref = await givenRef(storage, account, noteFile);
    size = (await storage.stat(ref))?.size;
  } catch (error) {
    // A reference that is not allowed is the input's fault; a storage that is away is not.
    if (!(error instanceof Error) || error.name !== 'StorageError') throw error;
    return [`noteFile: ${error.message}`];
  }
  if (size === undefined) return problem(`is not in ${storage.describe()}`);
  if (size > MAX_BYTES) return problem(`has ${size} bytes; a note has at most ${NOTE_MAX} characters`);
  const text = decoded(await buffer(await storage.read(ref)));
  if (text === undefined) return problem('is not text in UTF-8');
  if (text.length > NOTE_MAX) return problem(`has ${text.length} characters; a note has at most ${NOTE_MAX}`);
  return /\S/.test(text) ? [] : problem('is empty');
}

/** The note's text: of the file, or of the run's own input; undefined for a file that is no text. */
export async function noteText(
  { storage, client }: Deps,
  { account, noteFile }: NoteFile,
): Promise<string | undefined> {
  if (noteFile === undefined) return Input.parse(await ownInput(client)).note;
  const ref = account === undefined ? noteFile : await givenRef(storage, account, noteFile);
  return decoded(await buffer(await storage.read(ref)));
}

const Input = z.looseObject({ note: z.string() });

/** From when on a capture may be the note, and which one it is. */
export const NoteRecord = Sending.extend({ captureId: z.string().optional() });
export type NoteRecord = z.output<typeof NoteRecord>;
