/** S3, S6: a batch that is ended in other ways, at other times; the first are in stopped-batch.server.test.ts. */
import type { backfill } from '../../workflows';
import * as messages from '../../workflows/backfill/batch-messages';
import { until } from '../support/until';
import {
  eight,
  type Run,
  raiseBudget,
  SMALL,
  SOON_MS,
  start,
  stop,
  underWay,
  waits,
  waitsForBudget,
  withdraws,
} from './support/batch';
import { resetToFirst, resetToLast } from './support/reset';
import { inScene, type Scene } from './support/scene';

// Those that were begun before are no children of the run that is stopped.
test.concurrent('a batch that goes on as a new run and is stopped withdraws what has sent nothing; a redrive does the rest', () =>
  withdraws('stopped', stop, 3));

test.concurrent('a batch that goes on as a new run knows its items again that were reset', () =>
  withdraws(
    'stopped',
    async (run, scene) => {
      const { underWay: runs } = await run.query(messages.backfillProgressQuery);
      for (const id of runs) await resetToLast(scene.stage, id);
      await stop(run);
    },
    3,
  ));

/** It begins once more, and comes as far as before. */
async function beginsAgain(run: Run, scene: Scene): Promise<void> {
  await resetToFirst(scene.stage, 'batch', run.firstExecutionRunId);
  await until(() => waits(run, 'the day'));
  await waitsForBudget(scene, run);
}

test.concurrent('a batch that was reset to its beginning withdraws what it had begun before', () =>
  withdraws('stopped', async (run, scene) => {
    await beginsAgain(run, scene);
    await stop(run);
  }));

// One that goes on as a new run does so while it asks what it had done before.
test.concurrent.each([600, 1])(
  'a batch that was reset to its beginning counts what it had done before as its own, renewed after %i',
  (renewAfter) =>
    inScene(SMALL, async (scene) => {
      await scene.stage.startWorker();
      await scene.limitDay(2_000);
      const run = await start(scene, 'batch', await eight(scene), renewAfter);
      await waitsForBudget(scene, run);
      await beginsAgain(run, scene);
      await raiseBudget(scene);
      const result = await scene.stage.temporal.client.workflow.getHandle<typeof backfill>('batch').result();
      expect(result).toMatchObject({ ended: 'done', credits: 8_000, counts: { done: 8, alreadyDone: 0 } });
      expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
    }),
);

test.concurrent('a batch of leads by a filter that was reset to its beginning does no more than it may', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(2_000);
    const leads = { scoring: { minReadiness: 0 } };
    const run = await start(scene, 'batch', { operation: 'convertLead', leads, maxItems: 5, window: 3 });
    await waitsForBudget(scene, run);
    await beginsAgain(run, scene);
    await raiseBudget(scene);
    const result = await scene.stage.temporal.client.workflow.getHandle<typeof backfill>('batch').result();
    expect(result).toMatchObject({ ended: 'done', credits: 5_000, counts: { done: 5 } });
    expect(scene.stage.figures()).toMatchObject({ spent: 5_000, paidTwice: 0 });
  }));

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
