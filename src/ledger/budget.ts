/**
 * S3: which caps hold. Every live worker reports its configuration, and the strictest counts, so that a worker without
 * a cap, or with an old file, cannot lift another's. A person's limits count too: they may be stricter, never looser.
 * A worker that has not reported in time no longer counts; if none has, all that are still known do.
 */

import type { PayTiming } from '../paying/open-sends';
import { nextDay } from '../time/day';
import type { Budget, Configured, LedgerStart, LedgerState, PersonNote, SetByPeople } from './state';
import { todayOf } from './today';

/** Whose word a limit is. */
export type LimitSource =
  | { readonly kind: 'configured'; readonly worker: string }
  | { readonly kind: 'person'; readonly by: string; readonly at: number };

/** The limits that hold at a moment. */
export interface BudgetInForce extends Budget {
  /** Whose word each is; absent where there is no limit. */
  readonly from: { readonly perDay?: LimitSource; readonly balanceFloor?: LimitSource };
  /** Workers whose configuration counts, and whether they were heard of late. */
  readonly workers: number;
  readonly live: boolean;
}

/** A worker says every five minutes what it is configured with; this long after the last time it no longer counts. */
export const LAPSES_AFTER_MS = 600_000;
/** At most this many workers are kept apart; of more, those that lapse first are merged, with the strictest limits. */
const MOST_WORKERS = 40;
/** The name of those that are not told apart. */
const OTHERS = 'several others';

const live = ({ workers }: LedgerState, now: number) => workers.filter(({ until }) => until > now);

/** Those whose word counts. */
const counting = (state: LedgerState, now: number): readonly Configured[] => {
  const heard = live(state, now);
  return heard.length > 0 ? heard : state.workers;
};

interface BudgetLimits {
  perDay?: { value: number; from: LimitSource };
  floor?: { value: number; from: LimitSource };
}

/** The strictest that is configured: a lower cap of the day, a higher floor. */
function configuredLimits(state: LedgerState, now: number): BudgetLimits {
  const limits: BudgetLimits = {};
  for (const { worker, budget } of counting(state, now)) {
    const from = { kind: 'configured', worker } as const;
    const { perDay, balanceFloor } = budget;
    if (perDay !== null && perDay < (limits.perDay?.value ?? Number.POSITIVE_INFINITY))
      limits.perDay = { value: perDay, from };
    if (balanceFloor > (limits.floor?.value ?? 0)) limits.floor = { value: balanceFloor, from };
  }
  return limits;
}

/** What holds now, and whose word it is. */
export function budgetInForce(state: LedgerState, now: number): BudgetInForce {
  let { perDay, floor } = configuredLimits(state, now);
  const { perDay: mostSaid, balanceFloor: floorSaid } = state.set;
  if (mostSaid && mostSaid.value < (perDay?.value ?? Number.POSITIVE_INFINITY))
    perDay = { value: mostSaid.value, from: byPerson(mostSaid) };
  if (floorSaid && floorSaid.value > (floor?.value ?? 0)) floor = { value: floorSaid.value, from: byPerson(floorSaid) };
  return {
    perDay: perDay?.value ?? null,
    balanceFloor: floor?.value ?? 0,
    timeZone: state.timeZone,
    from: { ...(perDay && { perDay: perDay.from }), ...(floor && { balanceFloor: floor.from }) },
    workers: counting(state, now).length,
    live: live(state, now).length > 0,
  };
}

const byPerson = ({ by, at }: PersonNote<unknown>): LimitSource => ({ kind: 'person', by, at });

/** A worker says what it is configured with. */
export function configure(state: LedgerState, said: LedgerStart, now: number): LedgerState {
  const own = toConfigured(said, now);
  const others = live(state, now).filter(({ worker }) => worker !== own.worker);
  const workers = bounded([...others, own]);
  const { account } = said;
  const heard = { account, workers, timing: longest(workers), configuredAt: now, restingSince: undefined };
  return inZone({ ...state, ...heard }, own.budget.timeZone, now);
}

/** A worker ends: the others' word counts without its own; where there is none, what is known still does. */
export const leave = (state: LedgerState, worker: string, now: number): LedgerState => ({
  ...state,
  workers: state.workers.map((one) => (one.worker === worker ? { ...one, until: Math.min(one.until, now) } : one)),
});

export const toConfigured = (said: LedgerStart, now: number): Configured => {
  const { worker = 'unnamed', budget, timing, lapsesAfterMs = LAPSES_AFTER_MS } = said;
  return { worker, budget, timing, until: now + lapsesAfterMs };
};

