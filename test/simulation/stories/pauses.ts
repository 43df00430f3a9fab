/** S5: who has heard a 429 sends nothing more of that class for as long as it said, and soon no other process does. */
import { queueClassOf, type RateClass } from '../../../src/agent-api/rate-class';
import { routes } from '../../../src/agent-api/routes';
import { utc } from '../../../src/time/utc';
import type { Departure, Refusal } from '../worker/transport';
import type { Process } from '../world/world';
import { Finding } from './payments';
import type { Scene } from './scene';

/** What has its place already may still leave: in so long at most. */
const SEND_WINDOW_MS = 5_000;
/** By then all processes have heard of it, where nothing was lost on the way. */
const TOLD_WITHIN_MS = 60_000;
/** By then every process has heard that a person has ended all pauses. */
const HEARD_WITHIN_MS = 10 * 60_000;

interface Pause {
  by: Process;
  rateClass: RateClass;
  from: number;
  until: number;
  /** No other process hears of it. */
  isOwn: boolean;
  /** When others have sent something all the same, first: each may have asked a ledger that did not answer soon. */
  missed: Map<Process, number>;
}

/** Who does not know yet which ledger is its own has none to tell, and none to ask. */
const asksWhose = (path: string): boolean => path === routes['account.user'].path;

export class Pauses {
  #pauses: Pause[] = [];
  /** When the ledger was last seen to have no books yet: it takes up to four minutes after it was deleted. */
  #openingAt = Number.NEGATIVE_INFINITY;
  #found: Finding | undefined;

  constructor(private readonly scene: Scene) {
    scene.onRefusal = (refusal) => this.#told(refusal);
    scene.onDeparture = (departure) => this.#departs(departure);
  }

  /** @throws Finding */
  look(): void {
    if (this.#found) throw this.#found;
  }

  #told({ by, rateClass, path, retryAfter }: Refusal): void {
    this.#seeLedger();
    const from = this.scene.world.now;
    const { limits } = this.scene;
    const { windowMs } = limits[rateClass];
    const forMs = retryAfter === undefined ? windowMs : Math.max(1, Number(retryAfter)) * 1_000;
    this.#pauses = this.#pauses.filter(({ until }) => until > from);
    const pause: Pause = { by, rateClass, from, until: from + forMs, isOwn: asksWhose(path), missed: new Map() };
    this.#pauses.push(pause);
    // Of a note nobody says which of its two limits was met.
    const through = queueClassOf(rateClass);
    const throughMs = Math.min(forMs, limits[through].windowMs);
    if (through !== rateClass) this.#pauses.push({ ...pause, rateClass: through, until: from + throughMs });
  }

  #departs({ by, rateClass, path, askedAt }: Departure): void {
    this.#seeLedger();
    const classes = [rateClass, queueClassOf(rateClass)];
    const { pausesEndedAt } = this.scene;
    const pause = this.#pauses.find(
      (one) =>
        classes.includes(one.rateClass) &&
        one.from > pausesEndedAt + HEARD_WITHIN_MS &&
        one.from + SEND_WINDOW_MS < askedAt &&
        askedAt < one.until &&
        (one.by === by || (!asksWhose(path) && this.#isTold(one, by, askedAt))),
    );
    if (pause)
      this.#found ??= new Finding(
        'S5',
        `${by.name} sends a request of ${rateClass} at ${utc(askedAt)}, and ${pause.by.name} was told by a 429 at ${utc(pause.from)} to send none of ${pause.rateClass} until ${utc(pause.until)}`,
      );
  }

  /** One without books can be told nothing, and tells nothing on. */
  #seeLedger(): void {
    const { server, ledgerId, world } = this.scene;
    const asked = [...(server.current(ledgerId)?.activities.values() ?? [])];
    if (asked.some(({ type }) => type === 'openBooks')) this.#openingAt = world.now;
  }

  /** It is told by way of the ledger: no process, no ledger and nothing of the server was lost meanwhile. */
  #isTold({ from, isOwn, missed }: Pause, by: Process, askedAt: number): boolean {
    const { losses, lapses, lostAt, options } = this.scene;
    const lost = [...losses, ...lapses.turns, ...lapses.permits, lostAt];
    const isHeard =
      options.rollout === undefined &&
      !isOwn &&
      askedAt > from + TOLD_WITHIN_MS &&
      this.#openingAt <= from - TOLD_WITHIN_MS &&
      !lost.some((at) => at > from - TOLD_WITHIN_MS && at < askedAt);
    if (!isHeard) return false;
    const missedAt = missed.get(by) ?? askedAt;
    missed.set(by, missedAt);
    return askedAt > missedAt + SEND_WINDOW_MS;
  }
}
