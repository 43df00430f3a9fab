/**
 * The reference of a new project (S2): a mark in its description by which it is found again when the reply to its creation
 * was lost. Agent-api.md shows no other field that comes back as it was sent.
 */
import { plainText } from '../text/plain-text';

/** Length limit of a description on creation: agent-api.md, "POST /api/projects". A PATCH takes 5,000. */
export const DESCRIPTION_MAX = 2_000;

const mark = (reference: string) => `[audit-runner ${reference}]`;

/** So much of a description as the mark leaves room for, when a project is created. */
function beginning(description: string, reference: string): string {
  const room = DESCRIPTION_MAX - mark(reference).length - 2;
  if (description.length <= room) return description;
  // Half a sign at the end is one that no service can store.
  return description
    .slice(0, room)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}

/** Whether a new project is created with the beginning of its description only. */
export const isShortened = (description: string | undefined, reference: string): boolean =>
  description !== undefined && beginning(description, reference) !== description;

/** The description with the mark at its end, as a new project is created with it. */
export const withReference = (description: string | undefined, reference: string): string =>
  description ? marked(beginning(description, reference), reference) : mark(reference);

const marked = (description: string, reference: string) => `${description}\n\n${mark(reference)}`;

/**
 * What a description becomes once the project is known: in full, if it was shortened for the mark, and without the mark, if
 * it is not to stay.
 * @param shown the description as the service shows it, with the mark
 * @param wanted.description as it was given; what a person has changed since stays
 */
export function afterCreation(
  shown: string,
  reference: string,
  wanted: { description?: string | undefined; keep: boolean },
): string {
  const rest = shown.replace(mark(reference), '').trimEnd();
  const given = wanted.description;
  const text = given !== undefined && plainText(rest) === plainText(beginning(given, reference)) ? given : rest;
  return wanted.keep ? marked(text, reference) : text;
}

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
