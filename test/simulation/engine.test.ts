/** The simulated server by itself, with a worker that runs no workflow: what stories seldom meet. */
import { temporal } from '@temporalio/proto';
import type { Try } from './engine/activity';
import { Mishaps } from './engine/mishaps';
import type { Command, Job } from './engine/proto';
import { Server, type Worker } from './engine/server';
import { STAGE } from './engine/updates';
import { World } from './world/world';

const { WORKFLOW_EXECUTION_STATUS_RUNNING: RUNNING, WORKFLOW_EXECUTION_STATUS_TERMINATED: TERMINATED } =
  temporal.api.enums.v1.WorkflowExecutionStatus;

const {
  WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY: FAILED_ONLY,
  WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE: ALWAYS,
} = temporal.api.enums.v1.WorkflowIdReusePolicy;
const { START_CHILD_WORKFLOW_EXECUTION_FAILED_CAUSE_WORKFLOW_ALREADY_EXISTS: ALREADY_EXISTS } =
  temporal.api.enums.v1.StartChildWorkflowExecutionFailedCause;

/** What the first workflow task wants done: an activity that has a minute. */
const ASKS = {
  scheduleActivity: { seq: 1, activityId: '1', activityType: 'probe', scheduleToCloseTimeout: { seconds: 60 } },
} as unknown as Command;

it('an activity that times out while a workflow task is under way is over: what its worker answers then is too late', async () => {
  const world = new World(1);
  const mishaps = new Mishaps(world);
  const server = new Server(mishaps);
  const told: Job[] = [];
  const taken: Try[] = [];
  const worker: Worker = {
    ...{ name: 'worker', alive: true, skewMs: 0 },
    async activate({ episodes }, { jobs }) {
      told.push(...jobs);
      return { activations: [], commands: episodes.length === 0 ? [ASKS] : [], resolved: [] };
    },
    query: () => Promise.reject(new Error('nobody asks')),
    perform: (task) => void taken.push(task),
    forget: () => undefined,
  };

  server.addWorker(worker);
  const { run } = server.start({ workflowId: 'one', type: 'one', input: [], taskQueue: 'one', searchAttributes: {} });
  await world.passes(58_000);
  mishaps.rates = { workflowTaskLost: 1 };
  server.signal(run, 'anything', []);
  await world.passes(4_000);
  mishaps.rates = {};
  expect(taken.map(({ activity }) => activity.isClosed)).toEqual([true]);
  expect(told).toEqual([]);
  for (const task of taken) server.meant(task)?.answered({ completed: undefined });
  await world.passes(20_000);

  const ends = told.flatMap(({ resolveActivity }) => resolveActivity?.result ?? []);
  expect(ends).toEqual([{ failed: expect.anything() }]);
});

it('an update that was accepted and failed is known by its ID ever after; one that was refused when it came is not', async () => {
  const world = new World(1);
  const server = new Server(new Mishaps(world));
  const refused = { message: 'no' };
  const worker: Worker = {
    ...{ name: 'worker', alive: true, skewMs: 0 },
    async activate(_, { jobs, updates }) {
      const answers = [
        ...updates.map((id) => ({
          protocolInstanceId: id,
          ...(id === 'taken' ? { accepted: {} } : { rejected: refused }),
        })),
        ...(jobs.some(({ signalWorkflow }) => signalWorkflow)
          ? [{ protocolInstanceId: 'taken', rejected: refused }]
          : []),
      ];
      const commands = answers.map((updateResponse) => ({ updateResponse })) as unknown as Command[];
      return { activations: [], commands, resolved: [] };
    },
    query: () => Promise.reject(new Error('nobody asks')),
    perform: () => undefined,
    forget: () => undefined,
  };

  server.addWorker(worker);
  const { run } = server.start({ workflowId: 'one', type: 'one', input: [], taskQueue: 'one', searchAttributes: {} });
  run.updates.admit('taken', 'release', []);
  run.updates.admit('refused', 'release', []);
  await world.passes(5_000);
  server.signal(run, 'anything', []);
  await world.passes(5_000);

  expect(await run.updates.until('taken', STAGE.COMPLETED, 1)).toMatchObject({ outcome: { failure: refused } });
  expect(run.updates.has('refused')).toBe(false);
});

it('a list shows a run as it was when its row was written, its end too', async () => {
  const world = new World(1);
  const mishaps = new Mishaps(world);
  const server = new Server(mishaps);
  const shown = () => server.visibility.list('').map(({ status, closeTime }) => [status, closeTime !== undefined]);

  const { run } = server.start({ workflowId: 'one', type: 'one', input: [], taskQueue: 'one', searchAttributes: {} });
  await world.passes(1_000);
  mishaps.rates = { listsLate: 1 };
  run.terminate();
  expect(shown()).toEqual([[RUNNING, false]]);
  await world.passes(10_000);

  expect(shown()).toEqual([[TERMINATED, true]]);
});

it('a child begins beside a run of its ID that has ended as its policy allows', async () => {
  const world = new World(1);
  const server = new Server(new Mishaps(world));
  const told: Job[] = [];
  const child = (seq: number, workflowId: string, workflowIdReusePolicy: number) =>
    ({ startChildWorkflowExecution: { seq, workflowId, workflowType: 'child', workflowIdReusePolicy } }) as Command;
  const worker: Worker = {
    ...{ name: 'worker', alive: true, skewMs: 0 },
    async activate({ workflowId, episodes }, { jobs }) {
      told.push(...jobs);
      const commands =
        workflowId === 'done'
          ? [{ completeWorkflowExecution: {} } as Command]
          : workflowId === 'parent' && episodes.length === 0
            ? [child(1, 'done', FAILED_ONLY), child(2, 'ended', FAILED_ONLY), child(3, 'done', ALWAYS)]
            : [];
      return { activations: [], commands, resolved: [] };
    },
    query: () => Promise.reject(new Error('nobody asks')),
    perform: () => undefined,
    forget: () => undefined,
  };
  const start = (workflowId: string, reuse?: number) =>
    server.start(
      { workflowId, type: 'one', input: [], taskQueue: 'one', searchAttributes: {}, requestId: world.random.uuid() },
      { reuse },
    );

  server.addWorker(worker);
  start('done');
  start('ended').run.terminate();
  await world.passes(5_000);
  expect(() => start('done', FAILED_ONLY)).toThrow('already finished');
  start('parent');
  await world.passes(5_000);

  const begun = told.flatMap(({ resolveChildWorkflowExecutionStart: found }) =>
    found ? [[found.seq, found.failed ? found.failed.cause : 'begun']] : [],
  );
  expect(begun.sort()).toEqual([
    [1, ALREADY_EXISTS],
    [2, 'begun'],
    [3, 'begun'],
  ]);
});
