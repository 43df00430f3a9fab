/** What a pipeline leaves, and what it says of itself meanwhile. */

import type { LeadVerdict } from '../../activities/lead-list';
import type { Thresholds } from '../../src/leads/shown-lead';
import type { InlineOrStored } from '../../src/storage/inline-or-stored';
import type { GoesOn } from '../shared/begun';
import type { Answered } from '../shared/said';
import type { Progress } from '../shared/status';

export interface LeadPipelineResult {
  dryRun: boolean;
  /**
   * How the run ended: `done`; `rejected` or `expired` at the approval; `stopped` by a person, or at a refusal that
   * concerns the account; `cancelled` by a person: runs of leads that had sent nothing are withdrawn.
   */
  ended: 'done' | 'planned' | 'rejected' | 'expired' | 'stopped' | 'cancelled';
  /** Leads by what became of them; they add up to `leads`. */
  counts: Record<string, number>;
  leads: number;
  /** Credits that this run spent, as the ledger booked them. */
  credits: number;
  /** What the plan would cost and take at the limits. */
  plan: { conversions: number; credits: number; durationMs: number; text: string };
  /** What the leads' scores were compared with. */
  thresholds?: Thresholds;
  /** For each lead its decision and why; in storage when there are many. */
  decisions: InlineOrStored<LeadVerdict[]>;
  /** What a person should know: guesses that seem wrong, leads that moved while they were listed. */
  notes: string[];
  approvedBy?: string;
  /** Of a run that was stopped or cancelled: the runs of leads that had sent something, and go on. */
  goesOn?: GoesOn;
  /** What people did and said. */
  answers: Answered[];
}

export interface PipelineProgress extends Progress {
  done: number;
  /** Leads whose conversion is under way. */
  underWay: string[];
  total: number;
  credits: number;
}

/** Before the leads are chosen. */
export const NOTHING_PLANNED = { conversions: 0, credits: 0, durationMs: 0, text: 'Nothing is chosen yet.' };
