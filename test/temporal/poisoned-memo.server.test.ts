/** Anybody can start a run with a memo that nobody can read. It stops no list, and nothing that lists. */
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { endOf } from '../../activities/followed-run';
import { whyUnreadable } from '../../src/runs/unreadable-data';
import { createClient } from '../../src/temporal/client';
import { dataConverter } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { ownedPipelines } from '../../src/temporal/schedules';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { convertLead } from '../../workflows';
import { cliFolder } from '../cli/cli';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const poison = {
  metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('0123456789abcdef') },
  data: randomBytes(60),
};
const memo = { fields: { owner: poison } };
const ACCOUNT = {
  metadata: { encoding: Buffer.from('json/plain'), type: Buffer.from('Keyword') },
  data: Buffer.from('"default"'),
};

const cli = cliFolder();
afterAll(() => cli.close());

/** A run that nobody works for. */
async function start({ temporal: { connection, namespace } }: Stage, workflowId: string, type: string): Promise<void> {
  await connection.workflowService.startWorkflowExecution({
    ...{ namespace, workflowId, memo, requestId: workflowId },
    ...{ workflowType: { name: type }, taskQueue: { name: 'nobodys' } },
    searchAttributes: { indexedFields: { [searchAttributeKeys.account.name]: ACCOUNT } },
  });
}

async function poisonSchedule({ temporal: { connection, namespace } }: Stage): Promise<void> {
  const startWorkflow = { workflowId: 'x', workflowType: { name: 'x' }, taskQueue: { name: 'nobodys' } };
  await connection.workflowService.createSchedule({
    ...{ namespace, scheduleId: 'audit-runner.poisoned', requestId: 's', memo },
    schedule: { spec: {}, action: { startWorkflow }, state: { paused: true } },
  });
}

describe.each([
  ['with a key', randomBytes(32).toString('base64')],
  ['without one', undefined],
])('%s', (_, key) => {
  const env: Record<string, string> = key === undefined ? {} : { [ENCRYPTION_VARIABLE]: key };
  let stage: Stage;
  beforeAll(async () => {
    Object.assign(process.env, env);
    stage = await startStage({ sandbox: { leads: 20 } });
    // A ledger of before, ended by hand, among others.
    await start(stage, stage.ledgerId, 'accountLedger');
    await stage.temporal.client.workflow.getHandle(stage.ledgerId).terminate();
    await start(stage, 'poisoned', 'leadPipeline');
    await poisonSchedule(stage);
    const listed = async () => (await stage.temporal.client.workflow.count("TaskQueue = 'nobodys'")).count;
    await until(async () => (await listed()) === 2);
    await stage.startWorker();
  });
  afterAll(async () => {
    await stage.close();
    delete process.env[ENCRYPTION_VARIABLE];
  });

  test('lists and descriptions have marks in its place', async () => {
    const { connection, namespace } = stage.temporal;
    const client = createClient({ connection, namespace });
    const memos: unknown[] = [];
    for await (const run of client.workflow.list({ query: "TaskQueue = 'nobodys'" })) memos.push(run.memo?.owner);
    expect(memos.map(whyUnreadable)).toEqual(Array(2).fill(expect.stringContaining('key 0123456789abcdef')));
    const described = await client.workflow.getHandle('poisoned').describe();
    expect(whyUnreadable(described.memo?.owner)).toContain('which no worker has');
    const memosOfSchedules: unknown[] = [];
    for await (const one of client.schedule.list()) memosOfSchedules.push(one.memo?.owner);
    expect(memosOfSchedules.map(whyUnreadable)).toContainEqual(expect.stringContaining('which no worker has'));
    expect(await ownedPipelines(client)).toEqual([]);
    expect(await endOf(client, { workflowId: 'poisoned' })).toBeUndefined();
  });

  test('a ledger opens beside it, and pays', async () => {
    const [leadId = ''] = completedLeads(stage);
    const { client } = stage.temporal;
    const paid = await client.workflow.execute(convertLead, {
      ...{ workflowId: 'pays', taskQueue: 'audit-runner', args: [{ leadId }] },
    });
    expect(paid).toMatchObject({ outcome: 'converted', credits: 1_000 });
  });

  test.each([
    [['status'], [0, 3]],
    [
      ['spend', '--account', 'default'],
      [0, 1],
    ],
    [['doctor'], [0, 1, 3]],
    [['report', '--since', '1d', '--out', 'report'], [0]],
    [['schedules', 'list'], [0]],
  ])('%p works', async (args, codes) => {
    const { code, stdout, stderr } = await cli.run(args, { ...stage.env, ...env });
    expect(`${stdout}${stderr}`).not.toMatch(/CannotDecrypt|Unknown encoding|among those in/);
    expect(codes).toContain(code);
  });
});

test('the test itself: a client of the SDK alone stops at it', async () => {
  const stage = await startStage();
  try {
    await start(stage, 'poisoned', 'leadPipeline');
    const { connection, namespace } = stage.temporal;
    const converter = dataConverter({ [ENCRYPTION_VARIABLE]: randomBytes(32).toString('base64') }, namespace);
    const client = new Client({ connection, namespace, ...(converter && { dataConverter: converter }) });
    await expect(client.workflow.getHandle('poisoned').describe()).rejects.toThrow('not among those in');
  } finally {
    await stage.close();
  }
});