/** What a person wants to set. */
export type BudgetWanted = { readonly [K in keyof Budget]?: Budget[K] | undefined };

/** Why a person may not set this, one sentence; undefined where it is allowed. */
export function budgetRefusal(state: LedgerState, wanted: BudgetWanted, now: number): string | undefined {
  const { perDay, floor } = configuredLimits(state, now);
  if (perDay && (wanted.perDay === null || (wanted.perDay ?? 0) > perDay.value))
    return `perDay was given ${wanted.perDay === null ? 'null (no limit)' : wanted.perDay}; allowed is at most ${perDay.value}, as configured (budget.perDay). A person may lower it; more is allowed as soon as the configuration of every worker says so.`;
  if (floor && wanted.balanceFloor !== undefined && wanted.balanceFloor < floor.value)
    return `balanceFloor was given ${wanted.balanceFloor}; allowed is at least ${floor.value}, as configured (budget.balanceFloor). A person may raise it; less is allowed as soon as the configuration of every worker says so.`;
  return undefined;
}

/** A person sets limits; if one is refused, none is set. A value that equals the configured one is not kept. */
export function setBudget(state: LedgerState, wanted: BudgetWanted, by: string, now: number): LedgerState {
  if (budgetRefusal(state, wanted, now) !== undefined) return state;
  const { perDay, floor } = configuredLimits(state, now);
  const kept: { -readonly [K in keyof SetByPeople]: SetByPeople[K] } = { ...state.set };
  const { perDay: most, balanceFloor, timeZone } = wanted;
  const said = { by, at: now };
  if (most !== undefined) delete kept.perDay;
  if (most !== undefined && most !== null && most !== perDay?.value) kept.perDay = { value: most, ...said };
  if (balanceFloor !== undefined) delete kept.balanceFloor;
  if (balanceFloor !== undefined && balanceFloor !== (floor?.value ?? 0))
    kept.balanceFloor = { value: balanceFloor, ...said };
  if (timeZone !== undefined) delete kept.timeZone;
  if (timeZone !== undefined && counting(state, now).some(({ budget }) => budget.timeZone !== timeZone))
    kept.timeZone = { value: timeZone, ...said };
  return inZone({ ...state, set: kept }, timeZone ?? state.timeZone, now);
}

/**
 * The time zone is what a person set, else that of the latest configuration. But no worker changes it while another
 * live one is configured with the present zone: two that differ would change it back and forth. A change does not start
 * a fresh day: the present day ends once it is over in both zones.
 */
function inZone(state: LedgerState, latest: string, now: number): LedgerState {
  const stays = live(state, now).some(({ budget }) => budget.timeZone === state.timeZone);
  const timeZone = state.set.timeZone?.value ?? (stays ? state.timeZone : latest);
  if (timeZone === state.timeZone) return state;
  const today = todayOf(state, now);
  return { ...state, timeZone, today: { ...today, until: Math.max(today.until, nextDay(now, timeZone)) } };
}

/** S1: an open send is over only by the longest times that any worker has. */
const longest = (workers: readonly Configured[]): PayTiming => ({
  sendWindowMs: Math.max(...workers.map(({ timing }) => timing.sendWindowMs)),
  paidTimeoutMs: Math.max(...workers.map(({ timing }) => timing.paidTimeoutMs)),
  settlingMs: Math.max(...workers.map(({ timing }) => timing.settlingMs)),
});

/** In the order in which they lapse. */
function bounded(all: readonly Configured[]): readonly Configured[] {
  const workers = [...all].sort((a, b) => a.until - b.until);
  if (workers.length <= MOST_WORKERS) return workers;
  const others = workers.find(({ worker }) => worker === OTHERS);
  const rest = workers.filter((one) => one !== others);
  const [first] = rest.splice(0, 1);
  return first ? bounded([both(first, others ?? first), ...rest]) : workers;
}

/** What both allow: a lower cap of the day, a higher floor. */
export function strictest(a: Limited, b: Limited): Limited {
  const perDay = a.perDay === null ? b.perDay : Math.min(a.perDay, b.perDay ?? a.perDay);
  return { perDay, balanceFloor: Math.max(a.balanceFloor, b.balanceFloor) };
}
type Limited = Omit<Budget, 'timeZone'>;

const both = (a: Configured, b: Configured): Configured => ({
  worker: OTHERS,
  budget: { ...strictest(a.budget, b.budget), timeZone: a.budget.timeZone },
  timing: longest([a, b]),
  until: Math.max(a.until, b.until),
});
