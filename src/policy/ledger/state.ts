/** What an account's ledger knows. Plain data: it goes through Temporal at every continue-as-new. */
import * as payOnce from '../pay-once';
import type { Funds } from './balance';
import { type Budget, type Configured, configure, type SetByPeople, toConfigured } from './budget';
import type { Permits } from './permits';
import type { PaidKind, Price } from './prices';
import type { Today } from './today';

/** Why an account's calls stand still. `manual` holds are lifted by a person, all others when their cause has gone. */
export type HoldKind = 'killSwitch' | 'token' | 'otherUser' | 'noCredits' | 'manual';

export interface Hold {
  readonly kind: HoldKind;
  readonly since: number;
  readonly reason: string;
  /** For `noCredits`: the balance that lifts it. */
  readonly needs?: number;
  /** For `noCredits`: a call met it that should cost nothing, so calls that cost nothing wait as well. */
  readonly stopsAll?: true;
  /** For `noCredits`, where the balance does not tell when it ends: a call is tried again after this. */
  readonly retry?: { readonly at: number; readonly why: 'unreadable' | 'refused' } | undefined;
}

export interface RunSum {
  readonly spent: number;
  readonly lastAt: number;
}

export interface LedgerState {
  /** Its name in the configuration that a worker told last. */
  readonly account: string;
  /** The longest times of those workers. */
  readonly timing: payOnce.PayTiming;
  /** What workers are configured with, at least one, those that lapse first first; see `budget.ts`. */
  readonly workers: readonly Configured[];
  /** What people set beside that. */
  readonly set: SetByPeople;
  /** The zone in which a day begins and ends now. */
  readonly timeZone: string;
  /** The present day, as far as anything was booked on it. */
  readonly today?: Today;
  /** What calls cost by their replies. */
  readonly prices: Readonly<Partial<Record<PaidKind, Price>>>;
  readonly flights: payOnce.Flights;
  /** Credits spent per calendar day, the last forty or so. */
  readonly days: Readonly<Record<string, number>>;
  /** Credits spent per run, the most recent ones: of the others the cap is forgotten. */
  readonly runs: Readonly<Record<string, RunSum>>;
  /** Bookings, newest last, for `spend`; older ones are in the sums. */
  readonly bookings: readonly payOnce.Booking[];
  readonly holds: readonly Hold[];
  /** Holds whose beginning people were told, prices that they were told, and how many notices there were. */
  readonly told?: { readonly kinds: readonly HoldKind[]; readonly prices?: readonly string[]; readonly count: number };
  /** What is left by the readings of the balance; absent until one was read. */
  readonly funds?: Funds;
  /** The service answers without a balance that can be read: since when, and what is wrong with the reply. */
  readonly unreadable?: { readonly since: number; readonly problem: string } | undefined;
  /** The balance at which a hold for lack of credits was last lifted. */
  readonly creditsTried?: { readonly amount: number; readonly at: number };
  /** Sum of what the balance lost or gained beyond our own bookings: spent in the web app, or topped up. */
  readonly elsewhere: number;
  /** Classes parked by a 429, until when. */
  readonly parked: Readonly<Record<string, number>>;
  /** Permits of classes with a limit of their own (notes, audits): taken, and promised. */
  readonly permits: Readonly<Record<string, Permits>>;
  /** What people changed, newest last. */
  readonly actions?: readonly { at: number; by: string; what: string; reason: string }[];
  /** When a worker last said so: of several ledgers of one account name the latest is that of its present user. */
  readonly configuredAt?: number;
  /** Open sends that the ledger could not look up, and when it tries again. */
  readonly postponed?: Readonly<Record<string, number>>;
  /** Since when the account's token is another user's: until this user's is used again there is nothing to ask for. */
  readonly restingSince?: number | undefined;
  /** Set when this ledger replaced one that was lost: nothing is granted before. */
  readonly patientUntil?: number;
}

/** What one worker says that it is configured with; a ledger starts with the first one's word. */
export interface LedgerStart {
  account: string;
  timing: payOnce.PayTiming;
  budget: Budget;
  /** Names the worker's process, and no other one ever. */
  worker?: string;
  /** How long this counts, milliseconds. @default 600000 */
  lapsesAfterMs?: number;
}

/** What is known of the ledger before this one. */
export interface Before {
  /** Its state; absent where there was none, or nothing is left of it. */
  readonly state?: LedgerState | undefined;
  /** It may have granted what stands nowhere. */
  readonly lost: boolean;
}

/** A ledger that takes the place of another, by the configuration of the worker that it asked. */
export function reopen({ state, lost }: Before, start: LedgerStart, now: number): LedgerState {
  if (!state) return openLedger(start, now, lost);
  const configured = configure(whole(state, now), start, now);
  return lost ? patient(configured, now) : configured;
}

/** Books of an earlier version lack what has come since. */
export function whole(state: LedgerState & { readonly budget?: Budget }, now: number): LedgerState {
  const { account, timing, budget } = state;
  return state.workers || !budget ? state : { ...openLedger({ account, timing, budget }, now, false), ...state };
}

/** A new ledger. @param lost it replaces one of which nothing is left */
export function openLedger(start: LedgerStart, now: number, lost: boolean): LedgerState {
  const { account, timing, budget } = start;
  const empty: LedgerState = {
    account,
    timing,
    workers: [toConfigured(start, now)],
    set: {},
    timeZone: budget.timeZone,
    prices: {},
    flights: payOnce.noFlights(),
    days: {},
    runs: {},
    bookings: [],
    holds: [],
    elsewhere: 0,
    parked: {},
    permits: {},
  };
  return lost ? patient(empty, now) : empty;
}

/**
 * Books that lack what a lost ledger granted: it waits until any of that is surely over, and then believes only looks that
 * were asked for after that.
 */
function patient(state: LedgerState, now: number): LedgerState {
  const { sendWindowMs, paidTimeoutMs, settlingMs } = state.timing;
  const patientUntil = now + sendWindowMs + paidTimeoutMs + settlingMs;
  const forgottenBefore = Math.max(state.flights.forgottenBefore, patientUntil);
  return { ...state, flights: { ...state.flights, forgottenBefore }, patientUntil };
}
