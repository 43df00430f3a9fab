/** S3: what may still be spent. Every cap counts what is spent and what open sends may yet spend. */

import { nextMonth } from '../time/day';
import { leastFunds } from './balance';
import { budgetInForce } from './budget';
import type { LedgerState } from './state';
import { spentInMonth, todayOf } from './today';

export interface Capped {
  kind: 'capped';
  cap: 'run' | 'day' | 'month' | 'floor';
  /** What would have been reserved: more than is configured where calls cost more lately. */
  credits: number;
  /** When it ends by itself; absent where one call costs more than the whole of it. */
  until?: number;
  /** Of the floor: the balance was not read yet, or the service's answer cannot be read. */
  balance?: 'unread' | 'unreadable';
}

/** What is about to be spent. */
export interface Spending {
  readonly subject: string;
  readonly run: string;
  readonly credits: number;
  /** Most credits that `run` may spend. */
  readonly runCap: number;
}

/** The cap that stands in the way, if any. An open send for the same subject is the one that this spending replaces. */
export function overCap(state: LedgerState, { subject, run, credits, runCap }: Spending, now: number) {
  if (credits === 0) return undefined;
  const ofRun = sum(othersOpen(state, subject).filter((flight) => flight.run === run));
  const perRun = budgetInForce(state, now).perRun ?? runCap;
  if ((state.runs[run]?.spent ?? 0) + ofRun + credits > Math.min(runCap, perRun))
    return { kind: 'capped', cap: 'run', credits } satisfies Capped;
  return overAccountCap(state, credits, reservedCredits(state, subject), now);
}

/** The account's own cap that stands in the way of so many credits more, if any. */
export function overAccountCap(state: LedgerState, credits: number, reserved: number, now: number): Capped | undefined {
  const { perDay, perMonth, balanceFloor } = budgetInForce(state, now);
  if (perMonth !== null && spentInMonth(state, now) + reserved + credits > perMonth)
    return {
      kind: 'capped',
      cap: 'month',
      credits,
      ...(credits <= perMonth && { until: nextMonth(now, state.timeZone) }),
    };
  const { spent, until } = todayOf(state, now);
  if (perDay !== null && spent + reserved + credits > perDay)
    return { kind: 'capped', cap: 'day', credits, ...(credits <= perDay && { until }) };
  if (balanceFloor === 0) return undefined;
  const left = available(state);
  const floor = { kind: 'capped', cap: 'floor', credits } as const;
  if (state.unreadable) return { ...floor, balance: 'unreadable' };
  if (left === undefined) return { ...floor, balance: 'unread' };
  return left - credits < balanceFloor ? floor : undefined;
}

/** What would surely be left if every open send succeeded; undefined until the balance was read. */
export function available(state: LedgerState): number | undefined {
  const least = leastFunds(state);
  return least === undefined ? undefined : least - reservedCredits(state);
}

/** @param but a subject whose open send is about to be replaced */
export const reservedCredits = (state: Pick<LedgerState, 'flights'>, but?: string): number =>
  sum(othersOpen(state, but));

const othersOpen = ({ flights }: Pick<LedgerState, 'flights'>, but: string | undefined) =>
  Object.entries(flights.open).flatMap(([subject, flight]) => (subject === but ? [] : flight));

const sum = (flights: readonly { readonly credits: number }[]) =>
  flights.reduce((all, { credits }) => all + credits, 0);
