/** The determinism of runs that are told what they refuse beside what they take: the history knows nothing of a refusal. */
import { defaultPayloadConverter } from '@temporalio/common';
import { openLedger } from '../../src/ledger/opening-state';
import { Mishaps } from './engine/mishaps';
import { Server, type Worker } from './engine/server';
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

it('what is refused while a ledger that was reset is closed does not come between what it takes and what it does then', async () => {
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
      const answer = type === 'openBooks' ? told : type === 'probe' ? { kind: 'ok', credits: 1_000 } : undefined;
      world.after(5, () => server.meant(task)?.answered({ completed: payload(answer) }));
    },
    forget: (runId) => host.forget(runId),
  };
  const passes = async (ms: number) => {
    let isOver = false;
    world.after(ms, () => {
      isOver = true;
    });
    while (!isOver) await world.step();
  };
  const failures: string[] = [];
  server.onTaskFailure = (_, __, why) => void failures.push(why);

  server.addWorker(worker);
  const { run } = server.start(LEDGER);
  await passes(5_000);
  run.updates.admit('first', 'takeTurn', TURN);
  await passes(5_000);
  const after = server.reset(run, run.episodes.length - 1);
  after.updates.admit('refused', 'takeTurn', TURN);
  after.updates.admit('taken', 'release', [payload({ by: 'Ann', reason: 'done' })]);
  await passes(5_000);
  host.forget();
  await worker.query(after, { queryId: 'q1', queryType: 'status', arguments: [] });

  expect(failures).toEqual([]);
  expect(replays).toContain(after.runId);
});
