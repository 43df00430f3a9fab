/**
 * Arithmetic of rate limits, pure: times come in, decisions come out (S5). Times are milliseconds of one monotonic clock.
 * Which window the API counts by is unknown, so both forms hold for every closed window, wherever it begins.
 */

/** At most `max` requests in any `windowMs`. */
export interface Limit {
  readonly max: number;
  readonly windowMs: number;
}

export const isSameLimit = (one: Limit, other: Limit): boolean =>
  one.max === other.max && one.windowMs === other.windowMs;

/** An even pace: `burst` at once after idle, then `ratePerMs`. Any window W holds at most floor(burst + ratePerMs·W). */
export interface Pace {
  readonly burst: number;
  readonly ratePerMs: number;
}

/** GCRA state: when the next request would be due were all sent evenly. */
export interface PaceState {
  readonly due: number;
}

export const idle: PaceState = { due: Number.NEGATIVE_INFINITY };

/** The pace with floor(1 + r·W) = max: no burst, and a tenth of a request below the limit so that rounding cannot add one. */
export const paceFor = ({ max, windowMs }: Limit): Pace => ({ burst: 1, ratePerMs: (max - 0.1) / windowMs });

/** The earliest moment from `now` on for one more request, and the state once it has that place. */
export function admit(state: PaceState, now: number, { burst, ratePerMs }: Pace): { at: number; state: PaceState } {
  const at = Math.max(now, state.due - (burst - 1) / ratePerMs);
  return { at, state: { due: Math.max(at, state.due) + 1 / ratePerMs } };
}

/** Lets nothing pass before `until`, and only one request then: a limiter that refused has no burst to give. */
export const parkUntil = (state: PaceState, until: number, { burst, ratePerMs }: Pace): PaceState => ({
  due: Math.max(state.due, until + (burst - 1) / ratePerMs),
});

/** An exact sliding log: the moments of the requests that still count, in ascending order. */
export type Log = readonly number[];

/**
 * The earliest moment from `now` on at which one more request leaves every closed window at `max` or fewer. Moments after
 * `now` count too: they are places that are promised.
 */
export function logAdmits(log: Log, now: number, { max, windowMs }: Limit): number {
  const blocking = log[log.length - max];
  // One millisecond beyond the window, whose ends both count.
  return blocking === undefined ? now : Math.max(now, blocking + windowMs + 1);
}

/** Whether one more at this very moment leaves every closed window at `max` or fewer, also those with moments to come. */
export function logFits(log: Log, at: number, { max, windowMs }: Limit): boolean {
  const near = [...log.filter((moment) => Math.abs(moment - at) <= windowMs), at].sort((a, b) => a - b);
  return near.every((moment, i) => (near[i + max] ?? Number.POSITIVE_INFINITY) - moment > windowMs);
}

/** The log with one more moment, and without what no window that reaches `now` holds any more. */
export const logEnter = (log: Log, at: number, now: number, { windowMs }: Limit): Log =>
  [...log.filter((moment) => moment >= now - windowMs), at].sort((a, b) => a - b);
