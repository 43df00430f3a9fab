/** The day whose credits are counted against the cap. It is kept apart from the sums by date: a change of the time zone must not begin it anew. */
import { dayOf, nextDay } from '../time/day';
import type { LedgerState, Today } from './state';

/** The day of this moment. */
export function todayOf({ today, days, timeZone }: LedgerState, now: number): Today {
  if (today && now < today.until) return today;
  // Books of an earlier version have only the sums by date.
  return { until: nextDay(now, timeZone), spent: today ? 0 : (days[dayOf(now, timeZone)] ?? 0) };
}

export const spentOn = (state: LedgerState, now: number): number => todayOf(state, now).spent;
