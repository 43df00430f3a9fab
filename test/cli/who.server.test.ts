/** Who did something to a run, and who or what began what is paid, in the books and on the page: by more than their own word. */
import { Client } from '@temporalio/client';
import { setBudgetUpdate } from '../../src/ledger/messages';
import { leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { detailsOf } from '../support/details';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000, durations: { convert: 50 } } });
  await stage.startWorker();
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

interface KeptAct {
  update: string;
  workflowId: string;
  by?: string;
  identity?: string;
  said: string;
}
async function keptOf(workflowId: string): Promise<KeptAct[]> {
  const { code, stdout } = await cli.run(['books', 'acts', '--json'], stage.env);
  const acts: KeptAct[] = code === 0 ? JSON.parse(stdout)[0].acts : [];
  return acts.filter((act) => act.workflowId === workflowId);
}
/** Of this test alone. */
const freeLead = (nth: number) => completedLeads(stage)[nth] ?? '';

test('who said what stands on the page of a run, with the client that said it, however many say something at once', async () => {
  const handle = await stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: 'who', taskQueue: 'audit-runner' },
    args: [{ approval: 'all', maxConversions: 2, concurrency: 1, scoring: { minReadiness: 0 } }],
  });
  await until(async () => (await handle.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false);
  const { connection, options } = stage.temporal.client;
  const as = (identity: string) =>
    new Client({ connection, namespace: options.namespace, identity }).workflow.getHandle('who');
  await Promise.all([
    as('ann@laptop').executeUpdate('pause', { args: [{ by: 'Ann' }] }),
    as('bob@desk').executeUpdate('changeLimits', { args: [{ maxConversions: 1, by: 'Bob' }] }),
  ]);
  const page = () => detailsOf(stage.temporal.client, 'who');
  await until(async () => /Ann \(client: `ann@laptop`\): pause/.test(await page()));
  await until(async () => /Bob \(client: `bob@desk`\): changeLimits/.test(await page()));
  await as('').executeUpdate('resume', { args: [{ by: 'the CFO' }] });
  await as('eve@elsewhere').executeUpdate('approve', { args: [{ by: 'the CFO' }] });
  const { answers } = await handle.result();
  const who = answers.map(({ by, identity, answer }) => [answer.split(' ')[0], [by, identity]]);
  expect(Object.fromEntries(who)).toEqual({
    pause: ['Ann', 'ann@laptop'],
    changeLimits: ['Bob', 'bob@desk'],
    resume: ['the CFO', ''],
    approve: ['the CFO', 'eve@elsewhere'],
  });
  await until(async () => (await keptOf('who')).length === 5);
  const [approved] = (await keptOf('who')).filter(({ update }) => update === 'approve');
  expect(approved).toMatchObject({ by: 'the CFO', identity: 'eve@elsewhere' });
});

test('the books say once who or what began a run that pays, with the budget of its input and nothing else of it', async () => {
  const { client } = stage.temporal;
  const input = { approval: 'none', maxConversions: 2, maxCredits: 2_000, scoring: { minReadiness: 0 } } as const;
  const common = { workflowId: 'budget', taskQueue: 'audit-runner', args: [input] as [typeof input] };
  expect(await client.workflow.execute(leadPipeline, common)).toMatchObject({ credits: 2_000 });
  await until(async () => (await keptOf('budget')).length > 0);
  const [began, ...more] = await keptOf('budget');
  expect(more).toEqual([]);
  expect(began).toMatchObject({ update: 'start', identity: expect.stringMatching(/^\d+@/) });
  expect(JSON.parse(began?.said ?? '')).toEqual({ approval: 'none', maxConversions: 2, maxCredits: 2_000 });

  const plan = { workflowId: 'plan', taskQueue: 'audit-runner', args: [{ dryRun: true }] as [{ dryRun: true }] };
  await client.workflow.execute(leadPipeline, plan);
  expect(await keptOf('plan')).toEqual([]);
});

test.each(['before it pays', 'after it has paid'])(
  'an update whose ID is the word start hides nothing: %s',
  async (when) => {
    const { client } = stage.temporal;
    const workflowId = `hides ${when}`;
    const handle = await client.workflow.start(leadPipeline, {
      ...{ workflowId, taskQueue: 'audit-runner' },
      args: [{ approval: 'all', maxConversions: 2, concurrency: 1, scoring: { minReadiness: 0 } }],
    });
    await until(async () => (await handle.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false);
    const say = (update: string, updateId: string, said: object) =>
      handle.executeUpdate(update, { updateId, args: [{ ...said, by: 'Eve' }] });
    const ledger = client.workflow.getHandle(stage.ledgerId);
    const limit = (perDay: number | null) =>
      ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay, reason: 'test', by: 'Ada' }] });
    if (when === 'before it pays') await say('pause', 'start', {});
    // The second conversion waits until the update was said.
    else await limit((await stage.spentByLedger()) + 1_000);
    await say('approve', 'yes', {});
    if (when === 'before it pays') await say('resume', 'on', {});
    else {
      await until(async () => (await handle.query(pipelineProgressQuery)).credits > 0);
      await say('changeLimits', 'start', { maxCredits: 1_500 });
      await limit(null);
    }
    await handle.result();
    const expected =
      when === 'before it pays' ? ['approve', 'pause', 'resume', 'start'] : ['approve', 'changeLimits', 'start'];
    await until(async () => (await keptOf(workflowId)).length === expected.length);
    expect((await keptOf(workflowId)).map(({ update }) => update).sort()).toEqual(expected);
  },
);

test('an audit that pays by a run of its own is put down to who began it, whichever run its input names', async () => {
  const { client } = stage.temporal;
  const victim = await client.workflow.start(leadPipeline, {
    ...{ workflowId: 'victim', taskQueue: 'audit-runner' },
    args: [{ approval: 'all', maxConversions: 1, scoring: { minReadiness: 0 } }],
  });
  const key = `victim/${victim.firstExecutionRunId}`;
  await client.workflow.start('auditProject', {
    ...{ workflowId: 'blames', taskQueue: 'audit-runner' },
    args: [{ leadId: freeLead(9), maxCredits: 5_000, run: { key, maxCredits: 5_000 } }],
  });
  await until(async () => (await keptOf('blames')).length > 0);
  expect(await keptOf('blames')).toEqual([expect.objectContaining({ update: 'start' })]);
  expect(await keptOf('victim')).toEqual([]);
  await client.workflow.getHandle('blames').terminate();
  await victim.terminate();
});

test('a run that a schedule has started says so in the books', async () => {
  const { client } = stage.temporal;
  const schedule = await client.schedule.create({
    scheduleId: 'by-schedule',
    spec: {},
    action: {
      ...{ type: 'startWorkflow', workflowType: 'convertLead', workflowId: 'scheduled', taskQueue: 'audit-runner' },
      args: [{ leadId: freeLead(5) }],
    },
  });
  await schedule.trigger();
  const running = async () => (await schedule.describe()).info.recentActions[0]?.action.workflow.workflowId ?? '';
  await until(async () => (await running()) !== '');
  expect(await client.workflow.getHandle(await running()).result()).toMatchObject({ credits: 1_000 });
  await until(async () => (await keptOf(await running())).length > 0);
  const [began] = await keptOf(await running());
  expect(JSON.parse(began?.said ?? '')).toEqual({ schedule: 'by-schedule' });
  await schedule.delete();
});
