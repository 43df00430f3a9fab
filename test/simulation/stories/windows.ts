/**
 * S5: no closed window holds more requests of a class than its limit, by the moments at which they leave. Where a queue keeps
 * the limit, between processes, by those at which it gave them away: what becomes of them then it does not know.
 */
import type { Limit } from '../../../src/agent-api/limiter';
import { queueClassOf, type RateClass, rateClasses } from '../../../src/agent-api/rate-class';
import { utc } from '../../../src/time/utc';
import type { Departure } from '../worker/transport';
import type { Process } from '../world/world';
import { Finding } from './payments';
import type { Scene } from './scene';

/** Moments at which whoever counts forgets: no window is looked at that holds both sides of one. */
type Anew = readonly number[];

/** @throws Finding */
export function mustKeepWindows(scene: Scene): void {
  const { departures, limits } = scene;
  for (const rateClass of rateClasses) {
    const mine = departures.filter((one) => [one.rateClass, queueClassOf(one.rateClass)].includes(rateClass));
    // A process keeps its own count until it dies. Of notes and audits only the ledger keeps one.
    if (queueClassOf(rateClass) === rateClass)
      for (const by of new Set(mine.map((one) => one.by)))
        mustFit(mine, limits[rateClass], `${rateClass} leave ${by.name}`, [], by);
    const anew = anewFor(scene, rateClass);
    if (anew) mustFit(byQueue(mine), limits[rateClass], `${rateClass} leave all workers`, anew);
  }
}

/** As the queues count, where they do. */
const byQueue = (departures: readonly Departure[]): Departure[] =>
  departures
    .map((one) => ({ ...one, at: (queueClassOf(one.rateClass) !== 'writes' && one.takenAt) || one.at }))
    .sort((a, b) => a.at - b.at);

/**
 * Of writes the ledger keeps the count over all processes, and of what leaves through them; of all else the queues, which do
 * not know what becomes of a task.
 * @returns undefined where nobody does
 */
function anewFor({ losses, lapses, options }: Scene, rateClass: RateClass): Anew | undefined {
  if (queueClassOf(rateClass) !== 'writes') return losses;
  // Ledgers of the build before give no turns.
  if (options.rollout) return undefined;
  return rateClass === 'writes' ? lapses.turns : [...lapses.turns, ...lapses.permits];
}

function mustFit(all: readonly Departure[], { max, windowMs }: Limit, who: string, anew: Anew, by?: Process): void {
  const counted = by ? all.filter((one) => one.by === by) : all;
  for (const [n, { at: from }] of counted.entries()) {
    const to = counted[n + max]?.at ?? Number.POSITIVE_INFINITY;
    if (to - from > windowMs || anew.some((at) => from <= at && at <= to)) continue;
    throw new Finding('S5', `more than ${max} requests of ${who} within ${windowMs} ms from ${utc(from)} on`);
  }
}
