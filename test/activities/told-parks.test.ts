/** S5: what other processes heard of a 429 counts also when the ledger does not answer the next time. */
import { mayLeave, parkClass, parkedFor } from '../../activities/call';
import type { AccountRuntime } from '../../activities/deps';
import { createGate, LIMITS } from '../../src/agent-api';
import { LONGEST_PARK_MS } from '../../src/ledger';

const HOUR = 3_600_000;

/** A ledger of which the test says what it answers. */
function runtimeOf(limits: Partial<typeof LIMITS> = {}) {
  const gate = createGate({ limits: { ...LIMITS, ...limits } });
  const told = { passage: undefined as object | undefined, parks: [] as number[] };
  const book = {
    now: () => Date.now(),
    passage: async () => told.passage,
    park: async (_: string, forMs: number) => void told.parks.push(forMs),
  };
  return {
    gate,
    told,
    runtime: { gate, ledger: async () => book, knownLedger: () => book } as unknown as AccountRuntime,
  };
}
const passage = (parked: Record<string, number>, parksEndedAt = 0) => ({ holds: [], parked, parksEndedAt });

test('each class that is parked stays so, whichever was asked about', async () => {
  const { gate, told, runtime } = runtimeOf();
  told.passage = passage({ polls: Date.now() + HOUR, notes: Date.now() + HOUR, reads: Date.now() - 1 });
  await mayLeave(runtime);
  told.passage = undefined;
  for (const [rateClass, ms] of [
    ['polls', HOUR],
    ['notes', HOUR],
    ['writes', 0],
    ['reads', 0],
  ] as const)
    expect(Math.abs((await parkedFor(runtime, rateClass)) - ms)).toBeLessThan(1_000);
  expect(gate.parkedUntil('writes')).toBeUndefined();
});

test('but not what a person has ended since', async () => {
  const { told, runtime } = runtimeOf();
  const before = passage({ polls: Date.now() + HOUR });
  told.passage = before;
  await mayLeave(runtime);
  told.passage = passage({}, Date.now());
  await mayLeave(runtime);
  // An answer that was on its way for longer.
  told.passage = before;
  await mayLeave(runtime);
  told.passage = undefined;
  expect(await parkedFor(runtime, 'polls')).toBe(0);
});

test('the ledger is told of no longer park than it takes', async () => {
  const { gate, told, runtime } = runtimeOf();
  gate.refused('audits', Date.now() + 3 * LONGEST_PARK_MS);
  await parkClass(runtime, 'audits');
  expect(Math.max(...told.parks)).toBe(LONGEST_PARK_MS);
});
