/** Credits by day and source. Pure. */
import type { DaySpending } from '../../report/spending';
import { dayOf, nextDay } from '../../time/day';

/** Days from the one of a moment to that of another, with the moments at which they begin; the first begins at `since`. */
export function daysBetween(
  since: number,
  until: number,
  timeZone: string,
): { day: string; from: number; to: number }[] {
  const days: { day: string; from: number; to: number }[] = [];
  for (let from = since; from < until; ) {
    const to = nextDay(from, timeZone);
    days.push({ day: dayOf(from, timeZone), from, to });
    from = to;
  }
  return days;
}

const LONGER_THAN_A_DAY_MS = 26 * 3_600_000;

/** When the day of a moment began. */
export function startOfDay(moment: number, timeZone: string): number {
  const day = dayOf(moment, timeZone);
  let start = nextDay(moment - LONGER_THAN_A_DAY_MS, timeZone);
  while (dayOf(start, timeZone) !== day) start = nextDay(start, timeZone);
  return start;
}

/** Sums by day and source, as they are told one by one. */
export class Spent {
  private readonly sums = new Map<string, Map<string, number>>();

  constructor(private readonly timeZone: string) {}

  add(source: string, at: number, credits: number): void {
    if (credits === 0) return;
    const day = dayOf(at, this.timeZone);
    const sources = this.sums.get(day) ?? new Map<string, number>();
    sources.set(source, (sources.get(source) ?? 0) + credits);
    this.sums.set(day, sources);
  }

  of(day: string): DaySpending['sources'] {
    return [...(this.sums.get(day) ?? [])]
      .map(([source, credits]) => ({ source, credits }))
      .sort((a, b) => b.credits - a.credits || (a.source < b.source ? -1 : 1));
  }
}

/**
 * What the books say of a day: nothing was spent where they hold nothing, but for days that they have dropped.
 * @param keeps how many days they hold at most
 */
export function bookedOn(days: Readonly<Record<string, number>>, day: string, keeps: number): number | null {
  const booked = days[day];
  if (booked !== undefined) return booked;
  const held = Object.keys(days).sort();
  return held.length >= keeps && day < (held[0] ?? '') ? null : 0;
}
