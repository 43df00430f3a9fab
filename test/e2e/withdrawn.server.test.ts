/** S3: what is stopped, cancelled or terminated spends nothing more than what it had sent: its children included. */

import { randomUUID } from 'node:crypto';
import Long from 'long';
import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { convertLeadId } from '../../src/runs/run-ids';
import { auditProject, convertLead, leadPipeline } from '../../workflows';
import { type LeadPipelineResult, pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { stopUpdate } from '../../workflows/pipeline/controls';
import { progressQuery } from '../../workflows/shared/status';
import { withdrawSignal } from '../../workflows/shared/withdraw';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const taskQueue = 'audit-runner';
const SMALL = {
  sandbox: { leads: 60, credits: 100_000 },
  account: { timing: { ...UNHURRIED, holdProbeMs: 100 } },
};
/** Conversions that wait, of five. */
const WAIT = 3;
const ALL = { maxConversions: 2 + WAIT, maxCredits: 100_000, concurrency: WAIT, scoring: { minReadiness: 0 } };
/** A call that takes longer than any wait for it. */
const LONG = { fault: 'delay', delayMs: 100_000 } as const;

const pipeline = ({ stage }: Scene, workflowId: string, input: object = {}) =>
  stage.temporal.client.workflow.start(leadPipeline, { workflowId, taskQueue, args: [{ ...ALL, ...input }] });
/** Also of a run that is not begun yet. */
const waitsFor = ({ stage }: Scene, workflowId: string, what: string) =>
  stage.temporal.client.workflow
    .getHandle(workflowId)
    .query(progressQuery)
    .then(
      ({ waiting }) => waiting?.includes(what) === true,
      () => false,
    );
const underWay = async ({ stage }: Scene) =>
  (await stage.temporal.client.workflow.count("WorkflowType = 'convertLead' AND ExecutionStatus = 'Running'")).count;
const reasonsOf = ({ decisions }: LeadPipelineResult) =>
  ('inline' in decisions ? decisions.inline : []).flatMap(({ decision, reasons }) =>
    decision === 'convert' ? (reasons.at(-1) ?? []) : [],
  );

/** Two are converted, and the others wait for the day's budget. */
async function waitsForBudget(scene: Scene, run: Awaited<ReturnType<typeof pipeline>>): Promise<void> {
  await until(async () => {
    const { done, underWay: leads } = await run.query(pipelineProgressQuery);
    const waiting = await Promise.all(leads.map((id) => waitsFor(scene, convertLeadId('default', id), 'the day')));
    return done === 2 && leads.length === WAIT && waiting.every(Boolean);
  });
}

/** The budget is raised, and nothing comes of it. */
async function spendsNoMore(scene: Scene): Promise<void> {
  const { spent } = scene.stage.figures();
  await scene.limitDay(null);
  await until(async () => (await underWay(scene)) === 0);
  expect(scene.stage.figures()).toMatchObject({ spent, paidTwice: 0 });
}

test.concurrent.each<[string, (run: Awaited<ReturnType<typeof pipeline>>) => Promise<unknown>]>([
  ['cancelled', (run) => run.cancel()],
  ['stopped', (run) => run.executeUpdate(stopUpdate, { args: [{ by: 'Ada' }] })],
])('a pipeline that is %s while it waits for the budget withdraws what has sent nothing', (how, end) =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const run = await pipeline(scene, 'pipeline');
    await waitsForBudget(scene, run);
    await end(run);
    const result = await run.result();
    expect(result).toMatchObject({ ended: how, credits: 2_000, counts: { converted: 2 } });
    expect(result.goesOn).toBeUndefined();
    expect(reasonsOf(result).filter((reason) => reason === 'withdrawn')).toHaveLength(WAIT);
    // Lists of runs lag behind the runs.
    await until(async () => (await underWay(scene)) === 0);
    await spendsNoMore(scene);
  }),
);

test.concurrent('what is in a call is heard out, or named with what it may still spend', () =>
  inScene({ ...SMALL, account: { timing: { ...UNHURRIED, paidTimeoutMs: 120_000 } } }, async (scene) => {
    await scene.stage.startWorker();
    const { control } = scene.stage.sandbox;
    control.addFault({ route: 'leads.convert', ...LONG, times: 2 });
    const run = await pipeline(scene, 'pipeline', { maxConversions: 4, concurrency: 2 });
    await until(() => control.stats().faults.length === 2);
    await run.executeUpdate(stopUpdate, { args: [{ now: true }] });
    const result = await run.result();
    const { goesOn } = result;
    expect(result).toMatchObject({ ended: 'stopped', credits: 0, counts: { unresolved: 2 } });
    expect(goesOn).toMatchObject({ count: 2, maySpend: 2_000 });
    control.endDelays();
    for (const id of goesOn?.runs ?? [])
      expect(await scene.stage.temporal.client.workflow.getHandle<typeof convertLead>(id).result()).toMatchObject({
        outcome: 'converted',
        credits: 1_000,
      });
    expect(scene.stage.figures().spent).toBe(2_000);
  }));

