/** What is paid for is paid for once, and reported so, whatever is killed in the middle of it (S1, S2, S3, S6). */

import type { FaultRule } from '../../src/sandbox/options';
import { leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

/** Finding out that a worker is gone takes its heartbeat timeout, 15 s; seven scenes with processes of their own go side by side. */
const LIMIT_MS = 240_000;

const options = { ownServer: true, account: { timing: { ...QUICK.timing, paidTimeoutMs: 3_000 } } };
/** Longer than it takes to kill something, shorter than the time limit of a paid call. */
const DELAY = { fault: 'delay', delayMs: 1_500 } as const;
const DELAY_REPLY = { fault: 'delayReply', delayMs: 1_500 } as const;
const faults = ({ stage }: Scene, ...rules: readonly Pick<FaultRule, 'fault' | 'delayMs'>[]) => {
  for (const rule of rules) stage.sandbox.control.addFault({ route: 'leads.convert', ...rule });
};

function expectPaidOnce({ stage }: Scene, leads: number): void {
  expect(stage.figures()).toMatchObject({ conversions: leads, spent: leads * 1_000, paidTwice: 0 });
  expect(stage.sandbox.control.stats().paidOverlapping).toEqual([]);
}

const converted = { outcome: 'converted', credits: 1_000, projectId: expect.any(String) };

// Each has a server, a sandbox and workers of its own, and most of the time waits: they go side by side.
test.concurrent(
  'the only worker killed in three calls: one was not committed yet, one was, one will never be',
  () =>
    inScene(options, async (scene) => {
      const { control } = scene.stage.sandbox;
      const worker = await scene.worker();
      control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 700 });
      faults(scene, DELAY_REPLY);
      control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 1_900 });
      const runs = await scene.convertsUnderWay([scene.lead(), scene.lead(), scene.lead()]);
      await worker.kill();
      await until(() => scene.stage.figures().conversions === 2);
      // The third commits to nothing: the service refuses it, and nobody hears that.
      control.setCredits({ credits: 0 });
      await scene.worker();
      await until(async () => (await scene.ledgerStatus().catch(() => undefined))?.holds[0]?.kind === 'noCredits');
      expect(scene.stage.figures()).toMatchObject({ conversions: 2, converts: 4 });
      control.setCredits({ credits: 50_000 });
      for (const run of runs) expect(await run.result()).toMatchObject(converted);
      await scene.booksAreRight();
      expectPaidOnce(scene, 3);
    }),
  LIMIT_MS,
);

test.concurrent(
  'a worker killed in a call that the ledger looks up before the run does: the run still reports it as its own',
  () =>
    inScene({ ownServer: true }, async (scene) => {
      const { client, namespace } = scene.stage.temporal;
      const worker = await scene.worker();
      scene.stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delayReply', delayMs: 1_000 });
      const [run] = await scene.convertsUnderWay([scene.lead()]);
      await worker.kill();
      // The ledger need not wait for the dead worker, and is first by far: the run waits for the heartbeat timeout.
      const execution = { workflowId: scene.stage.ledgerId };
      await client.workflowService.resetStickyTaskQueue({ namespace, execution });
      await scene.worker();
      // The ledger may lose a task and a look to the dead worker.
      await scene.booksAreRight(90_000);
      expect(await run?.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
      expectPaidOnce(scene, 1);
    }),
  LIMIT_MS,
);

test.concurrent(
  'S1: a worker killed in its call, and the next try of the activity reset by a person: it is another try',
  () =>
    inScene({ ownServer: true, account: { timing: { ...QUICK.timing, paidTimeoutMs: 90_000 } } }, async (scene) => {
      const { client, namespace } = scene.stage.temporal;
      const { control } = scene.stage.sandbox;
      const worker = await scene.worker();
      control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 120_000 });
      const [run] = await scene.convertsUnderWay([scene.lead()]);
      const pending = async () => (await run?.describe())?.raw.pendingActivities?.[0];
      await worker.kill();
      await until(async () => (await pending())?.attempt === 2);
      await client.workflowService.resetActivity({
        ...{ namespace, execution: { workflowId: run?.workflowId ?? '' }, id: (await pending())?.activityId ?? '' },
      });
      expect((await pending())?.attempt).toBe(1);
      await scene.worker();
      await until(async () => (await run?.query(progressQuery))?.waiting?.includes('unknown whether') === true);
      expect(scene.stage.figures()).toMatchObject({ converts: 1, conversions: 0 });
      control.endDelays();
      expect(await run?.result()).toMatchObject(converted);
      await scene.booksAreRight();
      expectPaidOnce(scene, 1);
      expect(scene.stage.figures().converts).toBe(1);
    }),
  LIMIT_MS,
);

