/** The input of the workflow `convertLead`. */
import { z } from 'zod';
import { Account, Credits, RecordId } from './fields';
import { BudgetOf, runFields } from './run-fields';

/** What `convertLead` takes. Durations are milliseconds once parsed. */
export const ConvertLeadInput = z.strictObject({
  account: Account,
  leadId: RecordId.describe('The lead to convert: its ID in the lead list. Required.'),
  maxCredits: Credits.default(2000).describe('Most credits that this run spends. Default 2000.'),
  run: BudgetOf.describe('The pipeline against whose budget this conversion counts as well. Default: none.'),
  findProject: z
    .boolean()
    .default(false)
    .describe('Look for the project also where somebody else converted the lead. Default false.'),
  ...runFields,
});
/** The input once parsed. */
export type ConvertLeadInput = z.output<typeof ConvertLeadInput>;
/** The input as it is written. */
export type ConvertLeadJson = z.input<typeof ConvertLeadInput>;
