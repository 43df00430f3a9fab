/** The examples, by the names of their folders. */
import { auditsWithDocuments } from './audits-with-documents/example';
import { csvBackfill } from './csv-backfill/example';
import type { Example } from './example';
import { ownWorkflow } from './own-workflow/example';
import { scheduledLeads } from './scheduled-leads/example';

export const EXAMPLES: Readonly<Record<string, Example>> = {
  'scheduled-leads': scheduledLeads,
  'csv-backfill': csvBackfill,
  'audits-with-documents': auditsWithDocuments,
  'own-workflow': ownWorkflow,
};
