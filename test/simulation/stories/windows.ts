/**
 * S5: no closed window holds more requests of a class than its limit, by the moments at which they leave. Between processes a
 * queue keeps the limit of some, and does not know how long a process keeps a task: of those that leave within one window only
 * as many count as it also gave away within one.
 */
import type { Limit } from '../../../src/agent-api/limiter';
import { queueClassOf, type RateClass, rateClasses } from '../../../src/agent-api/rate-class';
import { utc } from '../../../src/time/utc';
import type { Departure } from '../worker/transport';
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
      for (const by of new Set(mine.map((one) => one.by))) {
        const own = mine.filter((one) => one.by === by);
        mustFit(own, limits[rateClass], `${rateClass} leave ${by.name}`, []);
      }
    const anew = anewFor(scene, rateClass);
    if (anew) mustFit(mine, limits[rateClass], `${rateClass} leave all workers`, anew, givenAt);
  }
}

/** When a queue gave the request's task away, where one keeps the limit. */
const givenAt = ({ rateClass, takenAt, at }: Departure): number =>
  (queueClassOf(rateClass) !== 'writes' && takenAt) || at;

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

function mustFit(
  all: readonly Departure[],
  { max, windowMs }: Limit,
  who: string,
  anew: Anew,
  givenAt = ({ at }: Departure): number => at,
): void {
  for (const [n, { at: from }] of all.entries()) {
    const window = within(all, n, from + windowMs);
    if (window.length <= max) continue;
    const inTurn = window.map((one) => ({ at: one.at, given: givenAt(one) })).sort((a, b) => a.given - b.given);
    const isOver = inTurn.some(({ given }, i) => {
      const last = inTurn[i + max];
      if (!last || last.given - given > windowMs) return false;
      const moments = inTurn.slice(i, i + max + 1).map(({ at }) => at);
      const [begins, ends] = [Math.min(given, ...moments), Math.max(...moments)];
      return !anew.some((at) => begins <= at && at <= ends);
    });
    if (isOver)
      throw new Finding('S5', `more than ${max} requests of ${who} within ${windowMs} ms from ${utc(from)} on`);
  }
}

/** Those from one on that leave until then: they stand in that order. */
function within(all: readonly Departure[], from: number, until: number): readonly Departure[] {
  let end = from;
  while ((all[end]?.at ?? Number.POSITIVE_INFINITY) <= until) end++;
  return all.slice(from, end);
}
