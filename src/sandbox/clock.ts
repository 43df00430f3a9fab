import { performance } from 'node:perf_hooks';

/**
 * The service's time. Durations and windows are given as the document gives them and divided by `speed`; time stamps are
 * real time (plus the skew), since a client compares them with its own clock. Pending work ends with {@link close}.
 */
export class Clock {
  private readonly timers = new Set<NodeJS.Timeout>();

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

  /** Does something once a documented duration is over. */
  after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, this.scaled(ms));
    this.timers.add(timer);
  }

  /** Waits for a documented duration; never resolves once the sandbox is closed. */
  sleep(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => this.after(ms, resolve));
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