test.concurrent('a pipeline that follows another one’s runs leaves them alone, and takes over what that one gives up', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const first = await pipeline(scene, 'first');
    await waitsForBudget(scene, first);
    const second = await pipeline(scene, 'second', { maxConversions: WAIT });
    await until(async () => (await second.query(pipelineProgressQuery)).underWay.length === WAIT);
    const third = await pipeline(scene, 'third', { maxConversions: WAIT });
    await until(async () => (await third.query(pipelineProgressQuery)).underWay.length === WAIT);
    await third.cancel();
    expect(await third.result()).toMatchObject({ ended: 'cancelled', credits: 0 });
    expect(await underWay(scene)).toBe(WAIT);
    await first.cancel();
    await first.result();
    await scene.limitDay(null);
    expect((await second.result()).counts).toMatchObject({ converted: WAIT });
    expect(scene.stage.figures()).toMatchObject({ spent: 5_000, paidTwice: 0 });
  }));

test.concurrent('the conversions of a pipeline that was terminated end without paying', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const run = await pipeline(scene, 'pipeline');
    await waitsForBudget(scene, run);
    await run.terminate();
    await spendsNoMore(scene);
  }));

test.concurrent('a pipeline that was reset is the same one: what it began goes on', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const { client, namespace } = scene.stage.temporal;
    const run = await pipeline(scene, 'pipeline');
    await waitsForBudget(scene, run);
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace, workflowExecution: { workflowId: 'pipeline' }, reason: 'test', requestId: randomUUID() },
      workflowTaskFinishEventId: Long.fromNumber(4),
    });
    const begun = scene.stage.figures().converts;
    await scene.limitDay(null);
    const { counts, credits } = await client.workflow.getHandle<typeof leadPipeline>('pipeline').result();
    expect((counts.converted ?? 0) + (counts.alreadyConverted ?? 0)).toBe(2 + WAIT);
    expect(counts.converted).toBeGreaterThanOrEqual(WAIT);
    expect(scene.stage.figures()).toMatchObject({ spent: credits, paidTwice: 0 });
    expect(scene.stage.figures().converts).toBeGreaterThan(begun);
  }));

/** To the books, a run that is started again under its ID is one that has forgotten what it did. */
const convertFor = ({ stage }: Scene, leadId: string, key: string) =>
  stage.temporal.client.workflow.start(convertLead, {
    ...{ workflowId: convertLeadId('default', leadId), taskQueue },
    args: [{ leadId, run: { key, maxCredits: 100_000 } }],
  });
/** A try before it may have told it. */
const PAID = { outcome: 'converted', credits: 1_000, paidBefore: true, projectId: expect.any(String) };

test.concurrent('S6: what is withdrawn before its first look, and has forgotten what it paid, asks the books', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    const { sandbox } = scene.stage;
    const leads = [scene.lead(), scene.lead()] as const;
    for (const lead of leads) await (await convertFor(scene, lead, 'batch/1')).result();
    sandbox.control.revokeToken({ token: sandbox.token });
    const runs = [await convertFor(scene, leads[0], 'batch/1'), await convertFor(scene, leads[1], 'batch/2')];
    for (const { workflowId } of runs) await until(() => waitsFor(scene, workflowId, 'the token'));
    for (const run of runs) await run.signal(withdrawSignal, {});
    sandbox.control.restoreToken({ token: sandbox.token });
    const [own, anothers] = await Promise.all(runs.map((run) => run.result()));
    expect(own).toMatchObject(PAID);
    expect(anothers).toMatchObject({ outcome: 'skipped', reason: 'withdrawn', credits: 0 });
    expect(scene.stage.figures()).toMatchObject({ spent: 2_000, paidTwice: 0 });
  }));

test.concurrent('S6: so does what is withdrawn in that look', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    const { control } = scene.stage.sandbox;
    const lead = scene.lead();
    await (await convertFor(scene, lead, 'batch/1')).result();
    control.addFault({ route: 'leads.get', ...LONG, times: 1 });
    const run = await convertFor(scene, lead, 'batch/1');
    await until(() => control.stats().faults.length === 1);
    await run.signal(withdrawSignal, {});
    expect(await run.result()).toMatchObject(PAID);
    expect(scene.stage.figures()).toMatchObject({ spent: 1_000, paidTwice: 0 });
  }));

test.concurrent('a conversion or an audit that is cancelled while it waits spends nothing afterwards', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const { workflow } = scene.stage.temporal.client;
    for (const lead of [scene.lead(), scene.lead()]) await (await scene.convert(lead)).result();
    const waits = async (...runs: { workflowId: string }[]) => {
      for (const { workflowId } of runs) await until(() => waitsFor(scene, workflowId, 'The account is not free'));
    };
    const start = async () => {
      const created = await workflow.start(auditProject, {
        ...{ workflowId: 'creates', taskQueue, args: [{ project: { clientName: 'Client' } }] },
      });
      const leadId = scene.lead();
      const converted = await workflow.start(auditProject, { workflowId: 'converts', taskQueue, args: [{ leadId }] });
      const plain = await scene.convert(scene.lead());
      await waits(plain, created, { workflowId: convertLeadId('default', leadId) });
      return [plain, created, converted];
    };
    const cancel = async (runs: Awaited<ReturnType<typeof start>>) => {
      for (const run of runs) await run.cancel();
      for (const run of runs) await expect(run.result()).rejects.toThrow();
    };
    const { spent } = scene.stage.figures();
    await cancel(await start());
    await scene.ledger().executeUpdate(holdUpdate, { args: [{ reason: 'test' }] });
    await scene.limitDay(null);
    await cancel(await start());
    await scene.ledger().executeUpdate(releaseUpdate, { args: [{ reason: 'test' }] });
    await until(async () => (await underWay(scene)) === 0);
    expect(scene.stage.figures().spent).toBe(spent);
  }));
