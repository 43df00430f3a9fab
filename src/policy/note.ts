/** Which note a note is (S2): the API has no field for a mark of ours, so it is known by its text. */
import { createHash } from 'node:crypto';

/** A note as workflows and the ledger know it: hashes, no text (S4). */
export interface NoteIdentity {
  /** Equal for notes of equal text. */
  readonly textKey: string;
  /** The note itself: its text, account, project and reference. Begins with `textKey`. */
  readonly id: string;
}

/** A text without what services change of it: the form of its characters, line ends, and white space. */
const plain = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

const hash = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);

/** Equal for equal texts; undefined for a text without any character that shows. */
export function textKey(text: string | null | undefined): string | undefined {
  const same = plain(text ?? '');
  return same === '' ? undefined : hash(same, 24);
}

/** @param reference tells notes of equal text apart; the same one is the same note */
export function identifyNote(
  account: string,
  projectId: string | undefined,
  text: string | undefined,
  reference?: string,
): NoteIdentity {
  const key = textKey(text) ?? '';
  const rest = hash(JSON.stringify([account, projectId ?? null, reference ?? null]), 12);
  return { textKey: key, id: `${key}.${rest}` };
}

/** What all notes of one text have in common in their IDs. */
export const sameText = ({ textKey: key }: NoteIdentity): string => `${key}.`;
