/** S6: children of whose end the server tells nobody are heard of all the same. */
import { auditProject, leadPipeline } from '../../workflows';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { eight, start } from './support/batch';
import { resetToFirst, resetToLast } from './support/reset';
import { inScene, type Scene } from './support/scene';

const options = {
  sandbox: { leads: 60, credits: 100_000 },
  account: { timing: { ...UNHURRIED, paidTimeoutMs: 120_000 } },
};
const LIMIT_MS = 120_000;

/** A run that pays for so many leads is terminated with its calls on the way, which then come to their end; and is reset. */
async function resetAfterItsChildren(scene: Scene, workflowId: string, calls: number, begin: () => Promise<unknown>) {
  const { client } = scene.stage.temporal;
  const { control } = scene.stage.sandbox;
  await scene.stage.startWorker();
  control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 100_000, times: calls });
  await begin();
  await until(() => control.stats().faults.length === calls);
  const run = client.workflow.getHandle(workflowId);
  // Else the reset would come before their start, and the server would tell of them again.
  await until(async () => {
    const { events } = await run.fetchHistory();
    const last = events?.findLastIndex((event) => event.childWorkflowExecutionStartedEventAttributes) ?? -1;
    return events?.slice(last).some((event) => event.workflowTaskCompletedEventAttributes) === true;
  });
  await run.terminate('by hand');
  const { events } = await run.fetchHistory();
  const children = (events ?? []).flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: child }) => child?.workflowExecution?.workflowId ?? [],
  );
  expect(children).toHaveLength(calls);
  control.endDelays();
  for (const id of children)
    expect(await client.workflow.getHandle(id).result()).toMatchObject({ outcome: 'converted' });
  // The server tells a parent a moment after the end, and who is reset before that hears of it: a run more is moment enough.
  const args: Parameters<typeof leadPipeline> = [{ dryRun: true }];
  await client.workflow.execute(leadPipeline, { workflowId: 'moment', taskQueue: 'audit-runner', args });
  await resetToLast(scene.stage, workflowId);
  return client.workflow.getHandle(workflowId).result();
}

test.concurrent(
  'a pipeline',
  () =>
    inScene(options, async (scene) => {
      const input = { maxConversions: 2, maxCredits: 100_000, concurrency: 2, scoring: { minReadiness: 0 } };
      const result = await resetAfterItsChildren(scene, 'pipeline', 2, () =>
        scene.stage.temporal.client.workflow.start(leadPipeline, {
          ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
          args: [input],
        }),
      );
      expect(result).toMatchObject({ ended: 'done', credits: 2_000, counts: { converted: 2 } });
      expect(scene.stage.figures()).toMatchObject({ spent: 2_000, paidTwice: 0 });
    }),
  LIMIT_MS,
);

test.concurrent(
  'a batch',
  () =>
    inScene(options, async (scene) => {
      const input = { ...(await eight(scene)), window: 2 };
      const result = await resetAfterItsChildren(scene, 'batch', 2, () => start(scene, 'batch', input));
      expect(result).toMatchObject({ credits: 8_000, counts: { done: 8 } });
      expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
    }),
  LIMIT_MS,
);

test.concurrent(
  'an audit that converts its lead',
  () =>
    inScene(options, async (scene) => {
      const leadId = scene.lead();
      const result = await resetAfterItsChildren(scene, 'audit', 1, () =>
        scene.stage.temporal.client.workflow.start(auditProject, {
          ...{ workflowId: 'audit', taskQueue: 'audit-runner' },
          args: [{ leadId, prerequisites: 'fail' }],
        }),
      );
      expect(result).toMatchObject({ project: 'converted', credits: 1_000 });
      expect(scene.stage.figures()).toMatchObject({ spent: 1_000, paidTwice: 0 });
    }),
  LIMIT_MS,
);

/** The conversion of a lead is in its call when somebody resets an earlier run of the lead, which ends it. */
async function resetOfAnEarlierRun(scene: Scene, workflowId: string, leadId: string, begin: () => Promise<unknown>) {
  const { client } = scene.stage.temporal;
  const { control } = scene.stage.sandbox;
  await scene.stage.startWorker();
  control.addFault({ route: 'leads.get', about: leadId, fault: 'delay', delayMs: 100_000 });
  const earlier = await scene.convert(leadId);
  await until(() => control.stats().faults.length === 1);
  await earlier.terminate('by hand');
  control.endDelays();
  control.addFault({ route: 'leads.convert', about: leadId, fault: 'delay', delayMs: 100_000 });
  await begin();
  await until(() => control.stats().faults.length === 2);
  await resetToFirst(scene.stage, earlier.workflowId, earlier.firstExecutionRunId);
  control.endDelays();
  return client.workflow.getHandle(workflowId).result();
}

test.concurrent(
  'a pipeline whose conversion is ended because an earlier run of the lead is reset',
  () =>
    inScene(options, async (scene) => {
      const leadId = scene.lead();
      const result = await resetOfAnEarlierRun(scene, 'pipeline', leadId, () =>
        scene.stage.temporal.client.workflow.start(leadPipeline, {
          ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
          args: [{ maxConversions: 60, maxCredits: 100_000, concurrency: 20, scoring: { minReadiness: 0 } }],
        }),
      );
      expect(result).toMatchObject({ ended: 'done', counts: { converted: scene.stage.figures().spent / 1_000 } });
      expect(scene.stage.figures()).toMatchObject({ spent: result.credits, paidTwice: 0 });
    }),
  LIMIT_MS,
);

test.concurrent(
  'an audit whose conversion is ended because an earlier run of the lead is reset',
  () =>
    inScene(options, async (scene) => {
      const leadId = scene.lead();
      const result = await resetOfAnEarlierRun(scene, 'audit', leadId, () =>
        scene.stage.temporal.client.workflow.start(auditProject, {
          ...{ workflowId: 'audit', taskQueue: 'audit-runner' },
          args: [{ leadId, prerequisites: 'fail' }],
        }),
      );
      expect(result).toMatchObject({ outcome: 'unresolved', reason: 'conversionEnded' });
    }),
  LIMIT_MS,
);
