/**
 * The gate of one account inside one process: a place for each request, by rate class (S5). The queues of the Temporal
 * server keep the pace between processes; this covers their jitter, their restarts and several partitions.
 *
 * A place is granted before the request leaves (the ledger is asked in between), but the service counts departures. So
 * each class has an exact log of departures and, unless it may burst, an even pace for granting. An unused place stands
 * in the log at its latest possible departure, so lateness cannot push two windows' requests into one.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { admit, idle, type Limit, logAdmits, paceFor, parkUntil } from './limiter';
import { factsOf, perClass, queueClassOf, type RateClass } from './rate-class';

/** A place, or the wall-clock moment, in milliseconds, at which to come back. */
export type Admission = { ok: true } | { ok: false; retryAtMs: number };

export interface Gate {
  /**
   * Takes a place, first come first served, waiting `maxWaitMs` (default 2,000) at most. `notes` and `audits` take one of
   * the writes too: they leave through that queue. Who is sent away is told a moment of its own, so that not all come back
   * at once. `hasTurn`: it is its turn by the ledger, which sees all processes and keeps the pace, so only the log counts.
   * @throws the signal's reason when it is aborted.
   */
  acquire(
    rateClass: RateClass,
    options?: { maxWaitMs?: number; signal?: AbortSignal; hasTurn?: boolean },
  ): Promise<Admission>;
  /** A request of this class leaves now. The client reports it when it is given the gate. */
  departed(rateClass: RateClass): void;
  /**
   * After a 429: nothing of this class passes before this wall-clock moment; without one, for a full window, and a day at most.
   * From the third in a row on a short pause has shown to be too short: each is twice as long as the one before, up to that.
   * Of a class that counts as writes too a 429 does not say which limit was met: the writes are parked as well, for one of
   * their windows at most, since theirs asks no more. The client reports it when it is given the gate.
   */
  refused(rateClass: RateClass, untilMs?: number): void;
  /** The service answered a request of this class with anything but a 429: no limit is in its way. The client reports it. */
  passed(rateClass: RateClass): void;
  /**
   * Nothing of this class passes before this wall-clock moment, by what other processes heard: of the writes they tell apart.
   * Neither shortened nor jittered; an earlier park that ends later stands.
   */
  park(rateClass: RateClass, untilMs: number): void;
  /**
   * A person had ended every park at `at`, milliseconds of any one clock, or 0 for never. What is told first was so before
   * this gate parked anything; what is told again changes nothing.
   * @returns whether nothing later was told: parks that were known along with it may count
   */
  parksEnded(at: number): boolean;
  /** The wall-clock moment at which the park of this class ends; undefined when it is not parked. */
  parkedUntil(rateClass: RateClass): number | undefined;
}

/** Options of {@link createGate}. */
export interface GateOptions {
  readonly limits: Readonly<Record<RateClass, Limit>>;
  /** Longest time from a place to the departure of its request, milliseconds. @default 5,000 */
  readonly sendWindowMs?: number;
}

/** So many refusals in a row are what any limiter may do; from then on pauses grow. */
const REFUSALS_AS_TOLD = 2;
/** Nobody would believe a longer pause that no service has asked for, milliseconds. */
const LONGEST_PAUSE_MS = 86_400_000;

/** So long a word of what a person ended may be under way, milliseconds. */
const ON_ITS_WAY_MS = 30_000;

interface Place {
  /** When it was planned; when it was used once it was. */
  at: number;
  used: boolean;
}

/** One limit's state. Times are `performance.now()`. */
class Lane {
  parkedUntil = 0;
  #refusals = 0;
  #pauseMs = 0;
  #pace = idle;
  #places: Place[] = [];
  #promised = 0;

  constructor(
    readonly limit: Limit,
    private readonly even: boolean,
    private readonly holdMs: number,
  ) {}

