/**
 * What a spending report is made of. IDs, credits, words of the project's own and moments: no text of the service, no name
 * of anybody (S4). Moments are milliseconds since 1970; credits are those of the ledger's books unless said otherwise.
 */

/** Why a run did not go on. */
export const CAUSES = ['quota', 'hold', 'approval', 'budget', 'settling', 'upstream', 'service', 'person'] as const;
export type Cause = (typeof CAUSES)[number];

export interface SpendingFacts {
  readonly madeAt: number;
  readonly since: number;
  readonly accounts: readonly AccountSpending[];
}

export interface AccountSpending {
  readonly account: string;
  /** Workflow ID of its ledger. */
  readonly ledger: string;
  /** In which its days begin and end. */
  readonly timeZone: string;
  /** Most credits a day, as it holds when the report is made: earlier caps are not kept. Null: no limit. */
  readonly perDay: number | null;
  /** Most credits a calendar month, and of one run. Null: no limit; absent where the ledger, or who read it, is of an earlier version. */
  readonly perMonth?: number | null;
  readonly perRun?: number | null;
  readonly balanceFloor: number;
  readonly balance?: number;
  /** For calls under way. */
  readonly reserved: number;
  /** From the oldest to the present one, days without any spending too. */
  readonly days: readonly DaySpending[];
  /** By workflow type: all runs that ended in the period, and those under way. */
  readonly runs: readonly RunCounts[];
  readonly pipelines: readonly PipelineSpending[];
  readonly batches: readonly BatchSpending[];
  readonly funnel: Funnel;
  readonly waits: Waits;
  readonly holds: Holds;
  readonly failures: Failures;
  /** What a reader should know of where the figures are from, one sentence each. */
  readonly notes: readonly string[];
}

export interface DaySpending {
  /** `2026-11-21`. */
  readonly day: string;
  /** Credits by the books; null where they no longer hold the day. */
  readonly booked: number | null;
  /** Credits by what they were spent for, as far as that can be told. */
  readonly sources: readonly { readonly source: string; readonly credits: number }[];
  /** Leads whose conversion ended well on this day. */
  readonly conversions: number;
}

export interface RunCounts {
  readonly type: string;
  readonly running: number;
  /** Runs that ended, by the word that they ended with, or else by Temporal's status. */
  readonly ended: Readonly<Record<string, number>>;
}

/** All runs of one pipeline. */
export interface PipelineSpending {
  /** Its name in the configuration; undefined for runs that people started. */
  readonly name?: string;
  readonly runs: number;
  readonly underWay: number;
  /** Runs whose result was read: leads converted are those of these. */
  readonly read: number;
  readonly converted: number;
  readonly credits: number;
  /** Credits of the run that cost most; absent where that was not looked at. */
  readonly dearest?: number;
}

export interface BatchSpending {
  readonly id: string;
  readonly operation?: string;
  readonly startedAt: number;
  /** Absent while it goes on. */
  readonly endedAt?: number;
  /** Its own word, or Temporal's status. */
  readonly ended: string;
  readonly items?: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Absent where it has not said so yet. */
  readonly credits?: number;
}

/** Leads on their way. Undefined: nothing that ended in the period tells. */
export interface Funnel {
  readonly listed?: number;
  readonly chosen?: number;
  readonly converted: number;
  readonly audited: number;
}

export interface Waits {
  /** Runs that were looked at in detail, of how many that ended in the period. */
  readonly sampled: number;
  readonly of: number;
  readonly causes: readonly { readonly cause: Cause; readonly ms: number; readonly runs: number }[];
}

export interface Holds {
  /** From this moment on every hold is known; undefined: none is, but for those that are there now. */
  readonly knownFrom?: number;
  readonly spans: readonly HoldSpan[];
}
export interface HoldSpan {
  readonly kind: string;
  readonly from: number;
  /** Absent while it lasts. */
  readonly to?: number;
}

export interface Failures {
  /** Runs and items that did not end well, the most frequent first. */
  readonly reasons: readonly { readonly what: string; readonly reason: string; readonly count: number }[];
  /** Runs whose reason was read, of how many that did not end well; items of batches have all theirs. */
  readonly read: number;
  readonly of: number;
}

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Credits of the period by the books. */
export const bookedIn = ({ days }: Pick<AccountSpending, 'days'>): number => sum(days.map(({ booked }) => booked ?? 0));

/**
 * What was booked on a day and cannot be told to be of a pipeline or a batch: single runs, and runs under way. Below 0 where
 * more was told than booked: a run ended on another day than it paid.
 */
export const restOf = ({ booked, sources }: DaySpending): number | null =>
  booked === null ? null : booked - sum(sources.map(({ credits }) => credits));
