/**
 * S8: books in the storage that have less than the ledger have lost entries: the storage went back to a backup, or entries were
 * given up. It cannot be told which, and what else went with them, so nothing is paid until a person has seen it.
 */
import { grouped } from '../text/numbers';
import { ADJUSTMENT, sumSince } from './book';
import { reservedCredits } from './caps';
import { acceptLower } from './explaining';
import { hold, release } from './holds';
import { withAction } from './said';
import type { LedgerStart, LedgerState } from './state';

/** Longer than workers look back: until then a day may begin elsewhere in the books than in the ledger. */
const REKEYED_MS = 32 * 86_400_000;

/** A report may be on its way for so long, milliseconds. */
const LATE_MS = 90_000;

/** So long after workers that keep no books what they had sent may still be settled, milliseconds. */
const UNKEPT_MS = 600_000;

/** After this nobody may be able to look up a call of theirs; what a look finds then is booked in the books, too. Milliseconds. */
const LOOKED_UP_WITHIN_MS = 3_600_000;

/** What workers of 0.2 pay stands in no books. They know no cap for each run, which all others tell. */
export function noteUnkept(state: LedgerState): LedgerState {
  const older = state.workers.filter(({ budget }) => budget.perRun === undefined);
  if (older.length === 0) return state;
  return { ...state, unkeptUntil: Math.max(state.unkeptUntil ?? 0, ...older.map(({ until }) => until)) };
}

/**
 * The ledger, once a worker has told in which storage its books are: on hold where that is another than before, and nobody has
 * the one of before any more. One that is empty, since it was not mounted for example, would have new books begin.
 */
export function placed(state: LedgerState, { books }: LedgerStart, now: number): LedgerState {
  if (books === undefined) return state;
  const { place } = state;
  if (place === undefined) return { ...state, place: books };
  const isMoved = state.holds.some((one) => one.kind === 'books' && one.place !== undefined);
  if (place === books) return isMoved ? release(state, 'books') : state;
  // Where both are in use, nothing is paid for that.
  if (state.workers.some((one) => one.books === place && one.until > now)) return state;
  const reason = `they are in storage ${books}, and were in storage ${place} before`;
  return hold(state, { kind: 'books', since: now, reason, place: books });
}

/**
 * The ledger, once a worker has told what its books come to: on hold where they lack more than people know of. What was booked
 * lately may be missing in them. So may what became of a call whose worker died, but that is still reserved in them.
 */
export function compared(state: LedgerState, { booked, budget }: LedgerStart, now: number): LedgerState {
  if (booked?.since === undefined || (booked.timeZone ?? budget.timeZone) !== state.timeZone) return state;
  if (now < (state.zonedAt ?? Number.NEGATIVE_INFINITY) + REKEYED_MS) return state;
  const { since, reserved = 0 } = booked;
  // What was written before midnight and booked after it differs in the sum since that day, and in no other.
  const missingOf = (until: number) =>
    Math.min(...Object.entries(since).map(([from, credits]) => bookedFrom(state, from, until) - credits));
  const [early, most] = [missingOf(now - LATE_MS), missingOf(now)];
  const least = early - reserved;
  const { acceptedLack = 0, unkeptUntil, ...kept } = state;
  const held = state.holds.find(({ kind }) => kind === 'books');
  // What a person has not seen yet was missing before such workers came.
  if (unkeptUntil !== undefined && held?.lacks === undefined) {
    const { open, settled } = state.flights;
    const isUnsettled =
      Object.values(open).some(
        ({ grantedAt, overAt }) => grantedAt <= unkeptUntil && now <= overAt + LOOKED_UP_WITHIN_MS,
      ) ||
      // What a look has found just now is not told from what is late in the books; the next report knows.
      settled.some(({ byLook, credits, at }) => byLook && credits > 0 && at > now - LATE_MS);
    if (isUnsettled || now <= unkeptUntil + UNKEPT_MS) return least > acceptedLack ? excused(state, most, now) : state;
    // What is reserved in the books may hide what they lack, and is settled later.
    const known = { ...kept, acceptedLack };
    return early > acceptedLack ? excused(known, early, now) : known;
  }
  if (held?.place !== undefined || held?.lower) return state;
  if (least > acceptedLack) {
    if (held?.lacks === most) return state;
    const reason = `${grouped(least)} of the credits booked since ${booked.from} are missing in them`;
    return hold(release(state, 'books'), { kind: 'books', since: held?.since ?? now, reason, lacks: most });
  }
  if (held && most - reserved > acceptedLack) return state;
  const free = held ? release(state, 'books') : state;
  // What is under way may be in the books already, and not yet in the ledger.
  const known = Math.max(0, most + reservedCredits(state));
  return known < acceptedLack ? { ...free, acceptedLack: known } : free;
}

const excused = (state: LedgerState, lacks: number, now: number): LedgerState =>
  withAction(
    { ...state, acceptedLack: lacks },
    {
      ...{ at: now, by: 'audit-runner', isOwn: true },
      what: `accepted that the books in the storage lack ${grouped(lacks)} credits`,
      reason: 'workers of version 0.2, which keep no books, worked beside others',
    },
  );

/** Credits booked from a day on up to a moment, but for what people corrected. */
function bookedFrom({ days, adjusted = {}, bookings }: LedgerState, from: string, until: number): number {
  const late = bookings.filter(({ at, subject }) => at > until && subject !== ADJUSTMENT);
  return sumSince(from, days) - sumSince(from, adjusted) - late.reduce((sum, { credits }) => sum + credits, 0);
}

/** A person has seen what the books lack, that they are elsewhere, or do not explain the balance. */
function acceptBooks(state: LedgerState): LedgerState {
  const { lacks, place } = state.holds.find(({ kind }) => kind === 'books') ?? {};
  return {
    ...acceptLower(state),
    ...(lacks !== undefined && { acceptedLack: lacks }),
    ...(place !== undefined && { place }),
  };
}

/**
 * A person lets everything go on; what a 429 has parked only when that is said too (S5). What calls cost lately is forgotten:
 * a price by mistake, above every cap, would let no call through that could correct it.
 */
export const releaseAll = (state: LedgerState, parks: boolean, now: number): LedgerState => ({
  ...acceptBooks(state),
  holds: [],
  prices: {},
  ...(parks && { parked: {}, parksEndedAt: now }),
});
