/**
 * What an account's ledger answers (S1, S3, S5): may this attempt send, what was spent, what stands still. Pure; the
 * workflow `accountLedger` keeps the state, and every call that must not happen twice asks here first.
 */

import * as payOnce from '../paying/open-sends';
import { nextMonth } from '../time/day';
import { book } from './book';
import { booksTrouble, budgetInForce } from './budget';
import { type Capped, overAccountCap, overCap, reservedCredits, type Spending } from './caps';
import { patience } from './explaining';
import { askTurn, noteTurn } from './giving-turns';
import { stopping } from './holds';
import { type OwnPermit, unknownPermit, withUnused } from './own-permits';
import { noPermits, takePermit } from './permits';
import { learnPrice, noteConfigured, reservation } from './prices';
import { momentsOf, saidOf } from './said';
import type { Hold, LedgerState, Moments } from './state';
import type { TurnAsked, TurnUsed } from './turns';

export { balance, isRead, nextReading } from './balance';
export { ADJUSTMENT, book, KEEP_BOOKINGS, KEEP_DAYS, KEEP_RUNS, sumSince } from './book';
export {
  allowsMore,
  type BudgetInForce,
  type BudgetWanted,
  booksApart,
  booksTrouble,
  budgetInForce,
  budgetRefusal,
  CAPS,
  configure,
  hasCeiling,
  isUnlimited,
  keptElsewhere,
  LAPSES_AFTER_MS,
  type LimitSource,
  leave,
  setBudget,
  strictest,
} from './budget';
export { available, reservedCredits } from './caps';
export { compared, noteUnkept, placed, releaseAll } from './comparing';
export { compareBalance, nextComparison, patientUntil, withoutComparison } from './explaining';
export { askTurn, parkedMs, withoutTurns, withTurnsOf } from './giving-turns';
export {
  answeredWithoutBalance,
  hold,
  LONGEST_PARK_MS,
  park,
  readBalance,
  release,
  rest,
  stopping,
  wake,
} from './holds';
export { openLedger, reopen, whole } from './opening-state';
export { isUnused, permitsOfBefore, promisedBy, promisedToNobody, unknownPermit } from './own-permits';
export { type Dearer, dearer, type PricedCall, reservation, reservedAnew } from './prices';
export { type Asked, isBehind, type Reread, reread } from './rereading';
export {
  hasLater,
  isUnkept,
  knowsAct,
  LIMITS,
  laterOf,
  momentsOf,
  NOTES,
  saidOf,
  say,
  WORDS,
  withAction,
  wordsOn,
} from './said';
export {
  type Before,
  type Budget,
  HOLD_KINDS,
  type Hold,
  type HoldKind,
  type Kept,
  type LedgerStart,
  type LedgerState,
  type Lower,
  type Moments,
  type RunSum,
  type Said,
} from './state';
export { spentInMonth, spentOn } from './today';

export interface BeginSend extends payOnce.SendRequest, Pick<Spending, 'runCap'> {
  /** The call needs a permit of a limit of its own as well: a note, the start of an audit. */
  readonly own?: OwnPermit | undefined;
  /** Where a floor is set: a reading of the balance counts only when it was asked for no sooner than this. */
  readonly readSince?: number | undefined;
  /** S5: it asks for its turn under the limit of the writes; absent from a sender of an earlier version. */
  readonly turn?: TurnAsked | undefined;
  /** What the sender's process is configured with; another one may have configured the ledger. */
  readonly sender?: SenderTiming;
}

/** `settlingMs` is absent from a sender of an earlier version. */
type SenderTiming = Pick<payOnce.PayTiming, 'sendWindowMs' | 'paidTimeoutMs'> & Partial<payOnce.PayTiming>;

/** S1: a flight is over when it is by the longer of both, the sender's time and that of the ledger. */
const longer = (timing: payOnce.PayTiming, sender: SenderTiming = timing): payOnce.PayTiming => ({
  sendWindowMs: Math.max(timing.sendWindowMs, sender.sendWindowMs),
  paidTimeoutMs: Math.max(timing.paidTimeoutMs, sender.paidTimeoutMs),
  settlingMs: Math.max(timing.settlingMs, sender.settlingMs ?? 0),
});

