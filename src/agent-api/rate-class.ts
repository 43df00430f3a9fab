/** The classes of requests that the service limits; apart from the routes, for workflows too. */

/**
 * agent-api.md, "Limits". `notes` count against their hourly limit, and `audits` against the lower internal limits that may
 * apply to audit synthesis; both leave through the writes queue and count as writes too.
 */
export type RateClass = 'reads' | 'writes' | 'polls' | 'notes' | 'audits';

/** The classes that have a queue of their own. */
export type QueueClass = Exclude<RateClass, 'notes' | 'audits'>;

/** The class through whose queue a request leaves, and against whose limit it counts beside its own. */
export const queueClassOf = (rateClass: RateClass): QueueClass =>
  rateClass === 'notes' || rateClass === 'audits' ? 'writes' : rateClass;
