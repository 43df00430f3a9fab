/** S3: what one user's ledger granted is sent with that user's token, whatever the token file says meanwhile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusQuery } from '../../src/ledger/messages';
import { ledgerId } from '../../src/temporal/ledger-id';
import type { RunningWorker } from '../../src/worker';
import { convertLead, leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

/** Lets it finish what it is at. */
async function stopped(worker: RunningWorker): Promise<void> {
  worker.stop();
  await worker.done;
}

test(
  'a token of another user holds the account; put back it goes on, and restarted the worker works for the other one',
  () =>
    // With a floor the ledger goes on reading the balance, also after the last payment: somebody hears whose the token is.
    inScene(
      { account: { timing: UNHURRIED, budget: { balanceFloor: 1 } }, sandbox: { leads: 60, credits: 100_000 } },
      async (scene) => {
        const { stage } = scene;
        const { sandbox, temporal, folder } = stage;
        const { client } = temporal;
        const taskQueue = 'audit-runner';
        const put = (token: string) => writeFileSync(join(folder, 'token'), token);
        const spent = () => {
          const { creditsSpent } = sandbox.control.stats();
          return { owner: creditsSpent[sandbox.userId] ?? 0, other: creditsSpent[sandbox.otherUserId] ?? 0 };
        };
        const holds = async () => (await scene.ledgerStatus()).holds.map(({ kind }) => kind);
        const worker = await stage.startWorker();
        sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 300, times: 8 });
        const run = await client.workflow.start(leadPipeline, {
          ...{ workflowId: 'pipeline', taskQueue },
          args: [{ maxConversions: 8, concurrency: 2, scoring: { minReadiness: 0 } }],
        });
        await until(() => stage.figures().conversions >= 2);
        put(sandbox.otherToken);
        await until(async () => (await holds()).includes('otherUser'));
        await until(async () => /another user/.test((await run.query(pipelineProgressQuery)).waiting ?? ''));
        put(sandbox.token);
        expect(await run.result()).toMatchObject({ ended: 'done', credits: 8_000, counts: { converted: 8 } });
        expect(spent()).toEqual({ owner: 8_000, other: 0 });
        await scene.booksAreRight();
        await until(async () => (await holds()).length === 0);
        // A reading from before the last booking says less; nobody reads it again once the token is another user's.
        await until(async () => (await scene.ledgerStatus()).balance === 92_000);

        await stopped(worker);
        put(sandbox.otherToken);
        await stage.startWorker();
        const [lead] = sandbox.control
          .leads({ user: sandbox.otherUserId })
          .filter(({ surveyStatus }) => surveyStatus !== 'converted');
        const converted = await client.workflow.execute(convertLead, {
          ...{ workflowId: 'other', taskQueue },
          args: [{ leadId: lead?.id ?? '' }],
        });
        expect(converted).toMatchObject({ outcome: 'converted' });
        expect(spent()).toEqual({ owner: 8_000, other: 1_000 });
        const theirs = await client.workflow.getHandle(ledgerId(sandbox.otherUserId)).query(statusQuery);
        expect(theirs.spentToday).toBe(1_000);
        await until(async () => (await scene.ledgerStatus()).restingSince !== undefined);
        expect(await scene.ledgerStatus()).toMatchObject({
          spentToday: 8_000,
          elsewhere: 0,
          balance: 92_000,
          holds: [],
        });
      },
    ),
  400_000,
);

test(
  'a worker that starts with another user’s token does not go on with the runs of the user before',
  () =>
    inScene({ account: { timing: UNHURRIED }, sandbox: { leads: 60, credits: 100_000 } }, async (scene) => {
      const { stage } = scene;
      const { sandbox, temporal, folder } = stage;
      const { client } = temporal;
      const put = (token: string) => writeFileSync(join(folder, 'token'), token);
      const spentFor = (user: string) => sandbox.control.stats().creditsSpent[user] ?? 0;
      const start = (workflowId: string) =>
        client.workflow.start(leadPipeline, {
          ...{ workflowId, taskQueue: 'audit-runner' },
          args: [{ maxConversions: 8, concurrency: 2, scoring: { minReadiness: 0 } }],
        });
      const isHeld = async (run: Awaited<ReturnType<typeof start>>) => {
        await until(async () => (await scene.ledgerStatus()).holds.some(({ kind }) => kind === 'otherUser'));
        await until(async () => /another user/.test((await run.query(pipelineProgressQuery)).waiting ?? ''));
      };
      const first = await stage.startWorker();
      sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 300, times: 8 });
      const run = await start('first');
      await until(() => stage.figures().conversions >= 2);
      await stopped(first);
      put(sandbox.otherToken);
      const second = await stage.startWorker();
      await isHeld(run);
      put(sandbox.token);
      expect(await run.result()).toMatchObject({ ended: 'done', credits: 8_000 });
      expect(spentFor(sandbox.otherUserId)).toBe(0);
      await scene.booksAreRight();
      await until(async () => (await scene.ledgerStatus()).holds.length === 0);
      await stopped(second);

      // Whoever cancels what is open lets the account work for the other one.
      const left = await start('second');
      put(sandbox.otherToken);
      await stage.startWorker();
      await isHeld(left);
      await left.cancel();
      await expect(left.result()).rejects.toThrow('cancelled');
      const others = await start('third');
      const { ended, credits } = await others.result();
      expect([ended, credits]).toEqual(['done', spentFor(sandbox.otherUserId)]);
      expect(credits).toBeGreaterThan(0);
      expect(spentFor(sandbox.userId)).toBe(8_000);
    }),
  400_000,
);
