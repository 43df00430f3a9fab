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
 * where it has one, so that a wrong clock here does not matter). Below zero is 0; undefined when it is neither.
 */
export function parseRetryAfter(text: string, now: number): number | undefined {
  const value = text.trim();
  if (SECONDS.test(value)) return Math.max(0, Math.ceil(Number(value) * 1000));
  const date = parseHttpDate(value);
  return date === undefined ? undefined : Math.max(0, date - now);
}
