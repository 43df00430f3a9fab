/**
 * S3: which caps hold. Every live worker reports its configuration, and the strictest counts, so that a worker without
 * a cap, or with an old file, cannot lift another's. A person's limits count too: they may be stricter, never looser.
 * A worker that has not reported in time no longer counts; if none has, all that are still known do.
 */

import type { PayTiming } from '../paying/open-sends';
import { nextDay } from '../time/day';
import type {
  Budget,
  Configured,
  LedgerStart,
  LedgerState,
  Moments,
  PersonNote,
  SetByPeople,
  SettableBudget,
} from './state';
import { todayOf } from './today';

/** Whose word a limit is. */
export type LimitSource =
  | { readonly kind: 'configured'; readonly worker: string }
  | { readonly kind: 'person'; readonly by: string; readonly at: number };

/** Most credits of a run, a day, a month. */
export const CAPS = ['perRun', 'perDay', 'perMonth'] as const;
type Cap = (typeof CAPS)[number];

/** The limits that hold at a moment. */
export interface BudgetInForce extends Required<Budget> {
  /** Whose word each is; absent where there is no limit. */
  readonly from: { readonly [K in Cap | 'balanceFloor']?: LimitSource };
  /** Whether a configuration names a ceiling, which a stricter word of a person's may hide. @default as `from` shows it */
  readonly isCeilingConfigured?: boolean;
  /** Workers whose configuration counts, and whether they were heard of late. */
  readonly workers: number;
  readonly live: boolean;
}

/** A worker says every five minutes what it is configured with; this long after the last time it no longer counts. */
export const LAPSES_AFTER_MS = 600_000;
/** At most this many workers are kept apart; of more, those that lapse first are merged, with the strictest limits. */
const MOST_WORKERS = 40;
/** And so many storages of those that are merged: each lapses with its own workers. */
const MOST_PLACES = 4;
/** The name of those that are not told apart. */
const OTHERS = 'several others';

const live = ({ workers }: LedgerState, now: number) => workers.filter(({ until }) => until > now);

/** Those whose word counts. */
const counting = (state: LedgerState, now: number): readonly Configured[] => {
  const heard = live(state, now);
  return heard.length > 0 ? heard : state.workers;
};

interface Limit {
  readonly value: number;
  readonly from: LimitSource;
}
type BudgetLimits = { [K in Cap | 'balanceFloor']?: Limit };

/** The strictest that is configured: lower caps, a higher floor. */
function configuredLimits(state: LedgerState, now: number): BudgetLimits {
  const limits: BudgetLimits = {};
  for (const { worker, budget } of counting(state, now)) {
    const from = { kind: 'configured', worker } as const;
    const { balanceFloor } = budget;
    for (const cap of CAPS) {
      const value = budget[cap] ?? null;
      if (value !== null && value < (limits[cap]?.value ?? Number.POSITIVE_INFINITY)) limits[cap] = { value, from };
    }
    if (balanceFloor > (limits.balanceFloor?.value ?? 0)) limits.balanceFloor = { value: balanceFloor, from };
  }
  return limits;
}

/** What holds now, and whose word it is. */
export function budgetInForce(state: LedgerState, now: number): BudgetInForce {
  const limits = configuredLimits(state, now);
  const isCeilingConfigured = Object.keys(limits).length > 0;
  const { perDay: mostSaid, balanceFloor: floorSaid } = state.set;
  if (mostSaid && mostSaid.value < (limits.perDay?.value ?? Number.POSITIVE_INFINITY))
    limits.perDay = { value: mostSaid.value, from: byPerson(mostSaid) };
  if (floorSaid && floorSaid.value > (limits.balanceFloor?.value ?? 0))
    limits.balanceFloor = { value: floorSaid.value, from: byPerson(floorSaid) };
  return {
    perRun: limits.perRun?.value ?? null,
    perDay: limits.perDay?.value ?? null,
    perMonth: limits.perMonth?.value ?? null,
    balanceFloor: limits.balanceFloor?.value ?? 0,
    timeZone: state.timeZone,
    from: Object.fromEntries(Object.entries(limits).map(([limit, { from }]) => [limit, from])),
    isCeilingConfigured,
    workers: counting(state, now).length,
    live: live(state, now).length > 0,
  };
}

