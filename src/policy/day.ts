/** Days in a time zone, for caps per day. Uses `Intl`, which Temporal's workflow sandbox has. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of a moment in a time zone, as `2026-11-21`. */
export function dayOf(ms: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(timeZone, format);
  }
  return format.format(ms);
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
