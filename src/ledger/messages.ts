/** What people and workers say to a ledger, and what it answers. */
import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { RateClass } from '../agent-api/rate-class';
import type { AdjustSaid, BudgetSaid, ClearSaid, Reasoned, ReleaseSaid } from '../inputs/person-messages';
import type { OpenSend, Settled } from '../paying/open-sends';
import type { HandedOn } from '../runs/handed-on';
import type * as policy from '.';
import type { TurnAsked } from './turns';

/** Workflow ID of a user's ledger: `account-ledger.`, then the user's ID or its hash. */
export const LEDGER_ID = /^account-ledger\.[A-Za-z0-9-]{1,64}$/;

/** What a ledger works by. */
export interface Opened {
  state: policy.LedgerState;
  /** Least time between two probes while the account is on hold, milliseconds. */
  probeEveryMs: number;
}

/** Whoever starts a ledger may write here what they like: of what is handed on, only what the run before did is believed. */
export interface LedgerInput extends Partial<HandedOn<Opened>> {
  /** Continue as new after so many history events, between 50 and 1500. @default 1500 */
  maxEvents?: number;
}

export interface LedgerStatus {
  account: string;
  balance?: number;
  available?: number;
  reserved: number;
  spentToday: number;
  spentThisMonth: number;
  elsewhere: number;
  /** Since when the balance cannot be read, and why. */
  unreadable?: { since: number; problem: string };
  /** The limits that hold now, and whose word they are. */
  budget: policy.BudgetInForce;
  /** Why nothing is paid: workers keep their books in different storages, or those there are could not be read yet. */
  booksTrouble?: string;
  /** Calls that cost more than is configured, by their last reply. */
  dearer: policy.Dearer[];
  /** When the latest reading of the balance was asked for. */
  balanceAskedAt?: number;
  /** And what it said; absent from a ledger on a worker of an earlier version. */
  balanceRead?: number;
  holds: readonly policy.Hold[];
  /** Classes that a 429 has parked, until when; those that have ended are not in it. */
  parked: Readonly<Record<string, number>>;
  /** S5: it gives each write its turn. */
  takesTurns?: true;
  /** When a person last ended all parks. */
  parksEndedAt?: number;
  open: { subject: string; run: string; grantedAt: number; overAt: number }[];
  /** Nothing is paid until then, since the ledger before this one was lost. */
  patientUntil?: number;
  /** Or until the balance has been compared with the books. */
  isComparing?: true;
  /** When a worker last told the ledger its configuration. */
  configuredAt?: number;
  /** Since when the account works for another user; this one is an earlier one's. */
  restingSince?: number;
}

/** What a cap is measured by. */
export type Figures = Pick<
  LedgerStatus,
  'account' | 'budget' | 'spentToday' | 'spentThisMonth' | 'reserved' | 'available' | 'unreadable'
>;

/** What stands in the way of spending. A cap comes with the figures of that moment; workers of earlier versions tell none. */
export type Obstacle =
  | Extract<policy.BeginAnswer, { kind: 'held' | 'unwritten' }>
  | (Extract<policy.BeginAnswer, { kind: 'capped' }> & { figures?: Figures })
  /** `credits`: what would be reserved; absent from a ledger on a worker of an earlier version. */
  | { kind: 'none'; credits?: number };

/** What is about to be spent. */
export interface ObstacleAsked {
  /** 0 asks for holds alone. */
  credits: number;
  /** S7: its price of now counts, whatever it cost before. Ledgers on workers of earlier versions go by `credits`. */
  call?: policy.PricedCall;
}

/** A turn of one class. */
export interface TurnOf extends TurnAsked {
  readonly rateClass: RateClass;
}

/** What the ledger knows of one subject. */
export interface SubjectState {
  open?: OpenSend;
  /** In how many looks of the ledger the service did not tell what became of the open send. @default 0 */
  inVain?: number;
  settled?: Settled;
  /** What was settled before that, in milliseconds since 1970, it may have forgotten. */
  forgottenBefore?: number;
}

export const beginSendUpdate = defineUpdate<policy.BeginAnswer, [policy.BeginSend]>('beginSend');
export const settleUpdate = defineUpdate<number, [policy.Settle]>('settle');
/** Answers the moment in workflow time, from which the worker knows the server's clock. */
export const configureUpdate = defineUpdate<number, [policy.LedgerStart]>('configure');
export const leaveUpdate = defineUpdate<void, [{ worker: string }]>('leave');
/** Answers the moment from which on a reading that is asked for counts. */
export const readBalanceUpdate = defineUpdate<number, [Record<string, never>]>('readBalance');
export const setBudgetUpdate = defineUpdate<policy.BudgetInForce, [BudgetSaid]>('setBudget');
export const holdUpdate = defineUpdate<string, [Reasoned]>('hold');
export const releaseUpdate = defineUpdate<string, [ReleaseSaid]>('release');
export const clearUpdate = defineUpdate<string, [ClearSaid]>('clear');
export const adjustUpdate = defineUpdate<number, [AdjustSaid]>('adjust');
export const reportHoldUpdate = defineUpdate<void, [policy.Hold]>('reportHold');
/** @param forMs a duration: the clocks of processes differ */
export const parkUpdate = defineUpdate<void, [{ rateClass: string; forMs: number }]>('park');
/** S5: a request that needs no grant asks for its turn. */
export const takeTurnUpdate = defineUpdate<{ inMs: number } | { gives: 'none' }, [TurnOf]>('takeTurn');
/** What workers say, and no person. */
export const INTERNAL_UPDATES: ReadonlySet<string> = new Set(
  [
    ...[beginSendUpdate, settleUpdate, configureUpdate, leaveUpdate, readBalanceUpdate, reportHoldUpdate, parkUpdate],
    takeTurnUpdate,
  ].map(({ name }) => name),
);
export const statusQuery = defineQuery<LedgerStatus>('status');
export const obstacleQuery = defineQuery<Obstacle, [ObstacleAsked]>('obstacle');
export const stateQuery = defineQuery<policy.LedgerState>('state');
/** For the ledger that replaces it; null: its books were never opened, so it has granted nothing. */
export const booksQuery = defineQuery<policy.LedgerState | null>('books');

export const subjectQuery = defineQuery<SubjectState, [string]>('subject');
export const claimsQuery = defineQuery<string[], [string]>('claims');
