import type { AccountFacts } from '../../activities/account';
import type { BackfillInput, Operation } from '../../src/inputs/backfill';
import type { Status } from '../shared/status';

/** What the items of one backfill have in common. */
export interface Common {
  input: BackfillInput;
  operation: Operation;
  folder: string;
  facts: AccountFacts;
  status: Status;
  /** The backfill in the ledger: its cap and its fairness key are those of all its items (S3). */
  runKey: string;
  maxCredits(): number;
}
