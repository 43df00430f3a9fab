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
}

export interface OverCeiling {
  readonly kind: 'capped';
  readonly cap: 'run' | 'day' | 'month';
  readonly credits: number;
  /** When it ends by itself. */
  readonly until?: number;
}

/** The ceiling that stands in the way of so many credits more, if any. @param run where only the account's count: none */
export function overCeiling(
  standing: Standing,
  { perRun, perDay, perMonth }: Ceilings,
  { subject, run, credits }: { readonly subject?: string; readonly run?: string; readonly credits: number },
  now: number,
): OverCeiling | undefined {
  if (credits <= 0) return undefined;
  if (run !== undefined && perRun !== null && standing.spentBy(run, subject) + credits > perRun)
    return { kind: 'capped', cap: 'run', credits };
  const day = dayOf(now, standing.timeZone);
  const month = monthOf(now, standing.timeZone);
  if (perMonth !== null && standing.spentIn(month, subject) + credits > perMonth)
    return { kind: 'capped', cap: 'month', credits, until: nextMonth(now, standing.timeZone) };
  if (perDay !== null && standing.spentIn(day, subject) + credits > perDay)
    return { kind: 'capped', cap: 'day', credits, until: nextDay(now, standing.timeZone) };
  return undefined;
}

const SETTINGS = { run: 'budget.perRun', day: 'budget.perDay', month: 'budget.perMonth' } as const;

/** S7: what stands in the way and what ends it; one sentence without a full stop. */
export const describeCeiling = ({ cap, credits, until }: OverCeiling): string =>
  `by the books in the storage, ${grouped(credits)} credits more would go beyond the ceiling of the ${cap} (${SETTINGS[cap]}). It goes on ${
    until === undefined ? '' : `at ${utc(until)} UTC, or `
  }when the configuration allows more`;
