/** S7: a call without an answer says what it waits for, as it would in the queue of the writes. */

import { convertLead, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 25 },
    account: { timing: { ...QUICK.timing, paidTimeoutMs: 120_000 } },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

test('a conversion whose turn has not come says so, and no longer when it has', async () => {
  const { control } = stage.sandbox;
  const leadId = control.leads().find(({ surveyStatus }) => surveyStatus === 'completed')?.id ?? '';
  control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 110_000 });
  const run = await stage.temporal.client.workflow.start(convertLead, {
    ...{ workflowId: 'queued', taskQueue: 'audit-runner', args: [{ leadId }] },
  });
  await until(async () => (await run.query(progressQuery)).waiting?.includes('limit of writes (500 in 1 s)') === true);
  await until(() => stage.figures().converts > 0);
  control.endDelays();
  expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
  expect((await run.query(progressQuery)).waiting).toBeUndefined();
});

test('a look whose turn has not come says so, and no longer when it has', async () => {
  const { control } = stage.sandbox;
  control.addFault({ route: 'leads.list', fault: 'delay', delayMs: 110_000 });
  const run = await stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: 'lists', taskQueue: 'audit-runner', args: [{ dryRun: true }] },
  });
  await until(async () => (await run.query(progressQuery)).waiting?.includes('limit of reads') === true);
  await until(() => control.stats().faults.some(({ route }) => route === 'leads.list'));
  control.endDelays();
  expect(await run.result()).toMatchObject({ ended: 'planned' });
  expect((await run.query(progressQuery)).waiting).toBeUndefined();
});
