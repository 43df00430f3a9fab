import type { RateClass } from '../agent-api/rate-class';

/** Times within the last window, both ends included, oldest first. */
export class SlidingLog {
  private times: number[] = [];
  private start = 0;

  constructor(private readonly windowMs: number) {}

  /** How many times lie in the window that ends now. */
  count(now: number): number {
    while (this.start < this.times.length && now - (this.times[this.start] ?? now) > this.windowMs) this.start++;
    if (this.start > 1024) {
      this.times = this.times.slice(this.start);
      this.start = 0;
    }
    return this.times.length - this.start;
  }

  add(now: number): void {
    this.times.push(now);
  }

  /** Milliseconds until fewer than `max` are in the window. */
  waitFor(max: number, now: number): number {
    const blocking = this.times[this.times.length - max];
    return blocking === undefined ? 0 : Math.max(0, blocking + this.windowMs - now);
  }
}

/** A rate class of one token: what was let through (for the limit) and what arrived at all (for the statistics). */
export class ClassWindow {
  private readonly accepted: SlidingLog;
  private readonly arrived: SlidingLog;
  /** Largest number of requests, refused ones included, in any window of the class's length, both ends included. */
  largest = 0;

  /** @param max Requests in any window; absent: no limit. */
  constructor(
    readonly tokenId: string,
    readonly rateClass: RateClass,
    readonly max: number | undefined,
    readonly windowMs: number,
  ) {
    this.accepted = new SlidingLog(windowMs);
    this.arrived = new SlidingLog(windowMs);
  }

  arrive(now: number): void {
    this.arrived.add(now);
    this.largest = Math.max(this.largest, this.arrived.count(now));
  }

  /** Milliseconds to wait, or undefined when there is room. A refused request does not count against the limit. */
  refusal(now: number): number | undefined {
    if (this.max === undefined || this.accepted.count(now) < this.max) return undefined;
    return this.accepted.waitFor(this.max, now);
  }

  accept(now: number): void {
    if (this.max !== undefined) this.accepted.add(now);
  }
}
