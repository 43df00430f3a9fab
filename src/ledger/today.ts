/** The day whose credits are counted against the cap. It is kept apart from the sums by date: a change of the time zone must not begin it anew. */
import { dayOf, monthOf, nextDay } from '../time/day';
import type { LedgerState, Today } from './state';

/** The day of this moment. */
export function todayOf({ today, days, timeZone }: LedgerState, now: number): Today {
  if (today && now < today.until) return today;
  // Books of an earlier version have only the sums by date.
  return { until: nextDay(now, timeZone), spent: today ? 0 : (days[dayOf(now, timeZone)] ?? 0) };
}

export const spentOn = (state: LedgerState, now: number): number => todayOf(state, now).spent;

/** Credits booked in the calendar month of this moment. */
export function spentInMonth({ days, timeZone }: LedgerState, now: number): number {
  const month = monthOf(now, timeZone);
  return Object.entries(days).reduce((sum, [day, spent]) => (day.startsWith(month) ? sum + spent : sum), 0);
}
