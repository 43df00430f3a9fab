/**
 * The reference of a new project (S2): a mark in its description by which it is found again when the reply to its creation
 * was lost. Agent-api.md shows no other field that comes back as it was sent.
 */

/** Length limit of a description on creation: agent-api.md, "POST /api/projects". */
const DESCRIPTION_MAX = 2_000;

const mark = (reference: string) => `[audit-runner ${reference}]`;

/** The description with the mark at its end. */
export const withReference = (description: string | undefined, reference: string): string =>
  description ? `${description}\n\n${mark(reference)}` : mark(reference);

/** The description as it was without the mark. */
export const withoutReference = (description: string, reference: string): string =>
  description.replace(mark(reference), '').trimEnd();

/** Whether a description carries the mark. */
export const carries = (description: string | null | undefined, reference: string): boolean =>
  description?.includes(mark(reference)) ?? false;

/** Projects that are asked one by one in one look, where the list does not tell; beyond them a person is asked. */
export const MAX_ASKED = 20;

/** Characters that a description may have beside the longest reference. */
export const DESCRIPTION_ROOM = DESCRIPTION_MAX - mark('').length - 64 - 2;
