import { performance } from 'node:perf_hooks';

/**
 * The service's time. Durations and windows are given as the document gives them and divided by `speed`; time stamps are
 * real time (plus the skew), since a client compares them with its own clock. Pending work ends with {@link close}.
 */
export class Clock {
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Requests that wait, by their timers. */
  private readonly sleepers = new Map<NodeJS.Timeout, () => void>();
  /** Background work that became due while it stood still; undefined while it goes on. */
  private due: (() => void)[] | undefined;

  constructor(
    private readonly speed: number,
    private readonly skewMs: number,
    private readonly dateSkewMs = 0,
  ) {}

  /** Wall time, milliseconds since 1970. */
  wall(): number {
    return Date.now() + this.skewMs;
  }

  /** What the `Date` header says. */
  date(): string {
    return new Date(this.wall() + this.dateSkewMs).toUTCString();
  }

  iso(): string {
    return new Date(this.wall()).toISOString();
  }

  /** Milliseconds that never go back, for windows. */
  monotonic(): number {
    return performance.now();
  }

  /** How long a documented duration really takes, milliseconds. */
  scaled(ms: number): number {
    return ms / this.speed;
  }

  /** Background work that is done once a documented duration is over, and not while it {@link stand}s still. */
  after(ms: number, work: () => void): void {
    this.timer(ms, () => (this.due === undefined ? work() : this.due.push(work)));
  }

  /** Whether background work stands still; what became due meanwhile is done as soon as it goes on. */
  stand(still: boolean): void {
    const due = this.due ?? [];
    this.due = still ? due : undefined;
    if (!still) for (const work of due) work();
  }

  /** A request waits for a documented duration; never resolves once the sandbox is closed. */
  sleep(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.timer(ms, () => {
        this.sleepers.delete(timer);
        resolve();
      });
      this.sleepers.set(timer, resolve);
    });
  }

  /** Lets all requests that wait go on. */
  wake(): void {
    for (const [timer, goOn] of this.sleepers) {
      clearTimeout(timer);
      this.timers.delete(timer);
      goOn();
    }
    this.sleepers.clear();
  }

  private timer(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, this.scaled(ms));
    this.timers.add(timer);
    return timer;
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.sleepers.clear();
  }
}
