/**
 * What an account's ledger knows and answers (S1, S3): open sends, credits spent and reserved, caps, holds. Pure; the
 * workflow `accountLedger` keeps the state, and everything that spends credits asks here first.
 */
import { dayOf, nextDay } from './day';
import * as payOnce from './pay-once';

/** What an account may spend. Credits. */
export interface Budget {
  /** Most credits per calendar day; null for no limit. @default null */
  readonly perDay: number | null;
  /** Credits that must remain on the balance. @default 0 */
  readonly balanceFloor: number;
  /** IANA time zone in which a day begins and ends. @default 'UTC' */
  readonly timeZone: string;
}

/** Why an account's calls stand still. `manual` holds are lifted by a person, all others when their cause has gone. */
export type HoldKind = 'killSwitch' | 'token' | 'noCredits' | 'manual';

export interface Hold {
  readonly kind: HoldKind;
  readonly since: number;
  readonly reason: string;
  /** For `noCredits`: the balance that lifts it. */
  readonly needs?: number;
}

export interface RunSum {
  readonly spent: number;
  readonly lastAt: number;
}

export interface LedgerState {
  readonly account: string;
  readonly timing: payOnce.PayTiming;
  readonly budget: Budget;
  readonly flights: payOnce.Flights;
  /** Credits spent per calendar day, the last {@link KEEP_DAYS} of them. */
  readonly days: Readonly<Record<string, number>>;
  /** Credits spent per run, the {@link KEEP_RUNS} most recent. */
  readonly runs: Readonly<Record<string, RunSum>>;
  /** Bookings, newest last, for `spend`; older ones are in the sums. */
  readonly bookings: readonly payOnce.Booking[];
  readonly holds: readonly Hold[];
  /** The balance as last read, and what we booked since then. */
  readonly balance?: { readonly amount: number; readonly readAt: number; readonly bookedSince: number };
  /** The balance at which a hold for lack of credits was last lifted. */
  readonly creditsTried?: { readonly amount: number; readonly at: number };
  /** Sum of what the balance lost or gained beyond our own bookings: spent in the web app, or topped up. */
  readonly elsewhere: number;
  /** Classes parked by a 429, until when. */
  readonly parked: Readonly<Record<string, number>>;
  /** What people changed, newest last. */
  readonly actions?: readonly { at: number; by: string; what: string; reason: string }[];
  /** What the configuration said last; a person's `setBudget` stands until the configuration changes. */
  readonly configured?: Budget;
  /** Open sends that the ledger could not look up, and when it tries again. */
  readonly postponed?: Readonly<Record<string, number>>;
  /** Set when this ledger replaced one that was lost: nothing is granted before. */
  readonly patientUntil?: number;
}

const KEEP_DAYS = 40;
const KEEP_RUNS = 500;
const KEEP_BOOKINGS = 300;

export interface LedgerStart {
  account: string;
  timing: payOnce.PayTiming;
  budget: Budget;
}

/**
 * A new ledger. One that replaces a lost one knows of no open sends: it waits until any of them is surely over, and then
 * believes only looks that were asked for after that.
 */
export function openLedger(start: LedgerStart, now: number, lost: boolean): LedgerState {
  const { sendWindowMs, paidTimeoutMs, settlingMs } = start.timing;
  const patientUntil = now + sendWindowMs + paidTimeoutMs + settlingMs;
  return {
    ...start,
    flights: payOnce.noFlights(lost ? patientUntil : 0),
    days: {},
    runs: {},
    bookings: [],
    holds: [],
    elsewhere: 0,
    parked: {},
    ...(lost && { patientUntil }),
  };
}

export interface BeginSend extends payOnce.SendRequest {
  /** Most credits that `run` may spend. */
  readonly runCap: number;
}

export type BeginAnswer =
  | payOnce.FlightAnswer
  | { kind: 'held'; holds: readonly Hold[] }
  | { kind: 'parked'; until: number }
  | { kind: 'capped'; cap: 'run' | 'day' | 'floor'; until?: number };

