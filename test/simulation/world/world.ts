/**
 * A world of its own: one clock, one source of chance, and processes that can die. Nothing in it depends on the machine, so
 * the same seed has the same course.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Random } from './random';

const realImmediate = setImmediate;
/** A Monday morning; whole seconds, since HTTP dates have no more. */
const BEGINNING = Date.UTC(2026, 0, 5, 6);

/** A process of the world: what it has begun ends with it. */
export interface Process {
  readonly name: string;
  alive: boolean;
  /** What its wall clock is ahead of the world's, milliseconds. */
  readonly skewMs: number;
}

/** Something that is due at a moment. */
export interface Due {
  readonly at: number;
  readonly seq: number;
  /** It happens only while this process lives. */
  readonly owner: Process | undefined;
  cancelled: boolean;
  run(): void | Promise<void>;
}

/** The process whose code runs at the moment; undefined for the server, the service and the people. */
export const here = new AsyncLocalStorage<Process>();

export class World {
  now: number;
  readonly random: Random;
  /** What has happened, as lines; only the hash is kept unless somebody listens. */
  onLine: (line: string) => void = () => undefined;
  steps = 0;
  /** The next one is the last. */
  readonly #due: Due[] = [];
  readonly #hash = createHash('sha256');
  readonly #held = new Set<Promise<void>>();
  #seq = 0;

  constructor(
    readonly seed: number,
    private readonly beginsAt = BEGINNING,
  ) {
    this.now = beginsAt;
    this.random = new Random(seed);
  }

  get elapsed(): number {
    return this.now - this.beginsAt;
  }

  after(ms: number, run: Due['run'], owner?: Process): Due {
    const due = { at: this.now + Math.ceil(Math.max(0, ms)), seq: this.#seq++, owner, cancelled: false, run };
    let [low, high] = [0, this.#due.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(due, this.#due[middle] as Due)) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
    return due;
  }

  /** Lets the next thing happen, and all that follows from it at once. @returns false when nothing is due */
  async step(): Promise<boolean> {
    let due = this.#due.pop();
    while (due && (due.cancelled || due.owner?.alive === false)) due = this.#due.pop();
    if (!due) return false;
    this.now = Math.max(this.now, due.at);
    this.steps++;
    // A process sees all that happens to it by its own clock.
    await (due.owner ? here.run(due.owner, due.run) : due.run());
    await settled();
    while (this.#held.size > 0) {
      await Promise.all(this.#held);
      await settled();
    }
    return true;
  }

  /** Lets all happen that is due within so many milliseconds. */
  async passes(ms: number): Promise<void> {
    let isOver = false;
    this.after(ms, () => {
      isOver = true;
    });
    while (!isOver) await this.step();
  }

  /** Until this is done time stands still: it takes turns of the real event loop, and none of the world's. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    const held = done.then(
      () => undefined,
      () => undefined,
    );
    this.#held.add(held);
    try {
      return await done;
    } finally {
      this.#held.delete(held);
    }
  }

  tell(what: string): void {
    const line = `${(this.elapsed / 1_000).toFixed(3)} ${what}`;
    this.#hash.update(line).update('\n');
    this.onLine(line);
  }

  /** Of all that was told. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** All promises and ticks that could go on have done so: timers are the world's, so nothing else is left. */
export const settled = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

const isBefore = (one: Due, other: Due): boolean => one.at < other.at || (one.at === other.at && one.seq < other.seq);
