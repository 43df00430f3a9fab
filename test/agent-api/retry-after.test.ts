import { parseHttpDate, parseRetryAfter } from '../../src/agent-api/retry-after';

const now = Date.parse('1994-11-06T08:49:37Z');

it.each([
  ['0', 1_000],
  ['120', 120_000],
  [' 3 ', 3_000],
  ['1.5', 1_500],
  ['-1', 1_000],
  ['86400', 86_400_000],
  ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
  ['Sunday, 06-Nov-94 08:49:47 GMT', 10_000],
  ['Sun Nov  6 08:49:47 1994', 10_000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 1_000],
])('%s', (text, expected) => {
  expect(parseRetryAfter(text, now)).toBe(expected);
});

it.each(['', '86401', 'soon', '5 minutes', 'NaN', 'Infinity', '1e3', '2024-01-01', 'Sun, 99 Foo 1994 08:49:47 GMT'])(
  'is absent for %j',
  (text) => {
    expect(parseRetryAfter(text, now)).toBeUndefined();
  },
);

it('reads dates of a reply and nothing that merely looks like one', () => {
  expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(now);
  expect(parseHttpDate('foo 5')).toBeUndefined();
});
