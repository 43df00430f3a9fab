/** S7: a ledger whose workflow task fails again and again says nothing itself: everything that waits for it does. */

import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import pino from 'pino';
import { convertLeadId } from '../../src/runs/run-ids';
import { connectNative } from '../../src/temporal/connect-worker';
import { LedgerClient } from '../../src/temporal/ledger-client';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';
import { auditProject, backfill, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { cliFolder } from '../cli/cli';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const cli = cliFolder();
afterAll(() => cli.close());

/** The ledger of the stage, begun by a version whose code is another one. */
async function begunByOtherCode({ stage }: Scene): Promise<void> {
  const { namespace, client } = stage.temporal;
  const config = { address: stage.env.TEMPORAL_ADDRESS ?? '', namespace };
  const logger = new DefaultLogger('ERROR');
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('./fixtures/other-ledger.ts'),
    logger,
  });
  installSdkRuntime(pino({ level: 'silent' }));
  const { connection } = await connectNative({ config });
  const worker = await Worker.create({ connection, namespace, taskQueue: 'audit-runner', workflowBundle });
  await worker.runUntil(async () => {
    const ledger = await client.workflow.start('accountLedger', {
      ...{ workflowId: stage.ledgerId, taskQueue: 'audit-runner' },
    });
    await until(async () => Number((await ledger.describe()).historyLength) > 4);
  });
  await connection.close();
}

test(
  'S7: who waits for a ledger whose workflow tasks fail says so, with the mend, and goes on when it is ended',
  () =>
    inScene({}, async (scene) => {
      await begunByOtherCode(scene);
      await scene.worker({}, 'worker is running');
      const run = await scene.convert(scene.lead());
      const waiting = async () => (await run.query(progressQuery).catch(() => undefined))?.waiting ?? '';
      await until(async () =>
        /workflow task of account-ledger\S+ fails since .* other workflow code/.test(await waiting()),
      );
      expect(await waiting()).toContain(`temporal workflow terminate --workflow-id ${scene.stage.ledgerId}`);

      const env = { ...scene.stage.env, NO_COLOR: '1' };
      const [status, doctor] = await Promise.all([cli.run(['status'], env), cli.run(['doctor'], env)]);
      for (const { stdout } of [status, doctor]) {
        expect(stdout).toContain('made by other workflow code than the workers have');
        expect(stdout).toContain(`temporal workflow terminate --workflow-id ${scene.stage.ledgerId}`);
      }
      expect(status.stdout).not.toMatch(/has a ledger yet|no worker is running/);
      expect([status.code, doctor.code]).toEqual([3, 1]);

      // Also what asks by a ledger that it knew already is told.
      const { timing, budget, timeZone } = scene.stage.config.accounts.default ?? {};
      if (!timing || !budget || !timeZone) throw new Error('the stage has no account');
      const ledger = new LedgerClient(scene.stage.temporal.client, scene.stage.ledgerId, {
        ...{ account: 'default', timing, budget: { ...budget, timeZone }, probeEveryMs: 300 },
      });
      const send = { subject: 'lead:1', attempt: 'a', run: 'r', runCap: 1e6, credits: 1_000, lookedAt: Date.now() };
      await expect(ledger.beginSend(send)).rejects.toMatchObject({ type: 'LedgerFailing', nonRetryable: true });
      await expect(ledger.subject('lead:1')).rejects.toMatchObject({ type: 'LedgerFailing', nonRetryable: true });

      await scene.ledger().terminate('test');
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
    }),
  240_000,
);

test(
  'S7: so is any run whose type no worker knows, also by the batch, the pipeline or the audit that waits for it',
  () =>
    inScene({ account: { timing: { ...QUICK.timing, holdProbeMs: 200 } } }, async (scene) => {
      await scene.worker();
      const { workflow } = scene.stage.temporal.client;
      const taskQueue = 'audit-runner';
      // Under the ID of a lead's run, in whose place it stands.
      const leadId = scene.lead();
      const workflowId = convertLeadId('default', leadId);
      await workflow.start('typo', { workflowId, taskQueue });
      const status = () => cli.run(['status'], { ...scene.stage.env, NO_COLOR: '1' });
      await until(async () => /convert-lead.*know no workflow of its type/.test((await status()).stdout));

      const leads = { scoring: { minReadiness: 0 } };
      const limits = { maxConversions: 25, maxCredits: 25_000 };
      const batch = { operation: 'convertLead' as const, leads, maxCredits: 25_000 };
      const runs = await Promise.all([
        workflow.start(leadPipeline, { workflowId: 'pipeline', taskQueue, args: [{ ...leads, ...limits }] }),
        workflow.start(backfill, { workflowId: 'batch', taskQueue, args: [batch] }),
      ]);
      const audit = await workflow.start(auditProject, {
        ...{ workflowId: 'audit', taskQueue, args: [{ leadId, prerequisites: 'fail' }] },
      });
      const why = `stands still: the workflow task of ${workflowId} fails since`;
      for (const run of [...runs, audit])
        await until(
          async () => JSON.stringify(await run.query('progress').catch(() => undefined))?.includes(why) === true,
        );

      await workflow.getHandle(workflowId).terminate('test');
      for (const run of runs) expect(await run.result()).toMatchObject({ ended: 'done' });
      expect(await audit.result()).toMatchObject({ projectId: expect.any(String) });
      expect((await status()).code).toBe(0);
    }),
  240_000,
);
