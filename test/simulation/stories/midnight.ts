/** S7: a wait for the day's budget ends by itself when the next day begins. */
import type { LedgerState } from '../../../src/ledger';
import { BUDGET_STAGE } from '../../../src/runs/stages';
import { utc } from '../../../src/time/utc';
import { shownBy } from '../engine/proto';
import type { Run } from '../engine/run';
import { AT_MIDNIGHT } from './coverage';
import { Finding } from './payments';
import type { Scene } from './scene';

const MINUTE = 60_000;
/** By then whoever waits has seen that there are credits for it again. */
const SEES_WITHIN_MS = 60 * MINUTE;

/** Looks while nothing goes wrong, and nothing is lacking but credits. */
export class Midnight {
  #askAt = 0;
  /** Since when there has been room for each run that waits. */
  readonly #since = new Map<Run, number>();

  constructor(private readonly scene: Scene) {}

  /** @throws Finding */
  async look(): Promise<void> {
    const { scene } = this;
    const { budget, misfortunes, world } = scene;
    if (world.now < this.#askAt) return;
    this.#askAt = world.now + 5 * MINUTE;
    if (budget.perDay === null || !misfortunes.areOver) return this.#since.clear();
    const waiting = scene.server.open().filter((run) => shownBy(run.searchAttributes.Stage) === BUDGET_STAGE);
    const state = waiting.length > 0 ? await scene.ledgerState() : undefined;
    // A person's hold stands in the way as well, until they release it.
    const left = state && state.holds.length === 0 ? budget.perDay - this.#spent(state) : 0;
    for (const run of [...this.#since.keys()]) if (!waiting.includes(run)) this.#since.delete(run);
    if (left < scene.priceOf('lead:')) return this.#since.clear();
    for (const run of waiting) {
      const since = this.#since.get(run) ?? world.now;
      this.#since.set(run, since);
      if (world.now - since > SEES_WITHIN_MS)
        throw new Finding(
          'S7',
          `${run.workflowId} waits for the budget of the day, of which ${left} credits are left since ${utc(since)}: ${await scene.detailsOf(run)}`,
        );
      misfortunes.note(AT_MIDNIGHT);
    }
  }

  /** What the service was paid today, and what may still be. */
  #spent({ flights, bookings }: LedgerState): number {
    const { scene } = this;
    const { service, world } = scene;
    const today = utc(world.now).slice(0, '2026-01-05'.length);
    // A lead that a person converts while it is unknown what became of our call counts as ours.
    const booked = new Set(bookings.map(({ subject }) => subject));
    const paid = service.payments.all.filter(
      (one) => (one.by === 'agent' || booked.has(one.subject)) && scene.momentOf(one).startsWith(today),
    );
    const open = Object.values(flights.open);
    return [...paid, ...open].reduce((sum, { credits }) => sum + credits, 0);
  }
}
