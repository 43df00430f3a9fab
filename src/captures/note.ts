/** Which note a note is (S2): the API has no field for a mark of ours, so it is known by its text. */

import { createHash } from 'node:crypto';
import { idKey, isSameId } from '../agent-api/id';
import type { Capture } from '../agent-api/records';
import { likeness, plainText } from '../text/plain-text';
import { CLOCKS_APART_MS } from '../time/clocks';

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
  const rest = hash(
    JSON.stringify([account, projectId === undefined ? null : idKey(projectId), reference ?? null]),
    12,
  );
  return { textKey: key, id: `${key}.${rest}` };
}

/** What all notes of one text have in common in their IDs. */
export const sameText = ({ textKey: key }: NoteIdentity): string => `${key}.`;

/**
 * Captures of a page that could be the note, the likeliest first: one that shows its project before one that shows none,
 * of equals the oldest.
 * @param since the service's own clock before the note could have been sent, milliseconds
 * @param text of the note, by which it is known through more of what services make of one
 */
export const couldBe = (
  page: readonly Capture[],
  note: NoteIdentity,
  projectId: string | undefined,
  since: number,
  text?: string,
): string[] =>
  due(page, projectId, since)
    .filter(
      ({ rawContent }) =>
        textKey(rawContent) === note.textKey ||
        textKey(plainText(rawContent ?? '')) === note.textKey ||
        (text !== undefined && likeness(rawContent, text) === 'same'),
    )
    .sort((a, b) => Number(!a.projectId) - Number(!b.projectId) || bornAt(a) - bornAt(b))
    .map(({ id }) => id);

/** Captures that are not from before the note, nor of another project. */
const due = (page: readonly Capture[], projectId: string | undefined, since: number): Capture[] =>
  page.filter(
    (capture) =>
      !(bornAt(capture) < since - CLOCKS_APART_MS) &&
      (!capture.projectId || isSameId(capture.projectId, projectId ?? '')),
  );

/**
 * S2: captures of a page that may be the note, though their text is not the note's: it is not shown, cut, or changed. One
 * text that is shown for several of them is nobody's.
 * @param text of the note; undefined where it cannot be had any more
 */
export function mayBe(
  page: readonly Capture[],
  text: string | undefined,
  projectId: string | undefined,
  since: number,
): string[] {
  const captures = due(page, projectId, since);
  const shown = captures.map(({ rawContent }) => plainText(rawContent ?? ''));
  const isShared = (one: string) => shown.indexOf(one) !== shown.lastIndexOf(one);
  return captures
    .filter(
      ({ rawContent }, i) => text === undefined || isShared(shown[i] ?? '') || likeness(rawContent, text) !== 'other',
    )
    .map(({ id }) => id);
}

/**
 * Whether a page proves that all pages behind it are older than the note: it runs from newer to older, and its end is from
 * before. By the newest of a row's times, in case the list goes by the last change.
 */
export function isBehind(page: readonly Capture[], since: number): boolean {
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return false;
  const times = page.map(bornAt);
  const descends = times.every((time, i) => time <= (times[i - 1] ?? Number.POSITIVE_INFINITY));
  return descends && bornAt(first) > bornAt(last) && newestOf(last) < since - CLOCKS_APART_MS;
}

const bornAt = ({ createdAt, capturedAt }: Capture): number => Date.parse(createdAt ?? capturedAt ?? '');
const newestOf = (capture: Capture): number => Math.max(bornAt(capture), Date.parse(capture.updatedAt ?? '') || 0);
