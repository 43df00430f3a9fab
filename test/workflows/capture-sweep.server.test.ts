import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { SweptCapture } from '../../activities/capture-sweep';
import { connectNative } from '../../src/temporal/connect-worker';
import { startWorker } from '../../src/worker';
import { captureSweep, ingestCapture } from '../../workflows';
import { takeListsAway } from '../support/lists-away';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    // A sweep tries once.
    account: { timing: { ...QUICK.timing, sendWindowMs: 5_000 } },
    sandbox: { captures: 3, durations: { extraction: 100 } },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

const { parse } = JSON;
const post = async (path: string, body?: object): Promise<string> => {
  const reply = await fetch(`${stage.sandbox.baseUrl}/api/nucleus/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.sandbox.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return parse(await reply.text()).capture?.id ?? '';
};
const enter = (content: string) => post('capture/note', { content });
const statusOf = (id: string) => stage.sandbox.control.captures().find((capture) => capture.id === id)?.status;
const failed = async (times: number): Promise<string> => {
  const id = await enter(`[fails ${times}] ${randomUUID()}`);
  await until(() => statusOf(id) === 'failed');
  return id;
};
const sent = () => stage.sandbox.control.stats().requests.byRoute['captures.reprocess'] ?? 0;

type Input = Parameters<typeof captureSweep>[0];
const start = (input: Input = {}) =>
  stage.temporal.client.workflow.start(captureSweep, {
    workflowId: `sweep-${randomUUID()}`,
    taskQueue: 'audit-runner',
    args: [input],
  });
const sweep = async (input: Input = {}) => {
  const result = await (await start(input)).result();
  const captures: readonly SweptCapture[] = 'inline' in result.captures ? result.captures.inline : [];
  expect(Object.values(result.counts).reduce((a, b) => a + b, 0)).toBe(result.total);
  return { ...result, became: (id: string) => captures.find((capture) => capture.id === id) };
};
test('a failed capture is extracted again once, by two sweeps at once too; a dry run sends nothing', async () => {
  const ids = [await failed(1), await failed(1)];
  const before = sent();
  const dry = await sweep({ dryRun: true });
  expect(ids.map((id) => dry.became(id)?.outcome)).toEqual(['due', 'due']);
  expect(dry.ended).toBe('planned');
  expect(sent()).toBe(before);
  const sweeps = await Promise.all([sweep(), sweep(), sweep()]);
  for (const id of ids) {
    const outcomes = sweeps.map(({ became }) => became(id)?.outcome);
    expect(outcomes.filter((outcome) => outcome === 'reprocessed')).toHaveLength(1);
  }
  expect(sent() - before).toBe(2);
  await until(() => ids.every((id) => statusOf(id) === 'processed'));
});

test('what fails again and again is tried once however old it is, and given up later: told once, as an end that is not well', async () => {
  const id = await failed(99);
  // The age of a capture that was created long before it failed.
  const rules = { giveUpAfter: '1s' };
  expect((await sweep(rules)).became(id)).toMatchObject({ outcome: 'reprocessed' });
  await until(() => statusOf(id) === 'failed');
  await until(async () => (await sweep({ ...rules, dryRun: true })).became(id)?.outcome === 'givenUp');
  const told = await sweep(rules);
  expect(told).toMatchObject({ ended: 'failed', notes: [expect.stringContaining('left to a person')] });
  expect(told.became(id)).toMatchObject({ outcome: 'givenUp' });
  const before = sent();
  const later = await sweep(rules);
  expect(later.became(id)).toMatchObject({ outcome: 'givenUp' });
  expect(later).toMatchObject({ ended: 'done', notes: [] });
  expect(sent()).toBe(before);
});

test('what keeps the time of its first failure is left alone for a while, and given up', async () => {
  const id = await failed(99);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const captures = [{ id, status: 'failed', createdAt: hourAgo, updatedAt: hourAgo }];
  const { control } = stage.sandbox;
  control.addFault({ route: 'captures.list', fault: 'instead', times: 1_000, body: { captures } });
  try {
    expect((await sweep()).became(id)).toMatchObject({ outcome: 'reprocessed' });
    const before = sent();
    expect((await sweep()).became(id)).toMatchObject({ outcome: 'tooSoon' });
    expect(await sweep({ giveUpAfter: '1m' })).toMatchObject({ ended: 'failed', counts: { givenUp: 1 } });
    expect((await sweep({ giveUpAfter: '1m' })).became(id)).toMatchObject({ outcome: 'givenUp' });
    expect(sent()).toBe(before);
  } finally {
    control.clearFaults();
  }
});

test('a stuck capture is extracted again, unless an ingestCapture sees to it; one at work is left', async () => {
  const slow = await startStage({ sandbox: { captures: 1, durations: { extraction: 3_600_000 } } });
  try {
    await slow.startWorker();
    const { control, baseUrl, token } = slow.sandbox;
    const { workflow } = slow.temporal.client;
    await fetch(`${baseUrl}/api/nucleus/capture/note`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'never done' }),
    });
    const captureId = control.captures().find(({ status }) => status === 'pending')?.id ?? '';
    const options = { taskQueue: 'audit-runner', workflowIdConflictPolicy: 'FAIL' } as const;
    const run = async (stuckAfter: string) => {
      const input = { stuckAfter };
      return (await workflow.start(captureSweep, { ...options, workflowId: 'sweep', args: [input] })).result();
    };
    expect(await run('1h')).toMatchObject({ total: 0, counts: {} });
    const ingest = await workflow.start(ingestCapture, { ...options, workflowId: 'ingest', args: [{ captureId }] });
    // Lists of runs lag behind the runs.
    const seesToIt = `WorkflowType = 'ingestCapture' AND ExecutionStatus = 'Running' AND CaptureId = '${captureId}'`;
    await until(async () => (await workflow.count(seesToIt)).count === 1);
    await until(async () => (await run('1s')).counts.inAnotherRun === 1);
    await ingest.terminate('the test goes on');
    await until(async () => (await run('1s')).counts.reprocessed === 1);
    expect(control.stats().requests.byRoute['captures.reprocess']).toBe(1);
  } finally {
    await slow.close();
  }
});

test('S7: while Temporal lists no runs a sweep goes on, and its result says so', async () => {
  const unlisted = await startStage({ sandbox: { captures: 0, durations: { extraction: 100 } } });
  const { control, baseUrl, token } = unlisted.sandbox;
  const { client, namespace } = unlisted.temporal;
  const run = async () =>
    (
      await client.workflow.start(captureSweep, { workflowId: 'sweep', taskQueue: 'audit-runner', args: [{}] })
    ).result();
  const before = await unlisted.startWorker();
  try {
    expect(await run()).toMatchObject({ total: 0, notes: [] });
    before.stop();
    await before.done;
    const address = unlisted.env.TEMPORAL_ADDRESS ?? '';
    const { connection } = await connectNative({ config: { address, namespace } });
    takeListsAway(connection);
    const { config } = unlisted;
    const worker = await startWorker({ config, connection, namespace, log: pino({ level: 'silent' }) });
    try {
      await fetch(`${baseUrl}/api/nucleus/capture/note`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: '[fails 1] unlisted' }),
      });
      await until(() => control.captures().some(({ status }) => status === 'failed'));
      expect(await run()).toMatchObject({
        counts: { reprocessed: 1 },
        notes: [expect.stringContaining('Temporal lists no runs at the moment')],
      });
    } finally {
      worker.stop();
      await worker.done;
      await connection.close();
    }
  } finally {
    await unlisted.close();
  }
});

test('maxReprocesses leaves the rest to the next sweep; lost replies and refusals are told apart', async () => {
  const ids = [await failed(1), await failed(1), await failed(1)];
  stage.sandbox.control.addFault({ route: 'captures.reprocess', fault: 'replyLost' });
  const first = await sweep({ maxReprocesses: 1, statuses: ['failed'] });
  expect(first.counts).toMatchObject({ unknown: 1 });
  expect(first.counts.due).toBeGreaterThanOrEqual(2);
  await until(async () => (await sweep()).total === (await sweep()).counts.tooSoon);
  await until(() => ids.every((id) => statusOf(id) === 'processed'));
});

test('a wrong input fails at once', async () => {
  const failure = await sweep(parse('{"stuckAfter": "soon", "limit": 1}')).catch((error) => error);
  expect(failure.cause).toMatchObject({ type: 'BadInput' });
  for (const part of ['stuckAfter', 'field 2']) expect(failure.cause.message).toContain(part);
});
