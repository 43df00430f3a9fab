/** S3, S8: what may be spent by the configuration of the process that pays, whatever the ledger or a message says. */

import { grouped } from '../text/numbers';
import { dayOf, monthOf, nextDay, nextMonth } from '../time/day';
import { utc } from '../time/utc';
import type { Standing } from './standing';

/** Credits; null is no ceiling. */
export interface Ceilings {
  readonly perRun: number | null;
  readonly perDay: number | null;
  readonly perMonth: number | null;
  /** What must remain of the balance. */
  readonly balanceFloor: number;
}

/** What the service said of the balance last. */
export interface BalanceReading {
  readonly amount: number;
  /** When it was asked, by the Temporal server's clock. */
  readonly askedAt: number;
  /** How long the balance may lag behind what was paid, milliseconds. */
  readonly lagMs: number;
}

export interface OverCeiling {
  readonly kind: 'capped';
  readonly cap: 'run' | 'day' | 'month' | 'floor';
  /** What the next call would cost. */
  readonly credits: number;
  /** When it ends by itself; absent where one call costs more than the whole of it. */
  readonly until?: number;
}

/** What is about to be spent. */
export interface Wanted {
  readonly credits: number;
  /** Absent where only the account's ceilings count. */
  readonly subject?: string;
  readonly run?: string;
}

/** The ceiling that stands in the way of so many credits more, if any. @param reading absent: the floor is not looked at */
export function overCeiling(
  standing: Standing,
  { perRun, perDay, perMonth, balanceFloor }: Ceilings,
  { subject, run, credits }: Wanted,
  now: number,
  reading?: BalanceReading,
): OverCeiling | undefined {
  if (credits <= 0) return undefined;
  const capped = { kind: 'capped', credits } as const;
  if (run !== undefined && perRun !== null && standing.spentBy(run, now, subject) + credits > perRun)
    return { ...capped, cap: 'run' };
  const { timeZone } = standing;
  if (perMonth !== null && standing.spentIn(monthOf(now, timeZone), now, subject) + credits > perMonth)
    return { ...capped, cap: 'month', ...(credits <= perMonth && { until: nextMonth(now, timeZone) }) };
  if (perDay !== null && standing.spentIn(dayOf(now, timeZone), now, subject) + credits > perDay)
    return { ...capped, cap: 'day', ...(credits <= perDay && { until: nextDay(now, timeZone) }) };
  if (balanceFloor > 0 && reading && surelyLeft(standing, reading, subject) - credits < balanceFloor)
    return { ...capped, cap: 'floor' };
  return undefined;
}

/** What others and we have left of the balance, if all that is under way is paid and the reading shows nothing of late. */
function surelyLeft(standing: Standing, { amount, askedAt, lagMs }: BalanceReading, subject: string | undefined) {
  const shown = askedAt - lagMs;
  return amount - standing.bookedSince(shown) - standing.maybePaidSince(shown, subject);
}

const SETTINGS = { run: 'budget.perRun', day: 'budget.perDay', month: 'budget.perMonth' } as const;

/** S7: what stands in the way and what ends it; one sentence without a full stop. */
export function describeCeiling({ cap, credits, until }: OverCeiling): string {
  const next = `by the books in the storage, the next call, of ${grouped(credits)} credits,`;
  if (cap === 'floor')
    return `${next} would leave less of the balance than must remain (budget.balanceFloor). It goes on when the balance leaves enough, or when the configuration allows more`;
  return `${next} would go beyond the ceiling of the ${cap} (${SETTINGS[cap]}). It goes on ${
    until === undefined ? '' : `at ${utc(until)} UTC, or `
  }when the configuration allows more`;
}
