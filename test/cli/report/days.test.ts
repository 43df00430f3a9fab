import { bookedOn, daysBetween, Spent } from '../../../src/cli/report/days';
import { sum } from '../../../src/report/spending/facts';

const at = (text: string) => Date.parse(text);

test('days follow one another without a gap, also where one has 25 hours', () => {
  const days = daysBetween(at('2026-10-23T15:00:00Z'), at('2026-10-27T02:00:00Z'), 'Europe/Amsterdam');
  expect(days.map(({ day }) => day)).toEqual(['2026-10-23', '2026-10-24', '2026-10-25', '2026-10-26', '2026-10-27']);
  expect(days[0]?.from).toBe(at('2026-10-23T15:00:00Z'));
  for (const [index, { from }] of days.entries()) if (index > 0) expect(from).toBe(days[index - 1]?.to);
  expect((days[2]?.to ?? 0) - (days[2]?.from ?? 0)).toBe(25 * 3_600_000);
});

test('credits stand on the day of the time zone, the most first', () => {
  const spent = new Spent('Europe/Amsterdam');
  spent.add('a', at('2026-11-20T23:30:00Z'), 1_000);
  spent.add('b', at('2026-11-21T08:00:00Z'), 2_000);
  spent.add('a', at('2026-11-21T09:00:00Z'), 500);
  spent.add('nothing', at('2026-11-21T09:00:00Z'), 0);
  expect(spent.of('2026-11-20')).toEqual([]);
  expect(spent.of('2026-11-21')).toEqual([
    { source: 'b', credits: 2_000 },
    { source: 'a', credits: 1_500 },
  ]);
  expect(sum(spent.of('2026-11-21').map(({ credits }) => credits))).toBe(3_500);
});

test('a day that the books have dropped is not known; one on which nothing was spent is 0', () => {
  const full = { '2026-11-02': 5, '2026-11-04': 7 };
  expect(bookedOn(full, '2026-11-04', 2)).toBe(7);
  expect(bookedOn(full, '2026-11-03', 2)).toBe(0);
  expect(bookedOn(full, '2026-11-01', 2)).toBeNull();
  expect(bookedOn(full, '2026-11-01', 40)).toBe(0);
  expect(bookedOn({}, '2026-11-01', 40)).toBe(0);
});
