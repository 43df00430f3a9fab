/** S3, S6: a batch that is stopped or cancelled ends soon, whatever it waits for, and a redrive does all that is not done. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackfillJson } from '../../src/policy/inputs/backfill';
import { backfill } from '../../workflows';
import * as messages from '../../workflows/backfill/messages';
import { progressQuery } from '../../workflows/convert-lead';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const taskQueue = 'audit-runner';
const SMALL = {
  sandbox: { leads: 60, credits: 100_000 },
  account: { timing: { ...UNHURRIED, holdProbeMs: 100 } },
};
/** However slow the machine, far less than what is waited for. */
const SOON_MS = 60_000;

const start = ({ stage }: Scene, workflowId: string, input: Partial<BackfillJson>, renewAfter?: number) =>
  stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId, taskQueue },
    args: [{ maxCredits: 100_000, ...input } as BackfillJson, renewAfter === undefined ? {} : { renewAfter }],
  });
type Run = Awaited<ReturnType<typeof start>>;

const waits = (run: Pick<Run, 'query'>, what: string) =>
  run.query<{ waiting?: string }>('progress').then(
    ({ waiting }) => waiting?.includes(what) === true,
    () => false,
  );
const underWay = async ({ stage }: Scene) =>
  (await stage.temporal.client.workflow.count("WorkflowType = 'convertLead' AND ExecutionStatus = 'Running'")).count;
const raiseBudget = (scene: Scene) => scene.limitDay(null);

/** Eight leads in a file. */
async function eight(scene: Scene): Promise<Partial<BackfillJson>> {
  const ids = Array.from({ length: 8 }, () => scene.lead());
  await mkdir(join(scene.stage.folder, 'storage'), { recursive: true });
  await writeFile(join(scene.stage.folder, 'storage', 'leads.csv'), `leadId\n${ids.join('\n')}\n`);
  return { operation: 'convertLead', file: { ref: 'leads.csv' }, window: 3 };
}

/** Two items are done, and three wait for the day's budget. */
async function waitsForBudget({ stage }: Scene, run: Run): Promise<void> {
  await until(async () => {
    const { done, underWay: runs } = await run.query(messages.backfillProgressQuery);
    const handles = runs.map((id) => stage.temporal.client.workflow.getHandle(id));
    const waiting = await Promise.all(handles.map((handle) => waits(handle, 'the day')));
    return done === 2 && runs.length === 3 && waiting.every(Boolean);
  });
}

const stop = (run: Run) => run.executeUpdate(messages.stopUpdate, { args: [{ by: 'Ada' }] });

test.concurrent.each<[string, (run: Run) => Promise<unknown>, number | undefined]>([
  ['cancelled', (run) => run.cancel(), undefined],
  ['stopped', stop, undefined],
  // Those that were begun before are no children of the run that is stopped.
  ['stopped', stop, 3],
])('a batch that is %s withdraws what has sent nothing; a redrive does the rest', (how, end, renewAfter) =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const run = await start(scene, 'batch', await eight(scene), renewAfter);
    await waitsForBudget(scene, run);
    await end(run);
    const result = await run.result();
    expect(result).toMatchObject({ ended: how, credits: 2_000, counts: { done: 2, skipped: 6 } });
    expect(result.reasons).toEqual({ 'skipped: withdrawn': 3, [`skipped: ${how}`]: 3 });
    expect(result.goesOn).toBeUndefined();
    expect(await underWay(scene)).toBe(0);
    await raiseBudget(scene);
    const again = await (await start(scene, 'again', { redriveOf: 'batch' })).result();
    expect(again).toMatchObject({ items: 6, counts: { done: 6 }, credits: 6_000 });
    expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
  }),
);

test.concurrent('a batch that was terminated spends nothing more, and a redrive does what was not done', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const run = await start(scene, 'batch', await eight(scene));
    await waitsForBudget(scene, run);
    await run.terminate();
    await raiseBudget(scene);
    await until(async () => (await underWay(scene)) === 0);
    expect(scene.stage.figures().spent).toBe(2_000);
    const again = await (await start(scene, 'again', { redriveOf: 'batch' })).result();
    expect(again.counts.done + again.counts.alreadyDone).toBe(again.items);
    expect(again.items).toBeGreaterThanOrEqual(6);
    expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
  }));

