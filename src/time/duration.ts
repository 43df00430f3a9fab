/**
 * Lengths of time as people write and read them. Own code because the formats that Temporal's `Duration` strings and
 * ISO 8601 accept differ, and because it must run in Temporal's workflow sandbox.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** In the order of the groups below. */
const SIZES = [7 * DAY, DAY, HOUR, MINUTE, SECOND];

const part = (unit: string) => `(?:(\\d+(?:\\.\\d+)?) ?(?:${unit}) ?)?`;
const SHORT = new RegExp(`^${part('w')}${part('d')}${part('h')}${part('min|m')}${part('s')}$`);
/** Months and years have no fixed length, so `P1M` is refused and not mistaken for a minute. */
const ISO = new RegExp(`^P${part('W')}${part('D')}(?:T${part('H')}${part('M')}${part('S')})?$`);

/** Milliseconds of '90s', '15m', '36h', '7d', '1h 30m' or ISO 8601 'PT36H'; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  // The bound keeps a hostile text from costing time: the patterns are made of optional parts.
  if (trimmed.length > 40) return undefined;
  const amounts = (SHORT.exec(trimmed) ?? ISO.exec(trimmed))?.slice(1);
  if (!amounts?.some((amount) => amount !== undefined)) return undefined;
  return Math.round(SIZES.reduce((sum, size, i) => sum + Number(amounts[i] ?? 0) * size, 0));
}

const UNITS: readonly (readonly [name: string, size: number])[] = [
  ['d', DAY],
  ['h', HOUR],
  ['min', MINUTE],
  ['s', SECOND],
];

/** Milliseconds for a person, in the two largest units: '2 h 5 min', '3 d', '45 s'. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return ms > 0 ? 'less than 1 s' : '0 s';
  const largest = UNITS.findIndex(([, size]) => ms >= size);
  const fine = UNITS[largest + 1]?.[1] ?? SECOND;
  // Rounded before it is taken apart, so that 59 min 59.9 s becomes 1 h and not 59 min 60 s.
  let rest = Math.round(ms / fine) * fine;
  const words: string[] = [];
  for (const [name, size] of UNITS) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) words.push(`${amount} ${name}`);
  }
  return words.join(' ');
}
