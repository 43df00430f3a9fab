/** S7: who waits for a balance above its floor has it read, for nobody tells of a top-up. */
import { clearanceOf } from '../../activities/clearance';
import type { Deps } from '../../activities/deps';

const NOW = 1_000_000;
const account = { timing: { holdProbeMs: 60_000 }, credits: () => 1_000 };

/** @returns how often the balance was asked to be read */
async function readings(obstacle: object, balanceAskedAt?: number): Promise<number> {
  const readBalance = jest.fn(async () => NOW);
  const ledger = {
    now: () => NOW,
    status: async () => ({ holds: [], parked: {}, budget: {}, balanceAskedAt }),
    obstacle: async () => obstacle,
    overCeiling: async () => undefined,
    readBalance,
  };
  const runtime = { account, ledger: async () => ledger };
  const deps = { accounts: new Map([['main', runtime]]) } as unknown as Deps;
  const { clear } = await clearanceOf(deps, { account: 'main', credits: 1_000 });
  expect(clear).toBe(obstacle === FREE);
  return readBalance.mock.calls.length;
}

const FREE = { kind: 'free' };
const floor = { kind: 'capped', cap: 'floor', credits: 1_000, figures: { budget: { balanceFloor: 5_000 } } };

test('where its last reading is older than the time between two probes', async () => {
  expect(await readings(floor, NOW - 60_000)).toBe(1);
  expect(await readings(floor)).toBe(1);
  expect(await readings(floor, NOW - 59_999)).toBe(0);
});

test('and not for another cap, or for nothing', async () => {
  expect(await readings({ ...floor, cap: 'day' }, NOW - 600_000)).toBe(0);
  expect(await readings(FREE, NOW - 600_000)).toBe(0);
});