test.concurrent('a batch ends soon when it is stopped without credits, paused, or before anybody approved it', () =>
  inScene({ ...SMALL, sandbox: { leads: 60, credits: 500 } }, async (scene) => {
    await scene.stage.startWorker();
    const input = await eight(scene);
    const poor = await start(scene, 'poor', input);
    await until(() => waits(poor, 'too few credits'));
    const paused = await start(scene, 'paused', { ...input, window: 1 });
    await paused.executeUpdate(messages.pauseUpdate, { args: [{ by: 'Ada' }] });
    const asks = await start(scene, 'asks', { ...input, approval: 'all' });
    await until(() => waits(asks, 'Approval is needed'));
    const at = Date.now();
    for (const run of [paused, asks, poor]) {
      await stop(run);
      expect(await run.result()).toMatchObject({ ended: 'stopped', credits: 0, counts: { skipped: 8 } });
    }
    expect(Date.now() - at).toBeLessThan(SOON_MS);
    scene.stage.sandbox.control.setCredits({ credits: 50_000 });
    const again = await (await start(scene, 'again', { redriveOf: 'poor' })).result();
    expect(again).toMatchObject({ items: 8, counts: { done: 8 } });
  }));

test.concurrent.each<[string, (run: Run) => Promise<unknown>]>([
  ['stopped', stop],
  ['cancelled', (run) => run.cancel()],
  ['terminated', (run) => run.terminate()],
])('a batch that is %s while it lists: a redrive of it lists, and a redrive of that one', (_, end) =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    const { control } = scene.stage.sandbox;
    await (await scene.convert(scene.lead())).result();
    control.setAgentApi({ enabled: false });
    const source = { operation: 'convertLead', leads: { scoring: { minReadiness: 0 } } } as const;
    const run = await start(scene, 'batch', source);
    await until(() => waits(run, 'on hold'));
    const at = Date.now();
    await end(run);
    const result = await run.result().catch(() => undefined);
    expect(Date.now() - at).toBeLessThan(SOON_MS);
    if (result) expect(result).toMatchObject({ ended: 'stopped', items: 0, credits: 0 });
    const held = await start(scene, 'held', { redriveOf: 'batch' });
    await until(() => waits(held, 'on hold'));
    await end(held);
    await held.result().catch(() => undefined);
    control.setAgentApi({ enabled: true });
    const again = await (await start(scene, 'again', { redriveOf: 'held', dryRun: true })).result();
    expect(again.operation).toBe('convertLead');
    expect(again.items).toBeGreaterThan(10);
  }),
);

test.concurrent('what was sent is named with what it may still spend, and goes on', () =>
  inScene({ ...SMALL, account: { timing: { ...UNHURRIED, paidTimeoutMs: 120_000 } } }, async (scene) => {
    await scene.stage.startWorker();
    const { control } = scene.stage.sandbox;
    control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 100_000, times: 2 });
    const run = await start(scene, 'batch', { ...(await eight(scene)), window: 2 });
    await until(() => control.stats().faults.length === 2);
    await run.executeUpdate(messages.stopUpdate, { args: [{ now: true }] });
    const { goesOn, ...result } = await run.result();
    expect(result).toMatchObject({ ended: 'stopped', counts: { waiting: 2, skipped: 6 } });
    expect(goesOn).toMatchObject({ count: 2, maySpend: 2_000 });
    control.endDelays();
    const runs = (goesOn?.runs ?? []).map((id) => scene.stage.temporal.client.workflow.getHandle(id));
    for (const each of runs) expect(await each.result()).toMatchObject({ outcome: 'converted' });
    // The two are found to be done.
    const again = await (await start(scene, 'again', { redriveOf: 'batch' })).result();
    expect(again).toMatchObject({ items: 8, counts: { done: 6, alreadyDone: 2 } });
    expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
  }));

test.concurrent('an audit that has its project goes on when its batch is stopped; one that waits for credits does not', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(1_000);
    await mkdir(join(scene.stage.folder, 'storage'), { recursive: true });
    const rows = ['One', 'Two'].map((clientName) => JSON.stringify({ project: { clientName } }));
    await writeFile(join(scene.stage.folder, 'storage', 'audits.jsonl'), `${rows.join('\n')}\n`);
    const run = await start(scene, 'batch', { operation: 'auditProject', file: { ref: 'audits.jsonl' } });
    await until(async () => {
      const { underWay: runs } = await run.query(messages.backfillProgressQuery);
      const handles = runs.map((id) => scene.stage.temporal.client.workflow.getHandle(id));
      const says = await Promise.all(handles.map((each) => each.query(progressQuery).catch(() => undefined)));
      return (
        says.some((one) => one?.waiting?.includes('interview analysis')) &&
        says.some((one) => one?.waiting?.includes('the day'))
      );
    });
    await run.executeUpdate(messages.stopUpdate, { args: [{ now: true }] });
    const { goesOn, counts, reasons } = await run.result();
    expect(counts).toMatchObject({ waiting: 1, skipped: 1 });
    expect(reasons).toEqual({ 'waiting: itsRunGoesOn': 1, 'skipped: withdrawn': 1 });
    const [left = ''] = goesOn?.runs ?? [];
    const audit = scene.stage.temporal.client.workflow.getHandle(left);
    expect((await audit.describe()).status.name).toBe('RUNNING');
    await audit.terminate();
  }));