  /** The earliest moment for one more. */
  earliest(now: number, hasTurn: boolean): number {
    const moments = this.#moments(now);
    const paced = this.even && !hasTurn ? admit(this.#pace, now, paceFor(this.limit)).at : now;
    return Math.max(paced, logAdmits(moments, now, this.limit), this.parkedUntil);
  }

  take(at: number): Place {
    if (this.even) this.#pace = admit(this.#pace, at, paceFor(this.limit)).state;
    const place = { at, used: false };
    this.#places.push(place);
    return place;
  }

  giveBack(place: Place): void {
    this.#places = this.#places.filter((other) => other !== place);
  }

  departed(now: number): void {
    // The last one: a place that never got used must grow old and leave the log, not be passed on from call to call.
    const place = this.#places.findLast(({ at, used }) => !used && at <= now);
    if (place) Object.assign(place, { at: now, used: true });
    else this.#places.push({ at: now, used: true });
  }

  park(until: number): void {
    this.parkedUntil = Math.max(this.parkedUntil, until);
    if (this.even) this.#pace = parkUntil(this.#pace, until, paceFor(this.limit));
  }

  /** For how long to pause after a 429 that asks for so long. One that arrives in a pause left before it: it says nothing new. */
  pauseAfterRefusal(now: number, askedMs: number): number {
    if (this.parkedUntil > now) return askedMs;
    this.#refusals++;
    const grown = this.#refusals > REFUSALS_AS_TOLD ? Math.min(2 * this.#pauseMs, this.longestPauseMs) : 0;
    this.#pauseMs = Math.max(askedMs, grown);
    return this.#pauseMs;
  }

  /** Of one that nobody has asked for. */
  get longestPauseMs(): number {
    return Math.min(this.limit.windowMs, LONGEST_PAUSE_MS);
  }

  passed(): void {
    this.#refusals = 0;
  }

  unpark(now: number): void {
    this.passed();
    if (this.parkedUntil <= now) return;
    this.parkedUntil = now;
    // One request first, and then the even pace again.
    if (this.even) this.#pace = parkUntil(idle, now, paceFor(this.limit));
  }

  /** A moment to come back, one place after the last that was told; at most a window ahead, for some never come back. */
  promise(earliest: number): number {
    const { max, windowMs } = this.limit;
    const next = this.#promised < earliest || this.#promised > earliest + windowMs ? earliest : this.#promised;
    this.#promised = next + windowMs / max;
    return next;
  }

  /** Departures that count, those to come at their latest, in ascending order. */
  #moments(now: number): number[] {
    const latest = ({ at, used }: Place) => (used ? at : at + this.holdMs);
    this.#places = this.#places.filter((place) => latest(place) >= now - this.limit.windowMs);
    // One that is overdue (the ledger was slow, the process stood still) can still leave at any moment.
    return this.#places.map((place) => (place.used ? place.at : Math.max(latest(place), now))).sort((a, b) => a - b);
  }
}

/** One gate for one account; everything in this process that sends for it must share it. */
export function createGate({ limits, sendWindowMs = 5_000 }: GateOptions): Gate {
  const lanes = perClass((rateClass) => new Lane(limits[rateClass], factsOf(rateClass).bursts !== true, sendWindowMs));
  const lanesOf = (rateClass: RateClass) => [...new Set([lanes[rateClass], lanes[queueClassOf(rateClass)]])];

  let endedAt: number | undefined;
  let endedHeardAt = 0;
  const clock = () => performance.now();
  const toWall = (moment: number) => Date.now() + Math.max(0, Math.ceil(moment - clock()));

  return {
    async acquire(rateClass, { maxWaitMs = 2_000, signal, hasTurn = false } = {}) {
      const taken = lanesOf(rateClass);
      const deadline = clock() + maxWaitMs;
      for (;;) {
        signal?.throwIfAborted();
        const now = clock();
        const at = Math.max(...taken.map((each) => each.earliest(now, hasTurn)));
        if (at > Math.max(deadline, now)) return { ok: false, retryAtMs: toWall(lanes[rateClass].promise(at)) };
        const places = taken.map((each) => ({ each, place: each.take(at) }));
        const giveBack = () => {
          for (const { each, place } of places) each.giveBack(place);
        };
        try {
          // A timer may fire a little early.
          for (let left = at - now; left > 0; left = at - clock()) await sleep(Math.ceil(left), undefined, { signal });
        } catch {
          giveBack();
          continue;
        }
        const granted = clock();
        // A timer is late on a busy machine: what is planned from now on counts with the later departure.
        for (const { place } of places) place.at = Math.max(place.at, granted);
        if (taken.every(({ parkedUntil }) => parkedUntil <= granted)) return { ok: true };
        giveBack();
      }
    },
    departed(rateClass) {
      const now = clock();
      for (const each of lanesOf(rateClass)) each.departed(now);
    },
    refused(rateClass, untilMs) {
      const now = clock();
      const own = lanes[rateClass];
      const askedMs = untilMs === undefined ? own.longestPauseMs : untilMs - Date.now();
      const forMs = own.pauseAfterRefusal(now, askedMs);
      for (const each of lanesOf(rateClass))
        each.park(now + (each === own ? forMs : Math.min(forMs, each.limit.windowMs)));
    },
    passed(rateClass) {
      for (const each of lanesOf(rateClass)) each.passed();
    },
    park: (rateClass, untilMs) => lanes[rateClass].park(clock() + untilMs - Date.now()),
    parksEnded(at) {
      const now = clock();
      if (endedAt !== undefined && at > endedAt) for (const lane of Object.values(lanes)) lane.unpark(now);
      // What was told after that long is no late word: another ledger has taken the place of that one, and knows nothing of it.
      if (endedAt === undefined || at > endedAt || now > endedHeardAt + ON_ITS_WAY_MS) endedAt = at;
      if (at === endedAt) endedHeardAt = now;
      return at === endedAt;
    },
    parkedUntil(rateClass) {
      const until = Math.max(...lanesOf(rateClass).map(({ parkedUntil }) => parkedUntil));
      return until > clock() ? toWall(until) : undefined;
    },
  };
}
