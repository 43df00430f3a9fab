/** A batch that is ended by a person while some of it waits (S3, S6). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackfillJson } from '../../../src/inputs/backfill';
import { backfill } from '../../../workflows';
import * as messages from '../../../workflows/backfill/batch-messages';
import { UNHURRIED } from '../../support/stage';
import { until } from '../../support/until';
import { inScene, type Scene } from './scene';

const taskQueue = 'audit-runner';
export const SMALL = {
  sandbox: { leads: 60, credits: 100_000 },
  account: { timing: { ...UNHURRIED, holdProbeMs: 100 } },
};
/** However slow the machine, far less than what is waited for. */
export const SOON_MS = 60_000;

export const start = ({ stage }: Scene, workflowId: string, input: Partial<BackfillJson>, renewAfter?: number) =>
  stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId, taskQueue },
    args: [{ maxCredits: 100_000, ...input } as BackfillJson, renewAfter === undefined ? {} : { renewAfter }],
  });
export type Run = Awaited<ReturnType<typeof start>>;

export const waits = (run: Pick<Run, 'query'>, what: string) =>
  run.query<{ waiting?: string }>('progress').then(
    ({ waiting }) => waiting?.includes(what) === true,
    () => false,
  );
export const underWay = async ({ stage }: Scene) =>
  (await stage.temporal.client.workflow.count("WorkflowType = 'convertLead' AND ExecutionStatus = 'Running'")).count;
export const raiseBudget = (scene: Scene) => scene.limitDay(null);

/** So many leads that can be converted, in a file in the storage. */
export async function leadsInFile(scene: Scene, count: number, name = 'leads') {
  const leads = Array.from({ length: count }, () => scene.lead());
  const file = { ref: `${name}.csv` };
  await mkdir(join(scene.stage.folder, 'storage'), { recursive: true });
  await writeFile(join(scene.stage.folder, 'storage', file.ref), `leadId\n${leads.join('\n')}\n`);
  return { leads, file };
}

/** Eight leads in a file. */
export async function eight(scene: Scene): Promise<Partial<BackfillJson>> {
  const { file } = await leadsInFile(scene, 8);
  return { operation: 'convertLead', file, window: 3 };
}

/** Two items are done, and three wait for the day's budget. */
export async function waitsForBudget({ stage }: Scene, run: Run): Promise<void> {
  await until(async () => {
    const { done, underWay: runs } = await run.query(messages.backfillProgressQuery);
    const handles = runs.map((id) => stage.temporal.client.workflow.getHandle(id));
    const waiting = await Promise.all(handles.map((handle) => waits(handle, 'the day')));
    return done === 2 && runs.length === 3 && waiting.every(Boolean);
  });
}

export const stop = (run: Run) => run.executeUpdate(messages.stopUpdate, { args: [{ by: 'Ada' }] });

/** It withdraws what has sent nothing; a redrive does the rest. */
export const withdraws = (how: string, end: (run: Run, scene: Scene) => Promise<unknown>, renewAfter?: number) =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const run = await start(scene, 'batch', await eight(scene), renewAfter);
    await waitsForBudget(scene, run);
    await end(run, scene);
    // Of one that was reset the run that goes on.
    const result = await scene.stage.temporal.client.workflow.getHandle<typeof backfill>('batch').result();
    expect(result).toMatchObject({ ended: how, credits: 2_000, counts: { done: 2, skipped: 6 } });
    expect(result.reasons).toEqual({ 'skipped: withdrawn': 3, [`skipped: ${how}`]: 3 });
    expect(result.goesOn).toBeUndefined();
    // Lists of runs lag behind the runs.
    await until(async () => (await underWay(scene)) === 0);
    await raiseBudget(scene);
    const again = await (await start(scene, 'again', { redriveOf: 'batch' })).result();
    expect(again).toMatchObject({ items: 6, counts: { done: 6 }, credits: 6_000 });
    expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
  });
