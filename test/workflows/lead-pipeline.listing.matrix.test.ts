/** What people say to a pipeline while it lists more leads than fit into one history. */
import { leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { changeLimitsUpdate, pauseUpdate, resumeUpdate } from '../../workflows/pipeline/controls';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  // The service does not know the limit by this name: 50 leads a page, and more pages than one run of the history takes.
  const undocumented = { leadsList: { limit: 'most' } };
  stage = await startStage({ sandbox: { leads: 12_000, credits: 100_000 }, account: { undocumented } });
  await stage.startWorker();
});
afterAll(() => stage.close());

test('S3 S7: a pause and other limits hold for what is chosen later, also after it continued as new', async () => {
  stage.sandbox.control.addFault({ route: 'leads.list', fault: 'delay', delayMs: 60_000 });
  const run = await stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: 'long', taskQueue: 'audit-runner' },
    args: [{ maxConversions: 5, view: 'all' }],
  });
  await until(() => stage.sandbox.control.stats().faults.length === 1);
  await run.executeUpdate(changeLimitsUpdate, { args: [{ maxConversions: 3, maxCredits: 2_000, by: 'Ada' }] });
  await run.executeUpdate(pauseUpdate, { args: [{ by: 'Ada' }] });
  stage.sandbox.control.endDelays();
  const latest = stage.temporal.client.workflow.getHandle<typeof leadPipeline>('long');
  const paused = async () => (await latest.query(pipelineProgressQuery)).waiting?.includes('Paused by Ada') === true;
  await until(paused, 240_000);
  const { raw } = await latest.describe();
  expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
  expect(stage.figures().converts).toBe(0);
  await latest.executeUpdate(resumeUpdate, { args: [{ by: 'Ada' }] });
  const result = await latest.result();
  expect(result).toMatchObject({ ended: 'done', credits: 2_000, plan: { conversions: 2 }, leads: 12_000 });
  expect(result.counts.converted).toBe(2);
  expect(result.answers.map(({ answer }) => answer)).toEqual([
    'changeLimits {"maxConversions":3,"maxCredits":2000}',
    'pause',
    'resume',
  ]);
}, 300_000);
