/** The input of the workflow `convertLead`. */
import { z } from 'zod';
import { Account, Credits, Duration, RecordId } from './fields';

/** What `convertLead` takes. Durations are milliseconds once parsed. */
export const ConvertLeadInput = z.strictObject({
  account: Account,
  leadId: RecordId.describe('The lead to convert: its ID in the lead list. Required.'),
  personDeadline: Duration.prefault('7d').describe(
    'How long a question to a person stays open before the run ends unresolved. Default 7d.',
  ),
  maxCredits: Credits.default(2000).describe('Most credits that this run spends. Default 2000.'),
  run: z
    .strictObject({
      key: z.string().min(1).max(1000).describe('Key of that run in the ledger. Required.'),
      maxCredits: Credits.describe('Most credits that all of that run spends. Required.'),
    })
    .optional()
    .describe('The pipeline against whose budget this conversion counts as well. Default: none.'),
  priority: z.int().min(1).max(5).default(2).describe("Place in the account's queue, 1 first and 5 last. Default 2."),
  askPerson: z
    .boolean()
    .default(true)
    .describe('Ask a person where the API cannot tell what happened; otherwise end unresolved. Default true.'),
});
/** The input once parsed. */
export type ConvertLeadInput = z.output<typeof ConvertLeadInput>;
/** The input as it is written. */
export type ConvertLeadJson = z.input<typeof ConvertLeadInput>;
