/** What a look at a project says of one document. Imported by workflows. */

/** `unsure`: it was sent, and one of those that the project shows may be it. */
export type DocumentState = 'missing' | 'pending' | 'settled' | 'failed' | 'unsure';

/** The project has it, whether the service has taken it in by now or not. */
export const isThere = (state: DocumentState | undefined): boolean => state === 'settled' || state === 'pending';