/** Whether a configuration names no ceiling at all: then all that is on the balance can be spent. */
export const isUnlimited = ({
  perRun = null,
  perDay,
  perMonth = null,
  balanceFloor,
}: Omit<Budget, 'timeZone'>): boolean => perRun === null && perDay === null && perMonth === null && balanceFloor === 0;

/** The same of what is in force: what a person has set, people can take back. */
export const hasCeiling = ({
  from,
  isCeilingConfigured,
}: Pick<BudgetInForce, 'from' | 'isCeilingConfigured'>): boolean =>
  isCeilingConfigured ?? Object.values(from).some((source) => source?.kind === 'configured');

const byPerson = ({ by, at }: PersonNote<unknown>): LimitSource => ({ kind: 'person', by, at });

/** A worker says what it is configured with. */
export function configure(state: LedgerState, said: LedgerStart, now: number): LedgerState {
  const own = toConfigured(said, now);
  const others = live(state, now).filter(({ worker }) => worker !== own.worker);
  const workers = bounded([...others, own]);
  const { account } = said;
  const heard = {
    ...{ account, workers, timing: longest(workers), configuredAt: now, restingSince: undefined },
    // The storage may have been restored or replaced.
    ...(said.booked?.said && { keptSaid: noLater(said.booked.said, now) }),
  };
  return inZone({ ...state, ...heard }, own.budget.timeZone, now);
}

/** Nothing was said later than now, whatever a message says. */
const noLater = (moments: Moments, now: number): Moments =>
  Object.fromEntries(Object.entries(moments).map(([field, at]) => [field, Math.min(at, now)]));

/** A worker ends: the others' word counts without its own; where there is none, what is known still does. */
export const leave = (state: LedgerState, worker: string, now: number): LedgerState => ({
  ...state,
  workers: state.workers.map((one) => (one.worker === worker ? { ...one, until: Math.min(one.until, now) } : one)),
});

export const toConfigured = (said: LedgerStart, now: number): Configured => {
  const { worker = 'unnamed', budget, timing, books, lapsesAfterMs = LAPSES_AFTER_MS } = said;
  return { worker, budget, timing, ...(books !== undefined && { books }), until: now + lapsesAfterMs };
};

/** S8: what is paid must be written where all see it. @returns why nothing is paid, if so */
export const booksTrouble = (state: LedgerState, now: number): string | undefined =>
  booksApart(state, now) ??
  (state.unread &&
    `the ledger is new, and the books in the storage, which know what was paid before, cannot be read (${state.unread.why}), so nothing is paid. They are tried again every minute or so; it goes on when they can be read`);

/** Workers whose books are in different storages do not see each other's payments. */
export function booksApart(state: LedgerState, now: number): string | undefined {
  const keepers = new Map<string, string>();
  for (const { worker, books } of live(state, now))
    if (books !== undefined && !keepers.has(books)) keepers.set(books, worker);
  if (keepers.size < 2) return undefined;
  return `the workers keep their books in different storages and would not see each other's payments (${[...keepers.values()].join(', ')}), so nothing is paid. Give all of them the same storage (\`storageUrl\`, \`STORAGE_URL\`) and restart them; it goes on when those that differ have ended`;
}

/** The live workers that keep the books in another storage than this one. */
export const keptElsewhere = (state: LedgerState, place: string, now: number): { worker: string; books: string }[] =>
  live(state, now).flatMap(({ worker, books }) => (books === undefined || books === place ? [] : { worker, books }));

/** What a person wants to set. */
export type BudgetWanted = { readonly [K in keyof SettableBudget]?: SettableBudget[K] | undefined };

/** Why a person may not set this, one sentence; undefined where it is allowed. */
export function budgetRefusal(state: LedgerState, wanted: BudgetWanted, now: number): string | undefined {
  const { perDay, balanceFloor: floor } = configuredLimits(state, now);
  if (perDay && (wanted.perDay === null || (wanted.perDay ?? 0) > perDay.value))
    return `perDay was given ${wanted.perDay === null ? 'null (no limit)' : wanted.perDay}; allowed is at most ${perDay.value}, as configured (budget.perDay). A person may lower it; more is allowed as soon as the configuration of every worker says so.`;
  if (floor && wanted.balanceFloor !== undefined && wanted.balanceFloor < floor.value)
    return `balanceFloor was given ${wanted.balanceFloor}; allowed is at least ${floor.value}, as configured (budget.balanceFloor). A person may raise it; less is allowed as soon as the configuration of every worker says so.`;
  return undefined;
}

