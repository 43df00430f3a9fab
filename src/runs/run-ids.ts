/**
 * The workflow IDs under which a thing is worked on, whoever starts it: a run that is under way is found instead of started
 * again. They only save work; the ledger is what holds S1. Imported by workflows: no Node built-ins here.
 */
import { idKey } from '../agent-api/id';

export const convertLeadId = (account: string, leadId: string): string => `convert-lead.${account}.${idKey(leadId)}`;

/** @param subject the project's ID, or the lead's where the project is not known yet */
export const auditProjectId = (account: string, subject: string): string =>
  `audit-project.${account}.${idKey(subject)}`;

/** @param subject the capture's ID, or what tells the note from others */
export const ingestCaptureId = (account: string, subject: string): string =>
  `ingest-capture.${account}.${idKey(subject)}`;
