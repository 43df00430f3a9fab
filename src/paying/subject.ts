/**
 * What must happen once, as the ledger names it. Imported by workflows and activities alike: one spelling, or S1 is void.
 * Nothing here is personal data: IDs of the service, and hashes.
 */
import { idKey } from '../agent-api/id';
import { isPaidKind, KINDS, type Kind, ONCE_EVER, type PaidKind } from './once-only';

/** The conversion of a lead. */
export const leadSubject = (leadId: string): string => `lead:${idKey(leadId)}`;

/** The creation of the project that carries this reference in its description. */
export const projectSubject = (reference: string): string => `project:${reference}`;

/** The upload of one document; file names may name people, so the subject has a hash of it. */
export const documentSubject = (projectId: string, nameHash: string): string =>
  `document:${idKey(projectId)}/${nameHash}`;

/** The start of an audit: one at a time for a project. */
export const auditSubject = (projectId: string): string => `audit:${idKey(projectId)}`;

/** The submission of a note. */
export const noteSubject = (reference: string): string => `note:${reference}`;

/** The reprocessing of a capture. */
export const captureSubject = (captureId: string): string => `capture:${idKey(captureId)}`;

/** A call of a route that has no workflow of its own; the key is a hash of what is sent. */
export const callSubject = (route: string, key: string): string => `call:${route}/${key}`;

/** Whether it can happen once only, ever; audits and extractions may be wanted again. */
export const happensOnceEver = (subject: string): boolean => ONCE_EVER.has(partsOf(subject)?.kind ?? '');

/** The kind of a subject that costs; undefined where it does not, or nobody knows. */
export function paidKindOf(subject: string): PaidKind | undefined {
  const kind = partsOf(subject)?.kind;
  return isPaidKind(kind) ? kind : undefined;
}

/** What a subject is about; undefined when nobody knows. */
export function partsOf(subject: string): { kind: Kind; of: string } | undefined {
  const [word, of] = [subject.slice(0, subject.indexOf(':')), subject.slice(subject.indexOf(':') + 1)];
  return KINDS.has(word) && of ? { kind: word as Kind, of } : undefined;
}