/** `beginSend`: may this attempt send, now? The order matters: an attempt that was granted stays granted. */
export function beginSend(
  state: LedgerState,
  request: BeginSend,
  now: number,
): { state: LedgerState; answer: BeginAnswer } {
  const refuse = (answer: BeginAnswer) => ({ state, answer });
  const open = state.flights.open[request.subject];
  if (open?.attempt === request.attempt) return refuse({ kind: 'granted', flight: open });
  if (state.holds.length > 0) return refuse({ kind: 'held', holds: state.holds });
  if (state.patientUntil !== undefined && now < state.patientUntil)
    return refuse({ kind: 'open', overAt: state.patientUntil, attempt: '' });
  const answer = payOnce.admit(state.flights, request, now, state.timing);
  if (answer.kind !== 'granted') return refuse(answer);
  const until = state.parked.writes ?? 0;
  if (until > now) return refuse({ kind: 'parked', until });
  const capped = overCap(state, request, now);
  if (capped) return refuse(capped);
  return { state: { ...state, flights: payOnce.take(state.flights, request.subject, answer.flight) }, answer };
}

/** S3: every cap counts what is spent and what open sends may yet spend, except the one that this request replaces. */
function overCap(state: LedgerState, request: BeginSend, now: number): BeginAnswer | undefined {
  const others = Object.entries(state.flights.open)
    .filter(([subject]) => subject !== request.subject)
    .map(([, f]) => f);
  const reserved = sum(others.map((f) => f.credits));
  const ofRun = sum(others.filter((f) => f.run === request.run).map((f) => f.credits));
  const { perDay, balanceFloor, timeZone } = state.budget;
  if ((state.runs[request.run]?.spent ?? 0) + ofRun + request.credits > request.runCap)
    return { kind: 'capped', cap: 'run' };
  if (perDay !== null && spentOn(state, now) + reserved + request.credits > perDay)
    return { kind: 'capped', cap: 'day', until: nextDay(now, timeZone) };
  if (balanceFloor > 0) {
    const left = available(state);
    if (left === undefined || left - request.credits < balanceFloor) return { kind: 'capped', cap: 'floor' };
  }
  return undefined;
}

/** What the balance would be if every open send succeeded; undefined until the balance has been read once. */
export function available(state: LedgerState): number | undefined {
  if (!state.balance) return undefined;
  return state.balance.amount - state.balance.bookedSince - reservedCredits(state);
}

export const reservedCredits = (state: LedgerState): number =>
  sum(Object.values(state.flights.open).map((f) => f.credits));

export const spentOn = (state: LedgerState, now: number): number => state.days[dayOf(now, state.budget.timeZone)] ?? 0;

export interface Settle {
  readonly subject: string;
  readonly attempt: string;
  readonly run: string;
  readonly settlement: payOnce.Settlement;
}

/** `settle`: books what became of an attempt. Answers the credits that this very call booked. */
export function settle(state: LedgerState, request: Settle, now: number): { state: LedgerState; booked: number } {
  const { subject, attempt, run, settlement } = request;
  const { flights, booking } = payOnce.settle(state.flights, subject, attempt, run, settlement, now);
  const next = { ...state, flights };
  return booking ? { state: book(next, booking), booked: booking.credits } : { state: next, booked: 0 };
}

/** `clear`: a person says that an open send is over. */
export function clear(state: LedgerState, subject: string): { state: LedgerState; cleared: boolean } {
  const { [subject]: flight, ...open } = state.flights.open;
  return { state: { ...state, flights: { ...state.flights, open } }, cleared: flight !== undefined };
}

/** Books credits on their day and run. Also `adjust`: a person corrects the books. */
export function book(state: LedgerState, booking: payOnce.Booking): LedgerState {
  const day = dayOf(booking.at, state.budget.timeZone);
  const days = latest({ ...state.days, [day]: (state.days[day] ?? 0) + booking.credits }, KEEP_DAYS, ([key]) => key);
  const sums = {
    ...state.runs,
    [booking.run]: { spent: (state.runs[booking.run]?.spent ?? 0) + booking.credits, lastAt: booking.at },
  };
  // What can be paid for is no longer in doubt.
  const { creditsTried: _, ...rest } = state;
  return {
    ...rest,
    days,
    runs: latest(sums, KEEP_RUNS, ([, run]) => run.lastAt),
    bookings: [...state.bookings, booking].slice(-KEEP_BOOKINGS),
    ...(state.balance && { balance: { ...state.balance, bookedSince: state.balance.bookedSince + booking.credits } }),
  };
}

