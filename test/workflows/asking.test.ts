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

test('an item that only waits is looked at soon; several are told of together, and once until none asks any more', async () => {
  const common = { facts: { timing: { holdProbeMs: 60_000 } }, input: { account: 'main' } };
  const state = { asking: 0, told: 0 };
  const said = jest.fn();
  const asking = new Asking(common as never, state as never, () => ['a', 'b', 'c'], said);
  jest.mocked(control.itemsAsking).mockResolvedValue(2);
  void asking.listen();
  await turn();
  expect([mockSlept.length, jest.mocked(control.itemsAsking).mock.calls.length]).toEqual([0, 0]);

  asking.heard();
  asking.heard();
  expect(await slept(1)).toBe(10_000);
  expect(await slept(2)).toBe(60_000);
  expect([state.asking, said.mock.calls.length]).toEqual([2, 1]);
  expect(control.itemsAsking).toHaveBeenCalledWith({ underWay: ['a', 'b', 'c'] });
  expect(tellPersonNeeded).toHaveBeenCalledWith('main', 'items', 1, {
    about: '2 items wait for a person; each says on its own page what it asks',
  });

  asking.heard();
  await slept(3);
  await slept(4);
  expect([jest.mocked(control.itemsAsking).mock.calls.length, state.told]).toEqual([2, 1]);
  jest.mocked(control.itemsAsking).mockResolvedValueOnce(0);
  await asking.look();
  await asking.look();
  expect([state.asking, state.told]).toEqual([2, 2]);
});
