/** Days in a time zone, for caps per day. Uses `Intl`, which Temporal's workflow sandbox has. */

/** One without a change of the clocks. */
export const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for what is no time zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format;
}

/** Whether this is an IANA name. An offset such as +01:00 is accepted by `Intl`, but it knows no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The calendar day of a moment in a time zone, as `2026-11-21`. */
export const dayOf = (ms: number, timeZone: string): string => formatOf(timeZone).format(ms);

/** The calendar month of a moment in a time zone, as `2026-11`. */
export const monthOf = (ms: number, timeZone: string): string => dayOf(ms, timeZone).slice(0, 7);

/** The first moment of the next calendar month. */
export function nextMonth(ms: number, timeZone: string): number {
  const month = monthOf(ms, timeZone);
  let next = nextDay(ms, timeZone);
  while (monthOf(next, timeZone) === month) next = nextDay(next, timeZone);
  return next;
}

/** The first moment of the next calendar day, to the minute; days of 23 and 25 hours included. */
export function nextDay(ms: number, timeZone: string): number {
  const today = dayOf(ms, timeZone);
  const minute = 60_000;
  let low = Math.floor(ms / minute);
  let high = low + 26 * 60;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (dayOf(middle * minute, timeZone) === today) low = middle;
    else high = middle;
  }
  return high * minute;
}