export type BeginAnswer =
  | Exclude<payOnce.AdmitAnswer, { kind: 'granted' }>
  | Granted
  | { kind: 'held'; holds: readonly Hold[] }
  /** The ledger replaced one that was lost: what that one granted may have an effect until then, or the balance is compared. */
  | { kind: 'patient'; until: number }
  | { kind: 'parked'; until: number }
  /** S5: it is not its turn yet; a duration, since clocks differ. */
  | { kind: 'later'; inMs: number }
  /** A part of the balance must remain, and it was not read since the call's turn came. */
  | { kind: 'unread' }
  /** It cannot be written into the books, or not where all would see it (S8). */
  | { kind: 'unwritten'; why: string }
  /** It was not in the books before its send window was over. */
  | { kind: 'late' }
  /** The books have a later word of people on hold or limits than the ledger, whose server went back to a backup (S8). */
  | { kind: 'behind' }
  | Capped;

/** `said`: when people said of hold and limits what the ledger went by; absent from one on a worker of an earlier version. */
type Granted = Extract<payOnce.AdmitAnswer, { kind: 'granted' }> & { readonly said?: Moments };

/**
 * `beginSend`: may this attempt send, now? The order matters: an attempt that was granted stays granted.
 * @param how.mindsUnknown it waits for permits of which only a lost ledger knew
 */
export function beginSend(
  state: LedgerState,
  asked: BeginSend,
  now: number,
  { mindsUnknown = true } = {},
): { state: LedgerState; answer: BeginAnswer } {
  const request = { ...asked, credits: reservation(state, asked.subject, asked.credits) };
  const refuse = (answer: BeginAnswer) => ({ state, answer });
  const said = momentsOf(saidOf(state));
  const open = state.flights.open[request.subject];
  if (open?.attempt === request.attempt) return refuse({ kind: 'granted', flight: open, said });
  const holds = stopping(state.holds, request.credits);
  if (holds.length > 0) return refuse({ kind: 'held', holds });
  const apart = request.credits > 0 ? booksTrouble(state, now) : undefined;
  if (apart !== undefined) return refuse({ kind: 'unwritten', why: apart });
  const until = patience(state, request.credits, now);
  if (until !== undefined) return refuse({ kind: 'patient', until });
  const timing = longer(state.timing, request.sender);
  const answer = payOnce.admit(state.flights, request, now, timing);
  if (answer.kind !== 'granted') return refuse(answer);
  const { own } = request;
  const parkedUntil = Math.max(state.parked.writes ?? 0, (own && state.parked[own.rateClass]) ?? 0);
  if (parkedUntil > now) return refuse({ kind: 'parked', until: parkedUntil });
  const capped = overCap(state, request, now);
  if (capped) return refuse(capped);
  if (request.credits > 0 && isUnread(state, request, now)) return refuse({ kind: 'unread' });
  const unknownUntil = mindsUnknown ? unknownPermit(state, request, now) : undefined;
  if (unknownUntil !== undefined) return refuse({ kind: 'parked', until: unknownUntil });
  const permitted =
    own?.limit &&
    takePermit(state.permits[own.rateClass] ?? noPermits, request.subject, now, own.limit, timing.sendWindowMs);
  const withPermit = (before: LedgerState) =>
    permitted ? { ...before, permits: { ...before.permits, [own.rateClass]: permitted.permits } } : before;
  if (permitted && permitted.at !== 'now')
    return { state: withPermit(state), answer: { kind: 'parked', until: permitted.at } };
  const turn = request.turn ? askTurn(state, 'writes', request.turn, now) : { state, inMs: 0 };
  // A permit that waits for its turn is not used up.
  if (turn.inMs > 0) return { state: turn.state, answer: { kind: 'later', inMs: turn.inMs } };
  const next = withPermit(turn.state);
  const prices = noteConfigured(state.prices, request.subject, asked.credits);
  const flights = payOnce.take(next.flights, request.subject, answer.flight);
  return { state: { ...next, prices, flights }, answer: { ...answer, said } };
}

/** Others spend from the same balance: with a floor, each payment needs a reading from after its turn came. */
const isUnread = (state: LedgerState, { readSince }: BeginSend, now: number): boolean =>
  budgetInForce(state, now).balanceFloor > 0 &&
  (state.funds?.askedAt ?? Number.NEGATIVE_INFINITY) < (readSince ?? Number.POSITIVE_INFINITY);

/**
 * Why a waiting run may not go on yet, if so: a hold, books that are apart, or a cap on so many credits more.
 * @param subject what it would pay for: an earlier send for it that is still open would be replaced, and must not keep it
 */
