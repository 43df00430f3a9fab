/**
 * S8: the books remember the balance, as it was last compared without doubt. A ledger that begins with the books alone, since the
 * one before it is lost, compares: what it reads must be that balance, less what was booked since. Where it is lower, the storage
 * may have gone back to a backup as well, and only a person can tell.
 */
import { grouped } from '../text/numbers';
import { isRead } from './balance';
import { ADJUSTMENT } from './book';
import { reservedCredits } from './caps';
import { hold, readBalance, release } from './holds';
import { saidOf, say } from './said';
import type { Kept, LedgerState } from './state';

/** A balance that others changed is noted as seldom as this, milliseconds: entries are never removed. */
const NOTED_EVERY_MS = 3_600_000;
/** The reading that is compared is asked for when the patience ends: whoever is told to come back comes after it, milliseconds. */
const READ_WITHIN_MS = 10_000;
/** And after that so long, milliseconds. */
const AGAIN_MS = 60_000;
const LEDGER = 'the ledger';
/** Credits. A service may tell a balance without end as a number that nobody has. */
const MOST_NOTED = 1e12;

/** A balance was read, by a question of `askedAt`, and is compared with what the books explain, where that is still to be done. */
export function compareBalance(state: LedgerState, amount: number, askedAt: number, now: number): LedgerState {
  const read = readBalance(state, amount, askedAt, now);
  const { expected } = state.funds ?? {};
  return withNote(expected === undefined ? read : explained(read, expected, amount, askedAt, now), now);
}

/** The ledger, which has read the balance, with a note of it, if it was compared just now and the last note does not explain it. */
function withNote(state: LedgerState, now: number): LedgerState {
  const { amount, askedAt, comparedAt } = state.funds ?? {};
  if (comparedAt !== now || amount === undefined || askedAt === undefined) return state;
  // A note would explain what a person is still to see.
  if (state.uncompared || state.holds.some(({ lower }) => lower)) return state;
  const { balance } = saidOf(state);
  const isSpent = state.bookings.some(
    ({ at, subject }) => subject !== ADJUSTMENT && at > (balance?.at ?? Number.NEGATIVE_INFINITY),
  );
  const isOther = balance !== undefined && balance.value !== amount && now - balance.at > NOTED_EVERY_MS;
  return isSpent || isOther ? noted(state, amount, shownSince(state, askedAt)) : state;
}

/** A reading shows the balance of some moment from this one on. */
const shownSince = ({ timing }: LedgerState, askedAt: number): number => Math.max(0, askedAt - timing.settlingMs);

/** What the books would not take is not noted: what people say goes into the same entry. */
const noted = (state: LedgerState, value: number, at: number): LedgerState =>
  Math.abs(value) > MOST_NOTED ? state : say(state, { balance: { value, by: LEDGER, at } });

/**
 * A ledger of which nothing but the books is left: what the balance must be by them, where they have noted it.
 * @param ahead credits that the ledger has booked since, and that the books do not have yet
 */
export function toCompare(state: LedgerState, { said, bookedSinceNote }: Kept, now: number, ahead = 0): LedgerState {
  const { balance } = said ?? {};
  if (!balance || bookedSinceNote === undefined || state.patientUntil === undefined) return state;
  return {
    ...state,
    funds: { readings: [], expected: balance.value - bookedSinceNote - ahead },
    uncompared: { since: balance.at, until: Math.max(now, state.patientUntil) + state.timing.settlingMs },
  };
}

/** Without the comparison: a run of before makes none. */
export function withoutComparison({ uncompared, ...state }: LedgerState): LedgerState {
  if (!uncompared || isRead(state)) return state;
  const { funds: _, ...rest } = state;
  return rest;
}

/** When the balance is to be read for the comparison; a service that does not answer is asked again. */
export function nextComparison({ uncompared, patientUntil = 0 }: LedgerState, readAt: number, everyMs: number): number {
  if (!uncompared) return Number.POSITIVE_INFINITY;
  const next = readAt < patientUntil ? patientUntil : readAt + everyMs;
  return next < uncompared.until ? next : Number.POSITIVE_INFINITY;
}

/** Until when nothing is paid, since the ledger before this one was lost: at the latest, where the balance is still to be compared. */
export function patientUntil({ patientUntil = 0, uncompared }: LedgerState, now: number) {
  if (now < patientUntil) return { patientUntil };
  return uncompared && now < uncompared.until ? { patientUntil: uncompared.until, isComparing: true as const } : {};
}

/** Until when so many credits more are not granted to anybody, since the ledger before this one was lost; undefined: they are. */
export function patience(state: LedgerState, credits: number, now: number): number | undefined {
  const { patientUntil = Number.NEGATIVE_INFINITY, uncompared } = state;
  const isCompared = credits === 0 || !uncompared || now >= uncompared.until;
  if (now >= patientUntil && isCompared) return undefined;
  if (isCompared) return Math.max(now, patientUntil);
  const soon = patientUntil + READ_WITHIN_MS;
  // Where the balance cannot be read at once, a thousand runs may wait for it.
  return now < soon ? soon : Math.max(now + READ_WITHIN_MS, Math.min(uncompared.until, now + AGAIN_MS));
}

/**
 * Once the patience is over, the balance is compared with the books, by the first reading that comes. What may lag behind in it
 * only makes it higher, and what became of open sends nobody knows: so what is lower is surely not explained.
 * @param state with the reading
 * @param expected by the books, until that came
 */
function explained(state: LedgerState, expected: number, amount: number, askedAt: number, now: number): LedgerState {
  const { uncompared, patientUntil = 0 } = state;
  if (!uncompared || askedAt < patientUntil) return state;
  const { uncompared: _, ...rest } = state;
  const open = reservedCredits(state);
  const credits = expected - open - amount;
  if (credits <= 0) return rest;
  const { since } = uncompared;
  const most = open === 0 ? '' : `, or ${grouped(expected - open)} if all that is under way was paid`;
  const reason = `${grouped(amount)} credits were read, and ${grouped(expected)} are left by the books${most}`;
  const lower = { credits, since, read: amount, readAt: shownSince(state, askedAt) };
  // One that is there for another reason comes back once this one is released.
  return hold(release(rest, 'books'), { kind: 'books', since: now, reason, lower });
}

/** A person has seen that the balance is lower than the books explain: the books get it as it is, so that no later ledger asks again. */
export function acceptLower(state: LedgerState): LedgerState {
  const { lower } = state.holds.find((one) => one.lower) ?? {};
  return lower ? noted(state, lower.read, lower.readAt) : state;
}
