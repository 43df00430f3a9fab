/**
 * The reference of a new project (S2): a mark in its description by which it is found again when the reply to its creation
 * was lost. Agent-api.md shows no other field that comes back as it was sent.
 */
import { plainText } from './plain-text';

/** Length limit of a description on creation: agent-api.md, "POST /api/projects". */
const DESCRIPTION_MAX = 2_000;

const mark = (reference: string) => `[audit-runner ${reference}]`;

/** The description with the mark at its end. */
export const withReference = (description: string | undefined, reference: string): string =>
  description ? `${description}\n\n${mark(reference)}` : mark(reference);

/** The description as it was without the mark. */
export const withoutReference = (description: string, reference: string): string =>
  description.replace(mark(reference), '').trimEnd();

/** Whether a description carries the mark as it was sent. */
export const carries = (description: string | null | undefined, reference: string): boolean =>
  description?.includes(mark(reference)) ?? false;

const MARKS = /(\[?) ?audit[- ]?runner ([a-z0-9._-]{1,64}) ?(\]?)/gi;

/**
 * Whose mark a description shows. `unreadable`: none, or what a service has left of one, which proves nothing (S2). The mark
 * stands at the end, so what was cut behind another one may have been ours.
 */
export function markIn(description: string | null | undefined, reference: string): 'ours' | 'others' | 'unreadable' {
  const text = plainText(description ?? '');
  const marks = [...text.matchAll(MARKS)];
  // With one bracket of two its end was cut, and more letters may have followed.
  if (marks.some(([, open, name, close]) => name === reference && (close === ']' || open === ''))) return 'ours';
  const last = marks.at(-1);
  const [whole = '', , name = '', close] = last ?? [];
  const isLast = last !== undefined && last.index + whole.length === text.length;
  const isSame = name.toLowerCase() === reference.toLowerCase();
  return isLast && close === ']' && !isSame ? 'others' : 'unreadable';
}

/** Projects that are asked one by one in one look, where the list does not tell; beyond them a person is asked. */
export const MAX_ASKED = 20;

/** Characters that a description may have beside the longest reference. */
export const DESCRIPTION_ROOM = DESCRIPTION_MAX - mark('').length - 64 - 2;
