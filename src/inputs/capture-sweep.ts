/** The input of the workflow `captureSweep`. */
import { z } from 'zod';
import { Account, Duration, RecordId } from './fields';
import { runFields } from './run-fields';

/** What `captureSweep` takes; everything has a default. Durations are milliseconds once parsed. */
export const CaptureSweepInput = z.strictObject({
  account: Account,
  statuses: z
    .array(z.enum(['failed', 'processing', 'pending']))
    .min(1)
    .default(['failed', 'processing', 'pending'])
    .describe("Which captures are looked at. Default ['failed', 'processing', 'pending'].")
    .transform((statuses) => [...new Set(statuses)]),
  projectId: RecordId.optional().describe('Only captures of this project. Default: of all.'),
  stuckAfter: Duration.prefault('30m').describe(
    'How long a capture stays in processing or pending before it counts as stuck. Default 30m.',
  ),
  giveUpAfter: Duration.prefault('7d').describe(
    'A capture that still fails, or is stuck again, so long after the first failure that a sweep saw is left to a person. ' +
      'Default 7d.',
  ),
  maxReprocesses: z.int().min(0).max(500).default(50).describe('Most captures that this run reprocesses. Default 50.'),
  dryRun: z.boolean().default(false).describe('Only look: reprocess nothing. Default false.'),
  priority: runFields.priority.default(4).describe("Place in the account's queue, 1 first and 5 last. Default 4."),
});
/** The input once parsed. */
export type CaptureSweepInput = z.output<typeof CaptureSweepInput>;
/** The input as it is written. */
export type CaptureSweepJson = z.input<typeof CaptureSweepInput>;
