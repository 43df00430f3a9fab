/** S5: a turn is promised to be used soon, and no machine is too slow for it. */
import { Promptness } from '../../src/time/promptness';

test('a second is promised at first, and by who is fast', () => {
  const promptness = new Promptness(5_000);
  expect(promptness.withinMs).toBe(1_000);
  promptness.took(40);
  expect(promptness.withinMs).toBe(1_000);
});

test('who was slow promises twice as much as it took, until it was fast for a while', () => {
  const promptness = new Promptness(5_000);
  promptness.took(900);
  expect(promptness.withinMs).toBe(1_800);
  for (let n = 0; n < 7; n++) promptness.took(40);
  expect(promptness.withinMs).toBe(1_800);
  promptness.took(40);
  expect(promptness.withinMs).toBe(1_000);
});

test.each([400, 900, 2_000, 4_900])('a machine that takes %i ms gets to send after a few misses', (ms) => {
  const promptness = new Promptness(5_000);
  let misses = 0;
  for (; promptness.withinMs < ms; misses++) promptness.took(promptness.withinMs);
  expect(misses).toBeLessThanOrEqual(3);
});

test('it is never promised to take longer than it may', () => {
  const promptness = new Promptness(1_000);
  promptness.took(60_000);
  expect(promptness.withinMs).toBe(1_000);
});
