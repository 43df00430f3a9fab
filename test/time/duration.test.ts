import { formatDuration, parseDuration } from '../../src/time/duration';

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

it.each([
  ['90s', 90_000],
  ['15m', 15 * MIN],
  ['15min', 15 * MIN],
  ['36h', 36 * HOUR],
  ['7d', 7 * DAY],
  ['2w', 14 * DAY],
  ['1.5h', 90 * MIN],
  ['1h30m', 90 * MIN],
  [' 2 h 5 min ', 125 * MIN],
  ['0s', 0],
  ['PT36H', 36 * HOUR],
  ['P7D', 7 * DAY],
  ['P1DT2H3M4.5S', DAY + 2 * HOUR + 3 * MIN + 4500],
  ['P2W', 14 * DAY],
])('reads %p', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([
  '',
  ' ',
  '7',
  'd',
  '-1d',
  '1y',
  'P',
  'PT',
  'P1M',
  'P1Y',
  '15M',
  '5m5m',
  '5m 1h',
  '1e3s',
  '1,5h',
  '∞',
  '7 days',
])('refuses %p rather than guessing', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it('refuses a long text in no time', () => {
  const start = performance.now();
  for (const text of [' '.repeat(1e6), '1'.repeat(1e6), '1 '.repeat(1e6)]) expect(parseDuration(text)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(5_000);
});

it.each([
  [0, '0 s'],
  [1, 'less than 1 s'],
  [1000, '1 s'],
  [59_600, '1 min'],
  [90_000, '1 min 30 s'],
  [59 * MIN + 59_900, '1 h'],
  [125 * MIN, '2 h 5 min'],
  [125 * MIN + 29_000, '2 h 5 min'],
  [DAY - 1, '1 d'],
  [3 * DAY, '3 d'],
  [3 * DAY + 4 * HOUR + 20 * MIN, '3 d 4 h'],
])('writes %p for a person as %p', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('reads what it writes, to the second unit', () => {
  for (let ms = 1000; ms < 400 * DAY; ms = Math.ceil(ms * 1.07)) {
    const read = parseDuration(formatDuration(ms)) ?? Number.NaN;
    expect(Math.abs(read - ms) / ms).toBeLessThan(0.03 + 500 / ms);
  }
});
