const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const SECONDS = /^[+-]?\d+(\.\d+)?$/;
/** The three forms of an HTTP date begin with a weekday; `Date.parse` alone would take almost anything for a date. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/** Milliseconds since the epoch from an HTTP date; undefined for anything else. */
export function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Milliseconds to wait by a `Retry-After` header: seconds, or a date, which counts from `now` (the response's own `Date`
 * where it has one, so that a wrong clock here does not matter). At least a second: a limiter that says 0 would be asked
 * at once. Undefined when it is neither, and above a day, which no window of this API explains: then a full window counts.
 */
export function parseRetryAfter(text: string, now: number): number | undefined {
  const value = text.trim();
  const date = parseHttpDate(value);
  const wait = SECONDS.test(value) ? Math.ceil(Number(value) * 1000) : date === undefined ? Number.NaN : date - now;
  return wait <= DAY_MS ? Math.max(SECOND_MS, wait) : undefined;
}
