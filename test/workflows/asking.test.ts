/** S7: a batch whose items all wait for people tells so soon, and not when it looks the next time, up to an hour later. */
import { setImmediate as turn } from 'node:timers/promises';
import { Asking } from '../../workflows/backfill/asking';
import { control } from '../../workflows/shared/calls';
import { tellPersonNeeded } from '../../workflows/shared/tell';
import { until } from '../support/until';

/** How long it slept, milliseconds, and who ends that. */
const mockSlept: { ms: number; wake: () => void }[] = [];
jest.mock('@temporalio/workflow', () => ({
  condition: async (isSo: () => boolean) => {
    while (!isSo()) await turn();
  },
  sleep: (ms: number) => new Promise<void>((resolve) => mockSlept.push({ ms, wake: resolve })),
}));
jest.mock('../../workflows/shared/calls', () => ({ control: { itemsAsking: jest.fn() } }));
jest.mock('../../workflows/shared/tell', () => ({ tellPersonNeeded: jest.fn() }));

const slept = async (times: number) => {
  await until(() => mockSlept.length === times);
  const last = mockSlept.at(-1);
  last?.wake();
  return last?.ms;
};

test('an item that only waits is looked at soon, and again until it asks; people are told once of all that ask', async () => {
  const common = { facts: { timing: { holdProbeMs: 60_000 } }, input: { account: 'main' } };
  const state = { asking: 0, told: 0 };
  const said = jest.fn();
  const running = ['a', 'b', 'c'].map((workflowId) => ({ workflowId, away: false }));
  const asking = new Asking(common as never, state as never, () => running as never, said);
  jest.mocked(control.itemsAsking).mockResolvedValue(2);
  void asking.listen();
  await turn();
  expect([mockSlept.length, jest.mocked(control.itemsAsking).mock.calls.length]).toEqual([0, 0]);

  for (const one of running) Object.assign(one, { away: true });
  asking.heard();
  expect(await slept(1)).toBe(10_000);
  // The third only waits for what became of its call, and may ask then.
  for (const [nth, ms] of [20_000, 40_000, 80_000, 160_000, 300_000, 300_000].entries())
    expect(await slept(nth + 2)).toBe(ms);
  expect([state.asking, state.told]).toEqual([2, 1]);
  expect(control.itemsAsking).toHaveBeenCalledWith({ underWay: ['a', 'b', 'c'] });
  expect(tellPersonNeeded).toHaveBeenCalledWith('main', 'items', 1, {
    about: '2 items wait for a person; each says on its own page what it asks',
  });

  jest.mocked(control.itemsAsking).mockResolvedValue(3);
  await slept(8);
  await until(() => state.asking === 3);
  // Now none only waits, until one says so again.
  asking.heard();
  expect(await slept(9)).toBe(10_000);
  expect([state.told, said.mock.calls.length]).toEqual([1, 8]);
});
