/** The determinism of runs that are told what they refuse beside what they take: the history knows nothing of a refusal. */
import { defaultPayloadConverter } from '@temporalio/common';
import { openLedger } from '../../src/ledger/opening-state';
import { Mishaps } from './engine/mishaps';
import type { Run } from './engine/run';
import { Server, type Worker } from './engine/server';
import { STAGE } from './engine/updates';
import { Host } from './worker/host';
import { World } from './world/world';

const budget = { perRun: null, perDay: null, perMonth: null, balanceFloor: 1, timeZone: 'UTC' };
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const payload = (value: unknown) => defaultPayloadConverter.toPayload(value) as never;
const TURN = [payload({ rateClass: 'writes', limit: { max: 20, windowMs: 60_000 }, withinMs: 1_000 })];
const LEDGER = {
  workflowId: 'account-ledger.u1',
  type: 'accountLedger',
  input: [],
  taskQueue: 'q',
  searchAttributes: {},
};

/** A ledger, with all that it asks for answered but what people said. @param ended so often a person ends its first question */
function stage(ended = 0) {
  let left = ended;
  const world = new World(1);
  const mishaps = new Mishaps(world);
  const server = new Server(mishaps);
  const replays: string[] = [];
  const host = new Host(mishaps, ({ runId }) => void replays.push(runId), 'now');
  const configured = { account: 'default', timing, budget };
  const told = {
    configured,
    probeEveryMs: 60_000,
    before: { lost: false, state: openLedger(configured, world.now, true) },
  };
  const worker: Worker = {
    ...{ name: 'worker', alive: true, skewMs: 0 },
    activate: (run, task) => world.hold(() => host.activate(run, task)),
    query: (run, asked) => world.hold(() => host.query(run, asked)),
    perform(task) {
      const { type } = task.activity;
      if (type === 'keepAct') return;
      if (type === 'openBooks' && left-- > 0) {
        const failed = { message: 'failed by Ann', applicationFailureInfo: { nonRetryable: true } };
        return void world.after(5, () => server.meant(task)?.answered({ failed }));
      }
      const answer = type === 'openBooks' ? told : type === 'probe' ? { kind: 'ok', credits: 1_000 } : undefined;
      world.after(5, () => server.meant(task)?.answered({ completed: payload(answer) }));
    },
    forget: (runId) => host.forget(runId),
  };
  const failures: string[] = [];
  server.onTaskFailure = (_, __, why) => void failures.push(why);
  server.addWorker(worker);
  return {
    ...{ server, world },
    /** As on another worker. */
    async isReplayed(run: Run) {
      host.forget();
      replays.length = 0;
      await worker.query(run, { queryId: 'q1', queryType: 'status', arguments: [] });
      return failures.length === 0 && replays.includes(run.runId);
    },
  };
}

/** A ledger that was reset to the moment before it gave a turn, and has not been told anything yet. */
async function wasReset() {
  const { server, world, isReplayed } = stage();
  const { run } = server.start(LEDGER);
  await world.passes(5_000);
  run.updates.admit('first', 'takeTurn', TURN);
  await world.passes(5_000);
  const after = server.reset(run, run.episodes.length - 1);
  return { after, world, isReplayed };
}

it.each([
  ['it refuses', 'takeTurn'],
  ['nobody handles', 'nonsense'],
])(
  'what %s while a ledger that was reset is closed does not come between what it takes and what it does then',
  async (_, name) => {
    const { after, world, isReplayed } = await wasReset();
    after.updates.admit('refused', name, TURN);
    after.updates.admit('taken', 'release', [payload({ by: 'Ann', reason: 'done' })]);
    await world.passes(5_000);
    expect(await isReplayed(after)).toBe(true);
  },
);

/** A ledger that is told so many events that it is about to continue as new, and waits for what people said to be written. */
async function aboutToContinue(maxEvents: number) {
  const { server, world, isReplayed } = stage();
  const { run } = server.start({ ...LEDGER, input: [payload({ maxEvents })] });
  await world.passes(3_000);
  run.updates.admit('act', 'hold', [payload({ by: 'Ann', reason: 'month end' })]);
  await world.passes(300);
  for (let n = 0; run.history.length < Math.min(60, maxEvents); n++) {
    run.updates.admit(`turn-${n}`, 'takeTurn', TURN);
    await world.passes(300);
  }
  return { run, world, isReplayed };
}

it.each([['takeTurn'], ['nonsense']])(
  'nothing goes on for a refused %s alone, though it is time for that',
  async (name) => {
    // With the end of its last task it has as many as it may have: the next message will find that.
    const { run: without } = await aboutToContinue(1_000);
    const { run, world, isReplayed } = await aboutToContinue(without.history.length);
    const events = run.history.length;
    expect(events).toBe(without.history.length);
    run.updates.admit('refused', name, [payload({})]);
    await world.passes(300);
    expect(run.history).toHaveLength(events);
    run.updates.admit('taken', 'takeTurn', TURN);
    await world.passes(300);
    expect(run.history.length).toBeGreaterThan(events + 4);
    expect(await isReplayed(run)).toBe(true);
  },
);

it('a ledger that was reset and is told nothing but what it refuses opens its books again', async () => {
  const { after, world, isReplayed } = await wasReset();
  after.updates.admit('refused', 'takeTurn', TURN);
  await world.passes(5_000);
  after.updates.admit('taken', 'takeTurn', TURN);
  await world.passes(5_000);
  expect(await after.updates.until('taken', STAGE.COMPLETED, 1)).toMatchObject({ outcome: { success: {} } });
  expect(await isReplayed(after)).toBe(true);
});

it('a ledger asks for its books again where somebody has failed that by hand', async () => {
  const { server, world, isReplayed } = stage(2);
  const { run } = server.start(LEDGER);
  await world.passes(5_000);
  run.updates.admit('taken', 'takeTurn', TURN);
  await world.passes(5_000);
  expect(await run.updates.until('taken', STAGE.COMPLETED, 1)).toMatchObject({ outcome: { success: {} } });
  expect(run.isOpen).toBe(true);
  expect(await isReplayed(run)).toBe(true);
});
