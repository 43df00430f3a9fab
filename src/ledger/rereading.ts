/**
 * S8: the books in the storage outlive Temporal: a ledger that was lost, or whose server went back to a backup, knows less of
 * what was paid than they do, and takes it from them.
 */
import type { Booking, OpenSend, Settled } from '../paying/open-sends';
import { DAY_MS, dayOf } from '../time/day';
import { bookOff } from './balance';
import { KEEP_DAYS, sumSince } from './book';
import { toCompare } from './explaining';
import { hasLater, momentsOf, saidOf, takeOver, WORDS } from './said';
import type { Kept, LedgerStart, LedgerState } from './state';
import { todayOf } from './today';

/** What is settled may reach the ledger so long before the books, milliseconds: then the ledger's word counts. */
const AHEAD_MS = 60_000;

/** What a worker found in the storage. */
export interface Reread {
  /** Absent where nothing was ever paid. */
  readonly books?: Kept;
  /** Why they cannot be read. */
  readonly unread?: string;
}

/**
 * Whether a worker's books have more than the ledger. They may have less: what became of a call is missing where the worker
 * that knew it died. What people corrected stands in the ledger alone.
 */
export function isBehind(state: LedgerState, { booked, budget }: LedgerStart): boolean {
  const { days, adjusted = {}, timeZone } = state;
  if (booked === undefined) return false;
  if (hasLater(booked.said ?? {}, momentsOf(saidOf(state)), WORDS)) return true;
  if ((booked.timeZone ?? budget.timeZone) !== timeZone) return false;
  const from = beginsAlike(state, booked.from) ? booked.from : shifted(booked.from, -STRAYING_DAYS);
  return sumSince(from, days) - sumSince(from, adjusted) < booked.credits;
}

/** Whether the ledger's days have begun as they do now since this one: those of before a change of the time zone stay as they were. */
const beginsAlike = ({ timeZone, zonedAt }: LedgerState, since: string): boolean =>
  zonedAt === undefined || dayOf(zonedAt, timeZone) < since;

/** When the books were asked for, and what was open by then: what the ledger has learnt since may not stand in them yet. */
export interface Asked {
  readonly at: number;
  readonly open: LedgerState['flights']['open'];
}

/** The ledger takes over what the books have more. */
export function reread(state: LedgerState, found: Reread, asked: Asked, now: number): LedgerState {
  const { unread, ...known } = state;
  if (found.unread !== undefined)
    return unread === undefined ? state : { ...state, unread: { ...unread, why: found.unread, triedAt: now } };
  if (unread === undefined) return found.books ? restored(known, found.books, asked, now) : known;
  // What it has read of the balance is less what it takes over now.
  const { funds: _, ...fresh } = known;
  if (found.books && (unread.isLost || !isEmpty(found.books))) {
    const taken = restored(fresh, found.books, asked, now);
    return unread.isBlank ? toCompare(taken, found.books, now, sumOf(unwritten(fresh, found.books, asked.at))) : taken;
  }
  if (unread.isLost) return known;
  // A first ledger after all.
  const { patientUntil: __, ...first } = known;
  const flights = { ...first.flights, forgottenBefore: Math.min(first.flights.forgottenBefore, now) };
  return takeOver({ ...first, flights }, found.books?.said, now);
}

/** Nothing was ever paid by them: they were begun by what somebody said. */
const isEmpty = ({ days, bookings, flights }: Kept): boolean =>
  [days, bookings, flights.open, flights.settled].every((all) => Object.keys(all).length === 0);

/** The state with the sums, bookings and sends of the books, where these have more. */
export function restored(state: LedgerState, books: Kept, asked: Asked, now: number): LedgerState {
  const { timeZone } = state;
  const ahead = unwritten(state, books, asked.at);
  const gained = gainOf(state, books, ahead);
  const days = Object.fromEntries([...gained].map(([day, credits]) => [day, (state.days[day] ?? 0) + credits]));
  const runs = Object.entries(books.runs).map(([run, credits]) => {
    const { spent = 0, lastAt = now } = state.runs[run] ?? {};
    return [run, { spent: Math.max(spent, credits + sumOf(ahead.filter((one) => one.run === run))), lastAt }] as const;
  });
  const today = todayOf(state, now);
  const known = new Set(books.bookings.map(({ subject }) => subject));
  const others = state.bookings.filter(({ subject }) => !known.has(subject));
  const all = [...gained.values()].reduce((sum, credits) => sum + credits, 0);
  const paid: LedgerState = {
    ...state,
    days: { ...state.days, ...days },
    today: { ...today, spent: today.spent + (gained.get(dayOf(now, timeZone)) ?? 0) },
    runs: { ...state.runs, ...Object.fromEntries(runs) },
    bookings: [...books.bookings, ...others].sort((one, other) => one.at - other.at),
    flights: sendsOf(state, books, asked),
    // What a reading of the balance may have put down to others was ours.
    ...(state.funds && { funds: bookOff(state.funds, all, now) }),
  };
  return takeOver(paid, books.said, now);
}