/** Whether a person would let more be spent than before. Another time zone may begin another day. */
export function allowsMore(state: LedgerState, wanted: BudgetWanted, now: number): boolean {
  const { perDay, balanceFloor, timeZone } = budgetInForce(state, now);
  const most = perDay ?? Number.POSITIVE_INFINITY;
  return (
    (wanted.perDay !== undefined && (wanted.perDay ?? Number.POSITIVE_INFINITY) > most) ||
    (wanted.balanceFloor ?? balanceFloor) < balanceFloor ||
    (wanted.timeZone ?? timeZone) !== timeZone
  );
}

/** A person sets limits; if one is refused, none is set. A value that equals the configured one is not kept. */
export function setBudget(state: LedgerState, wanted: BudgetWanted, by: string, now: number): LedgerState {
  if (budgetRefusal(state, wanted, now) !== undefined) return state;
  const { perDay, balanceFloor: floor } = configuredLimits(state, now);
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
export function inZone(state: LedgerState, latest: string, now: number): LedgerState {
  const stays = live(state, now).some(({ budget }) => budget.timeZone === state.timeZone);
  const timeZone = state.set.timeZone?.value ?? (stays ? state.timeZone : latest);
  if (timeZone === state.timeZone) return state;
  const today = todayOf(state, now);
  return {
    ...state,
    timeZone,
    zonedAt: now,
    today: { ...today, until: Math.max(today.until, nextDay(now, timeZone)) },
  };
}

/** S1: an open send is over only by the longest times that any worker has. */
const longest = (workers: readonly Configured[]): PayTiming => ({
  sendWindowMs: Math.max(...workers.map(({ timing }) => timing.sendWindowMs)),
  paidTimeoutMs: Math.max(...workers.map(({ timing }) => timing.paidTimeoutMs)),
  settlingMs: Math.max(...workers.map(({ timing }) => timing.settlingMs)),
});

/** In the order in which they lapse. Of too many the one that lapses first joins others that have the same storage. */
function bounded(all: readonly Configured[]): readonly Configured[] {
  const workers = [...all].sort((a, b) => a.until - b.until);
  if (workers.length <= MOST_WORKERS) return workers;
  const others = workers.filter(({ worker }) => worker === OTHERS);
  const [first, ...rest] = workers.filter(({ worker }) => worker !== OTHERS);
  if (!first) return workers;
  const alike =
    others.find(({ books }) => books === first.books) ?? (others.length < MOST_PLACES ? undefined : others[0]);
  return [...others.filter((one) => one !== alike), both(first, alike ?? first), ...rest];
}

/** Of two caps the lower one; null is none. */
const lowerCap = (a: number | null = null, b: number | null = null): number | null =>
  a === null ? b : Math.min(a, b ?? a);

/** What both allow: lower caps, a higher floor. */
export function strictest(a: Limited, b: Limited): Required<Limited> {
  return {
    perRun: lowerCap(a.perRun, b.perRun),
    perDay: lowerCap(a.perDay, b.perDay),
    perMonth: lowerCap(a.perMonth, b.perMonth),
    balanceFloor: Math.max(a.balanceFloor, b.balanceFloor),
  };
}
type Limited = Omit<Budget, 'timeZone'>;

const both = (a: Configured, b: Configured): Configured => ({
  worker: OTHERS,
  ...booksOfBoth(a.books, b.books),
  budget: { ...strictest(a.budget, b.budget), timeZone: a.budget.timeZone },
  timing: longest([a, b]),
  until: Math.max(a.until, b.until),
});

/** Where they differ, they differ from everybody else's as well. */
const booksOfBoth = (a: string | undefined, b: string | undefined): Pick<Configured, 'books'> => {
  const books = a === undefined || b === undefined || a === b ? (a ?? b) : `${a}, ${b}`.slice(0, 200);
  return books === undefined ? {} : { books };
};
