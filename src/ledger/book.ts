/** What stands in the books of a ledger: sums of days and runs, and the last bookings. */
import type { Booking } from '../paying/open-sends';
import { dayOf } from '../time/day';
import { bookOff } from './balance';
import type { LedgerState } from './state';
import { todayOf } from './today';

/** What a person corrects in the books is booked under this name. */
export const ADJUSTMENT = 'adjustment';
/** Days whose sums are kept. */
export const KEEP_DAYS = 40;
/** The cap of a run holds until so many others have paid since; a run takes some 150 bytes of what continues as new. */
export const KEEP_RUNS = 2_000;
export const KEEP_BOOKINGS = 300;

/** What people corrected, by day: it stands in no other books. */
export function adjustmentsOf({ bookings, timeZone }: Pick<LedgerState, 'bookings' | 'timeZone'>) {
  const corrections = bookings.filter(({ subject }) => subject === ADJUSTMENT);
  return corrections.reduce<Sums>((sums, { at, credits }) => plus(sums, dayOf(at, timeZone), credits), {});
}

type Sums = Readonly<Record<string, number>>;
const plus = (sums: Sums, day: string, credits: number): Record<string, number> => ({
  ...sums,
  [day]: (sums[day] ?? 0) + credits,
});
const lastDays = (sums: Record<string, number>) => latest(sums, KEEP_DAYS, ([day]) => day);

/** Of sums by day those from a day on. */
export const sumSince = (from: string, days: Sums): number =>
  Object.entries(days).reduce((sum, [day, credits]) => (day >= from ? sum + credits : sum), 0);

/** Books credits on their day and run. Also `adjust`: a person corrects the books. */
export function book(state: LedgerState, booking: Booking): LedgerState {
  const day = dayOf(booking.at, state.timeZone);
  const today = todayOf(state, booking.at);
  const sums = {
    ...state.runs,
    [booking.run]: { spent: (state.runs[booking.run]?.spent ?? 0) + booking.credits, lastAt: booking.at },
  };
  // What can be paid for is no longer in doubt.
  const { creditsTried: _, ...rest } = state;
  return {
    ...rest,
    days: lastDays(plus(state.days, day, booking.credits)),
    ...(booking.subject === ADJUSTMENT && { adjusted: lastDays(plus(state.adjusted ?? {}, day, booking.credits)) }),
    today: { ...today, spent: today.spent + booking.credits },
    runs: latest(sums, KEEP_RUNS, ([, run]) => run.lastAt),
    bookings: [...state.bookings, booking].filter(
      // Those that a reading of the balance may lack yet are all kept.
      ({ at }, i, { length }) => i >= length - KEEP_BOOKINGS || at > booking.at - 2 * state.timing.settlingMs,
    ),
    ...(state.funds && { funds: bookOff(state.funds, booking.credits, booking.at) }),
  };
}

/** The last `keep` entries, and up to a tenth more, so that not every booking sorts. */
function latest<T>(
  all: Record<string, T>,
  keep: number,
  rank: (entry: [string, T]) => string | number,
): Record<string, T> {
  const entries = Object.entries(all);
  if (entries.length <= 1.1 * keep) return all;
  return Object.fromEntries(entries.sort((a, b) => (rank(a) < rank(b) ? 1 : -1)).slice(0, keep));
}