test.concurrent(
  'of two workers the one that makes a call killed in it while the other one stands by',
  () =>
    inScene({ ...options, account: { timing: { ...QUICK.timing, paidTimeoutMs: 60_000 } } }, async (scene) => {
      const workers = [await scene.worker(), await scene.worker()];
      faults(scene, { ...DELAY, delayMs: 50_000 }, { ...DELAY_REPLY, delayMs: 50_000 });
      const runs = await scene.convertsUnderWay([scene.lead(), scene.lead()]);
      const pending = (await runs[0]?.describe())?.raw.pendingActivities ?? [];
      const caller = workers.find(({ pid }) => pending[0]?.lastWorkerIdentity?.startsWith(`${pid}@`));
      expect(scene.stage.figures().conversions).toBeLessThan(2);
      expect(await caller?.kill()).toBeNull();
      scene.stage.sandbox.control.endDelays();
      for (const run of runs) expect(await run.result()).toMatchObject(converted);
      await scene.booksAreRight();
      expectPaidOnce(scene, 2);
      expect(scene.stage.figures().converts).toBe(2);
    }),
  LIMIT_MS,
);

test.concurrent(
  'the Temporal server killed in two calls',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      faults(scene, DELAY, DELAY_REPLY);
      const runs = await scene.convertsUnderWay([scene.lead(), scene.lead()]);
      await scene.killServer();
      await until(() => scene.stage.figures().conversions === 2);
      await scene.restartServer();
      for (const run of runs) expect(await run.result()).toMatchObject(converted);
      await scene.booksAreRight();
      expectPaidOnce(scene, 2);
      expect(scene.stage.figures().converts).toBe(2);
    }),
  LIMIT_MS,
);

test.concurrent(
  'the Temporal server killed in the middle of a pipeline: every lead is accounted for',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      faults(scene, DELAY, DELAY_REPLY, DELAY);
      const run = await scene.stage.temporal.client.workflow.start(leadPipeline, {
        workflowId: 'pipeline',
        taskQueue: 'audit-runner',
        args: [{ maxConversions: 6, concurrency: 2, scoring: { minReadiness: 0 } }],
      });
      await until(() => scene.stage.figures().converts >= 3);
      await scene.killServer();
      await scene.restartServer();
      const { counts, leads, credits, ended } = await run.result();
      expect({ ended, credits, converted: counts.converted }).toEqual({ ended: 'done', credits: 6_000, converted: 6 });
      expect(Object.values(counts).reduce((a, b) => a + b, 0)).toBe(leads);
      await scene.booksAreRight();
      expectPaidOnce(scene, 6);
    }),
  LIMIT_MS,
);

test.concurrent(
  'a worker that is asked to end finishes its call, ends with code 0, and the next one goes on',
  () =>
    inScene({ ...options, account: { timing: { ...QUICK.timing, paidTimeoutMs: 60_000 } } }, async (scene) => {
      const worker = await scene.worker();
      faults(scene, { ...DELAY, delayMs: 50_000 });
      const [run] = await scene.convertsUnderWay([scene.lead()]);
      worker.terminate();
      await worker.said('finishes the calls in flight');
      expect(scene.stage.figures().conversions).toBe(0);
      scene.stage.sandbox.control.endDelays();
      expect(await worker.ended).toBe(0);
      expectPaidOnce(scene, 1);
      expect(scene.stage.sandbox.control.stats().requests.byStatus.cut).toBeUndefined();
      await scene.worker();
      expect(await run?.result()).toMatchObject(converted);
      await scene.booksAreRight();
      expect(scene.stage.figures().converts).toBe(1);
    }),
  LIMIT_MS,
);
