import { isRecent, judge, type Remembered, type SweepRules, tried, troubleOf } from '../../src/captures/sweep';

const MIN = 60_000;
const DAY = 24 * 60 * MIN;
const RULES: SweepRules = { stuckAfter: 30 * MIN, giveUpAfter: 7 * DAY };
const capture = (status: string, changed: number) => ({
  ...{ id: 'c', status },
  createdAt: new Date(0).toISOString(),
  updatedAt: new Date(changed).toISOString(),
});
/**
 * What sweeps at these moments do with a capture that fails a minute after each try, for the first time at `first`.
 * @param says whether the service says when it failed again
 */
function sweepEach(moments: readonly number[], first: number, says = true) {
  let changed = first;
  let known: Remembered | undefined;
  const seen = moments.map((now) => {
    const { verdict, remembered } = judge({ id: 'c', status: 'failed', changed, now }, known, RULES);
    known = verdict === 'due' && remembered ? tried(remembered) : remembered;
    if (verdict === 'due' && says) changed = now + MIN;
    return { now, verdict };
  });
  return { tries: seen.filter(({ verdict }) => verdict === 'due').map(({ now }) => now), last: seen.at(-1)?.verdict };
}
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

test.each([0, 365 * DAY])(
  'one created long before it fails at %d ms is tried at growing distances, and given up after 7 days',
  (first) => {
    const { tries, last } = sweepEach(every(10 * MIN, first, first + 30 * DAY), first);
    expect(tries[0]).toBe(first);
    const distances = tries.slice(2).map((at, i) => (at - first) / ((tries[i + 1] ?? 0) - first));
    for (const ratio of distances) expect(ratio).toBeGreaterThanOrEqual(2);
    expect(tries.length).toBeGreaterThan(5);
    expect((tries.at(-1) ?? 0) - first).toBeLessThanOrEqual(RULES.giveUpAfter);
    expect(last).toBe('givenUp');
  },
);

test.each([0, MIN, 2 * DAY])(
  'where the service keeps the time of the first failure, %d ms ago, tries come at growing distances, and end',
  (ago) => {
    const { tries, last } = sweepEach(every(10 * MIN, ago, 30 * DAY), 0, false);
    const distances = tries.slice(2).map((at, i) => at / (tries[i + 1] ?? 0));
    for (const ratio of distances) expect(ratio).toBeGreaterThanOrEqual(2);
    expect(tries.length).toBeGreaterThan(1);
    expect(tries.length).toBeLessThan(13);
    expect(tries.at(-1)).toBeLessThanOrEqual(RULES.giveUpAfter);
    expect(last).toBe('givenUp');
  },
);

test('what fails anew after it was well forgets the tries on what it had before', () => {
  const known = tried({ since: 0, seen: 8 * DAY });
  const now = 20 * DAY;
  expect(judge({ id: 'c', status: 'failed', changed: 9 * DAY, now }, known, RULES)).toEqual({
    verdict: 'due',
    remembered: { since: 9 * DAY, seen: now },
  });
});

test('one that failed long before the first sweep is tried before it is given up', () => {
  for (const says of [true, false])
    expect(sweepEach([20 * DAY, 20 * DAY + 10 * MIN], 0, says)).toEqual({ tries: [20 * DAY], last: 'givenUp' });
});

test('a sweep once a day remembers too', () => {
  expect(sweepEach(every(DAY, 0, 40 * DAY), 0).tries.map((at) => at / DAY)).toEqual([0, 1, 3, 7]);
});

test('what was well in between and fails anew begins anew, also after it was given up', () => {
  const known = { since: 0, seen: 8 * DAY, givenUp: true };
  const now = 20 * DAY;
  expect(judge({ id: 'c', status: 'failed', changed: 8 * DAY, now }, known, RULES).verdict).toBe('givenUp');
  expect(judge({ id: 'c', status: 'failed', changed: 9 * DAY, now }, known, RULES)).toEqual({
    verdict: 'due',
    remembered: { since: 9 * DAY, seen: now },
  });
});

test.each(['processing', 'pending'])('a capture in %s is in trouble when it is stuck', (status) => {
  expect(troubleOf(capture(status, 0), 29 * MIN, RULES.stuckAfter)).toBeUndefined();
  const stuck = troubleOf(capture(status, 0), 30 * MIN, RULES.stuckAfter);
  expect(stuck && judge(stuck, undefined, RULES).verdict).toBe('due');
});

test('one that is at work again is no failure, though the service keeps its first time', () => {
  const known = { since: 0, seen: 8 * DAY, triedAt: 8 * DAY };
  const at = (now: number) => judge({ id: 'c', status: 'processing', changed: 0, now }, known, RULES).verdict;
  expect(at(8 * DAY + 5 * MIN)).toBe('tooSoon');
  expect(at(8 * DAY + 31 * MIN)).toBe('givenUp');
});

test('one that does not say since when is shown, and left', () => {
  const undated = troubleOf({ id: 'c', status: 'failed' }, 0, RULES.stuckAfter);
  expect(undated && judge(undated, undefined, RULES)).toEqual({ verdict: 'undated' });
  expect(troubleOf({ id: 'c', status: 'processing' }, 0, RULES.stuckAfter)).toBeUndefined();
});

test('what nobody saw for twice giveUpAfter is forgotten', () => {
  expect(isRecent({ since: 0, seen: 0 }, 14 * DAY, RULES)).toBe(true);
  expect(isRecent({ since: 0, seen: 0 }, 15 * DAY, RULES)).toBe(false);
});
