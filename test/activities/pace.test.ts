import { seldom } from '../../activities/pace';

const POLL_MS = 5_000;
const MINUTE_MS = 60_000;

/** Looks in a wait of so long. */
function looks(waitMs: number): number {
  let count = 0;
  for (let at = 0; at < waitMs; at += seldom(POLL_MS, at)) count++;
  return count;
}

test('S5: what people take days for is looked at after a minute, then soon once an hour', () => {
  expect(seldom(POLL_MS, 0)).toBe(MINUTE_MS);
  expect(looks(3 * 60 * MINUTE_MS)).toBeLessThanOrEqual(14);
  expect(seldom(POLL_MS, 24 * 60 * MINUTE_MS)).toBe(60 * MINUTE_MS);
});

test('a clock that goes back does not make it look without a pause', () => {
  expect(seldom(POLL_MS, -MINUTE_MS)).toBe(MINUTE_MS);
});