const sumOf = (some: readonly Booking[]): number => some.reduce((sum, { credits }) => sum + credits, 0);

/**
 * What the books have more, by day. Both may have a payment on days next to each other, by a midnight or a time zone: so it is
 * no more than they have more in all, of the days that both still know. Rather too little: the books themselves keep the ceilings.
 */
function gainOf(state: LedgerState, books: Kept, ahead: readonly Booking[]): Map<string, number> {
  const { days, adjusted = {}, timeZone } = state;
  const aheadOn = (day: string) => sumOf(ahead.filter(({ at }) => dayOf(at, timeZone) === day));
  const known = (day: string) => (days[day] ?? 0) - (adjusted[day] ?? 0) - aheadOn(day);
  const more = (day: string) => (books.days[day] ?? 0) - known(day);
  const first = firstKnown(days, books.days);
  const before = shifted(first, -STRAYING_DAYS);
  const all = [...new Set([...Object.keys(books.days), ...Object.keys(days)])].sort();
  const both = all.filter((day) => day >= first);
  // What the ledger has just before these days may be on them in the books; by the same time zone only what is more on the first.
  const edge = all.filter((day) => day >= before && day < first).reduce((sum, day) => sum + known(day), 0);
  const isAlike = books.timeZone === timeZone && beginsAlike(state, before);
  const strayed = Math.max(0, isAlike ? Math.min(edge, more(both[0] ?? first)) : edge);
  let left = both.reduce((sum, day) => sum + more(day), 0) - strayed;
  const gained = new Map<string, number>();
  for (const day of both.reverse()) {
    const credits = Math.max(0, Math.min(left, more(day)));
    if (credits > 0) gained.set(day, credits);
    left -= credits;
  }
  return gained;
}

/** A payment may be so many days apart by two time zones, or by a worker that could not write it down at once. */
const STRAYING_DAYS = 2;

/** The first day that is whole in both, which keep the last ones alone; of the books what strays before it is looked for in the ledger. */
function firstKnown(own: LedgerState['days'], theirs: Kept['days']): string {
  const oldestOf = (days: object) => Object.keys(days).sort()[0] ?? '';
  const isTrimmed = Object.keys(own).length >= KEEP_DAYS;
  const ownFirst = isTrimmed ? shifted(oldestOf(own), STRAYING_DAYS) : '';
  const booksFirst = oldestOf(theirs);
  return ownFirst > booksFirst ? ownFirst : booksFirst;
}

/** So many days later; what is no day stays as it is. */
function shifted(day: string, days: number): string {
  const moved = new Date(Date.parse(day) + days * DAY_MS);
  return Number.isNaN(moved.getTime()) ? day : moved.toISOString().slice(0, 10);
}

/** What the ledger has settled of late and the books do not have, as bookings. */
function unwritten({ flights }: LedgerState, books: Kept, askedAt: number): Booking[] {
  return flights.settled.flatMap(({ subject, run, credits, at }) => {
    const known = creditsOf(books, subject);
    return at < askedAt - AHEAD_MS || credits <= known ? [] : { subject, run, credits: credits - known, at };
  });
}

const creditsOf = ({ flights, bookings }: Kept, of: string): number =>
  flights.settled.find(({ subject }) => subject === of)?.credits ??
  bookings.reduce((sum, { subject, credits }) => (subject === of ? sum + credits : sum), 0);

function sendsOf({ flights, bookings }: LedgerState, books: Kept, asked: Asked): LedgerState['flights'] {
  const own = bySubject(flights.settled);
  const theirs = bySubject(books.flights.settled);
  const paid = [...bookings, ...books.bookings].filter(({ credits }) => credits > 0);
  const isOver = (subject: string, { attempt, grantedAt }: OpenSend) =>
    [own.get(subject), theirs.get(subject)].some((end) => end?.attempt === attempt) ||
    paid.some((booking) => booking.subject === subject && booking.at >= grantedAt);
  // One that the ledger has settled while the books were read leaves no trace where nothing was paid.
  const isGone = (subject: string, { attempt, grantedAt }: OpenSend) =>
    grantedAt >= asked.at || asked.open[subject]?.attempt === attempt;
  const taken = Object.entries(books.flights.open).filter(([subject, send]) => !isGone(subject, send));
  const open = Object.entries({ ...Object.fromEntries(taken), ...flights.open }).filter(
    ([subject, send]) => !isOver(subject, send),
  );
  const settled = new Map([...own, ...theirs]);
  for (const [subject, mine] of own) {
    const other = theirs.get(subject);
    // A later word counts, but one without credits only says what it became.
    if (other && mine.at > other.at)
      settled.set(subject, mine.credits >= other.credits ? mine : { ...other, ...(mine.ref && { ref: mine.ref }) });
  }
  return {
    open: Object.fromEntries(open),
    settled: [...settled.values()].sort((one, other) => one.at - other.at),
    forgottenBefore: Math.max(flights.forgottenBefore, books.flights.forgottenBefore),
  };
}

const bySubject = (settled: readonly Settled[]) => new Map(settled.map((one) => [one.subject, one]));
