/**
 * The classes of requests that the service limits (agent-api.md, "Limits"), apart from the routes, for workflows too. This is
 * the one table of them: queues, lanes of the gate, configuration, plans and counts follow from it.
 */

interface Facts {
  /** Requests in any window, per token. */
  readonly limit: { readonly max: number; readonly windowMs: number };
  /**
   * It has no queue of its own: it leaves through that of this class, and counts against its limit as well. Its own permit is
   * the ledger's, which only calls that are sent once ask.
   */
  readonly leavesThrough?: 'writes';
  /** No even pace: thirty an hour may come as ten at once. */
  readonly bursts?: true;
  /** The limit is not shown: unless it is configured, it is that of the class through which it leaves. */
  readonly notShown?: true;
}

export const RATE_CLASSES = {
  reads: { limit: { max: 100, windowMs: 60_000 } },
  writes: { limit: { max: 20, windowMs: 60_000 } },
  polls: { limit: { max: 120, windowMs: 60_000 } },
  /** An hourly limit beside that of the writes. */
  notes: { limit: { max: 30, windowMs: 3_600_000 }, leavesThrough: 'writes', bursts: true },
  /** The "lower internal limits" that may apply to audit synthesis. */
  audits: { limit: { max: 20, windowMs: 60_000 }, leavesThrough: 'writes', notShown: true },
} as const satisfies Readonly<Record<string, Facts>>;

type Table = typeof RATE_CLASSES;
export type RateClass = keyof Table;

/** The classes that have a queue of their own. */
export type QueueClass = {
  [C in RateClass]: Table[C] extends { leavesThrough: string } ? never : C;
}[RateClass];

export const rateClasses = Object.keys(RATE_CLASSES) as RateClass[];

export const factsOf = (rateClass: RateClass): Facts => RATE_CLASSES[rateClass];

const hasQueue = (rateClass: RateClass): rateClass is QueueClass => factsOf(rateClass).leavesThrough === undefined;

export const queueClasses: readonly QueueClass[] = rateClasses.filter(hasQueue);

/** The class through whose queue a request leaves, and against whose limit it counts beside its own. */
export function queueClassOf(rateClass: RateClass): QueueClass {
  const facts = RATE_CLASSES[rateClass];
  return 'leavesThrough' in facts ? facts.leavesThrough : (rateClass as QueueClass);
}

/** Something for each class. */
export const perClass = <T>(make: (rateClass: RateClass) => T): Record<RateClass, T> =>
  Object.fromEntries(rateClasses.map((rateClass) => [rateClass, make(rateClass)])) as Record<RateClass, T>;