export function obstacle(
  state: LedgerState,
  credits: number,
  now: number,
  subject?: string,
): Extract<BeginAnswer, { kind: 'held' | 'unwritten' | 'capped' }> | undefined {
  const holds = stopping(state.holds, credits);
  if (holds.length > 0) return { kind: 'held', holds };
  const apart = credits > 0 ? booksTrouble(state, now) : undefined;
  if (apart !== undefined) return { kind: 'unwritten', why: apart };
  return credits > 0 ? overAccountCap(state, credits, reservedCredits(state, subject), now) : undefined;
}

export interface Settle {
  readonly subject: string;
  readonly attempt: string;
  readonly run: string;
  readonly settlement: payOnce.Settlement;
  /** S5: what became of its turn, where it had one. */
  readonly turn?: TurnUsed | undefined;
  /** The permit of its own that it had asked for: it is free again where nothing has left. */
  readonly own?: OwnPermit | undefined;
}

/**
 * `settle`: books what became of an attempt. Answers the credits that this very call booked for its own run: what it found
 * of another's attempt is in that run's books, and in its result (S6).
 */
export function settle(state: LedgerState, request: Settle, now: number): { state: LedgerState; booked: number } {
  const { subject, attempt, run, settlement, turn } = request;
  const { flights, booking } = payOnce.settle(state.flights, subject, attempt, run, settlement, now);
  const open = state.flights.open[subject];
  const own = open?.attempt === attempt ? open : undefined;
  const noted = own && turn ? noteTurn(state, 'writes', own.grantedAt, turn) : state;
  const settled = { ...(own ? withUnused(noted, request, own.grantedAt) : noted), flights };
  const reserved = own?.credits;
  const next = settlement.kind === 'paid' ? learnPrice(settled, subject, settlement.credits, reserved, now) : settled;
  if (!booking) return { state: next, booked: 0 };
  return { state: book(next, booking), booked: booking.run === run ? booking.credits : 0 };
}

/** `clear`: a person says that an open send is over. */
export function clear(state: LedgerState, subject: string): { state: LedgerState; cleared: boolean } {
  const { [subject]: flight, ...open } = state.flights.open;
  return { state: { ...state, flights: { ...state.flights, open } }, cleared: flight !== undefined };
}

/** When an answer next changes without a message: a day, a park, the patience or a worker's report ends. */
export function nextChange(state: LedgerState, now: number): number {
  const { workers, patientUntil = 0, uncompared, parked, today } = state;
  const moments = [
    ...(today ? [today.until] : []),
    ...(budgetInForce(state, now).perMonth === null ? [] : [nextMonth(now, state.timeZone)]),
    ...(workers.length > 1 ? workers.map(({ until }) => until) : []),
    ...Object.values(parked),
    patientUntil,
    ...(uncompared ? [uncompared.until] : []),
  ];
  return Math.min(...moments.filter((moment) => moment > now));
}

/** An open send, and when the ledger looks it up itself if no run has settled it. */
export interface Abandoned {
  subject: string;
  /** What may have been spent; where it is nothing there is nothing to find out. */
  credits: number;
  dueAt: number;
}

/** All open sends, each with the moment from which it counts as abandoned. */
export const abandoned = (state: LedgerState): Abandoned[] =>
  Object.entries(state.flights.open).map(([subject, { overAt, credits }]) => ({
    subject,
    credits,
    dueAt: Math.max(overAt + state.timing.settlingMs, state.postponed?.[subject] ?? 0),
  }));

/**
 * An open send that could not be looked up is tried again after another settling time.
 * @param inVain the service was asked, and did not tell
 */
export function postpone(state: LedgerState, subject: string, now: number, inVain = false): LedgerState {
  const { postponed = {}, timing, flights } = state;
  const open = Object.entries(postponed).filter(([other]) => other in flights.open);
  const next = { ...state, postponed: { ...Object.fromEntries(open), [subject]: now + timing.settlingMs } };
  const { attempt } = flights.open[subject] ?? {};
  if (!inVain || attempt === undefined) return next;
  const looks = Object.values(flights.open).map((send) => [send.attempt, looksInVain(state, send)] as const);
  return { ...next, inVain: { ...Object.fromEntries(looks), [attempt]: looksInVain(state, { attempt }) + 1 } };
}

/** In how many looks the service did not tell what became of an open send. */
export const looksInVain = ({ inVain = {} }: LedgerState, { attempt }: { attempt: string }): number =>
  inVain[attempt] ?? 0;
