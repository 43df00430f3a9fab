import { type SweepRules, verdictOn } from '../../src/policy/sweep';

const MIN = 60_000;
const RULES: SweepRules = { stuckAfter: 30 * MIN, giveUpAfter: 7 * 24 * 60 * MIN };
const capture = (status: string, created: number, changed: number) => ({
  ...{ id: 'c', status },
  createdAt: new Date(created).toISOString(),
  updatedAt: new Date(changed).toISOString(),
});

test('a capture that always fails is tried at distances that double, however often it is looked at', () => {
  const tries: number[] = [];
  let changed = MIN;
  for (let now = MIN; now < 60 * 24 * 60 * MIN; now += MIN)
    if (verdictOn(capture('failed', 0, changed), now, RULES) === 'due') {
      tries.push(now / MIN);
      changed = now;
    }
  expect(tries).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]);
  expect(verdictOn(capture('failed', 0, changed), 10 * changed, RULES)).toBe('givenUp');
});

test('an old capture that failed at once is due, once', () => {
  const year = 365 * 24 * 60 * MIN;
  expect(verdictOn(capture('failed', 0, MIN), year, RULES)).toBe('due');
  expect(verdictOn(capture('failed', 0, year), year + MIN, RULES)).toBe('givenUp');
});

test.each(['processing', 'pending'])('a capture in %s is due when it is stuck', (status) => {
  expect(verdictOn(capture(status, 0, 0), 29 * MIN, RULES)).toBeUndefined();
  expect(verdictOn(capture(status, 0, 0), 30 * MIN, RULES)).toBe('due');
  expect(verdictOn(capture(status, 0, 40 * MIN), 75 * MIN, RULES)).toBe('tooSoon');
});

test('one that does not say since when is shown, and left', () => {
  expect(verdictOn({ id: 'c', status: 'failed' }, 0, RULES)).toBe('undated');
  expect(verdictOn({ id: 'c', status: 'processing' }, 0, RULES)).toBeUndefined();
});
