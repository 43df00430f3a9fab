/** What people say to a backfill, what it answers, and what it leaves. */

import { defineUpdate } from '@temporalio/workflow';
import type { Counts } from '../../src/batches/outcomes';
import type { BackfillPlan } from '../../src/batches/plan';
import type { LimitChanges, Operation } from '../../src/inputs/backfill';
import type { PersonNote, StopSaid } from '../../src/inputs/person-messages';
import type { GoesOn } from '../shared/begun';
import type { Answered } from '../shared/said';
import { type Progress, progressQueryOf } from '../shared/status';

export interface BackfillResult {
  /** Absent of a redrive that ended before it knew the earlier one's. */
  operation?: Operation;
  dryRun: boolean;
  /**
   * `done`: every item that the caps allow was begun. `rejected` or `expired` at the approval. `stopped` or `cancelled`
   * by a person, or `stopped` by a loss in the storage: what had sent nothing is withdrawn.
   */
  ended: 'done' | 'planned' | 'rejected' | 'expired' | 'stopped' | 'cancelled';
  /** Items by what became of them, the quarantined rows included; they add up to `items`. */
  counts: Counts;
  items: number;
  /** Items that did not go well, by outcome and reason. */
  reasons: Record<string, number>;
  /** Credits that its items cost, as booked. */
  credits: number;
  /** What the plan would call, cost and take at the limits. */
  plan: BackfillPlan;
  /** Items that ended in a minute, over the whole run. */
  perMinute: number;
  durationMs: number;
  /** References into the storage; `ledger` has one line for each item. */
  files: { folder: string; quarantine: string; ledger?: string; summary?: string };
  /** What the source has beyond the items, by why it was left out. */
  left: Record<string, number>;
  notes: string[];
  /** Of one that was stopped or cancelled: the runs of items that had sent something, and go on. */
  goesOn?: GoesOn;
  /** What people did and said. */
  answers: Answered[];
}

/** The limits that a person may change; null: no such limit. */
export interface RunLimits {
  window: number;
  itemsPerMinute: number | null;
  maxItems: number | null;
  maxCredits: number;
}

export interface BackfillProgress extends Progress {
  /** Items that have ended, of those that it has. */
  done: number;
  total: number;
  counts: Counts;
  credits: number;
  /** IDs of runs under way, the longest first; not all of many. */
  underWay: string[];
  underWayCount: number;
  /** Of these, runs that only wait until it is known what became of a call, or for a person: they hold no place. */
  away: number;
  /** Items that waited for a person when it was last looked. */
  asking: number;
  /** Items that end in a minute, lately; absent as long as nobody can tell. */
  perMinute?: number;
  /** Milliseconds, at this rate. */
  leftMs?: number;
  paused: boolean;
  limits: RunLimits;
  folder?: string;
}

export const approveUpdate = defineUpdate<string, [PersonNote | undefined]>('approve');
export const rejectUpdate = defineUpdate<string, [PersonNote | undefined]>('reject');
export const pauseUpdate = defineUpdate<string, [PersonNote | undefined]>('pause');
export const resumeUpdate = defineUpdate<string, [PersonNote | undefined]>('resume');
export const stopUpdate = defineUpdate<string, [StopSaid | undefined]>('stop');
export const retryFailedUpdate = defineUpdate<string, [PersonNote | undefined]>('retryFailed');
export const changeLimitsUpdate = defineUpdate<RunLimits, [LimitChanges]>('changeLimits');
export const backfillProgressQuery = progressQueryOf<BackfillProgress>();