/**
 * A balance was read. What it lost beyond our bookings was spent elsewhere; that is noted, not mistaken for ours.
 * @param bookedBefore what had been booked since the last reading when this one was asked for: what was booked meanwhile
 *   may be in the amount or not, and counts as not, so that the floor holds
 */
export function readBalance(
  state: LedgerState,
  amount: number,
  now: number,
  bookedBefore = state.balance?.bookedSince ?? 0,
): LedgerState {
  const bookedSince = (state.balance?.bookedSince ?? 0) - bookedBefore;
  const expected = state.balance && state.balance.amount - state.balance.bookedSince;
  // While sends are open their credits may or may not be off the balance already: compare only when none is.
  const settled = Object.keys(state.flights.open).length === 0 && bookedSince === 0;
  const elsewhere = expected !== undefined && settled ? state.elsewhere + (expected - amount) : state.elsewhere;
  const holds = state.holds.flatMap((hold) => {
    if (hold.kind !== 'noCredits') return [hold];
    // The same balance that was refused before it: not sooner than after a while.
    const tried = state.creditsTried?.amount === amount && now - state.creditsTried.at < RETRY_CREDITS_MS;
    return amount >= (hold.needs ?? 0) && !tried ? [] : [hold];
  });
  const lifted = holds.length < state.holds.length;
  return {
    ...state,
    holds,
    elsewhere,
    balance: { amount, readAt: now, bookedSince },
    ...(lifted && { creditsTried: { amount, at: now } }),
  };
}
/** A balance that looks sufficient and was refused all the same is tried again after this. */
const RETRY_CREDITS_MS = 600_000;

/** The service answered, without a balance that can be read: an empty one is tried again after a while. */
export const answeredWithoutBalance = (state: LedgerState, now: number): LedgerState => ({
  ...state,
  holds: state.holds.filter(({ kind, since }) => kind !== 'noCredits' || now - since < RETRY_CREDITS_MS),
});

/** Puts the account on hold, once per kind. */
export function hold(state: LedgerState, added: Hold): LedgerState {
  return state.holds.some((h) => h.kind === added.kind) ? state : { ...state, holds: [...state.holds, added] };
}

export const release = (state: LedgerState, ...kinds: HoldKind[]): LedgerState => ({
  ...state,
  holds: state.holds.filter((h) => !kinds.includes(h.kind)),
});

/** A person lets everything go on, also what a 429 has parked. */
export const releaseAll = (state: LedgerState): LedgerState => ({ ...state, holds: [], parked: {} });

/** A 429 parks its class; a longer park stands. */
export const park = (state: LedgerState, rateClass: string, until: number): LedgerState => ({
  ...state,
  parked: { ...state.parked, [rateClass]: Math.max(until, state.parked[rateClass] ?? 0) },
});

/** The configuration's budget and timing. A budget that a person set stands until the configured one changes. */
export function configure(state: LedgerState, budget: Budget, timing: payOnce.PayTiming): LedgerState {
  const changed = JSON.stringify(state.configured ?? state.budget) !== JSON.stringify(budget);
  return { ...state, timing, configured: budget, ...(changed && { budget }) };
}

/** Open sends that nobody settled in good time after they were over, and when the ledger looks them up itself. */
export function abandoned(state: LedgerState): { subject: string; dueAt: number }[] {
  return Object.entries(state.flights.open).map(([subject, { overAt }]) => ({
    subject,
    dueAt: Math.max(overAt + state.timing.settlingMs, state.postponed?.[subject] ?? 0),
  }));
}

/** An open send that could not be looked up is tried again after another settling time. */
export const postpone = (state: LedgerState, subject: string, now: number): LedgerState => ({
  ...state,
  postponed: { ...state.postponed, [subject]: now + state.timing.settlingMs },
});

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

function latest<T>(
  all: Record<string, T>,
  keep: number,
  rank: (entry: [string, T]) => string | number,
): Record<string, T> {
  const entries = Object.entries(all);
  if (entries.length <= keep) return all;
  return Object.fromEntries(entries.sort((a, b) => (rank(a) < rank(b) ? 1 : -1)).slice(0, keep));
}
