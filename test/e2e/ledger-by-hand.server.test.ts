/**
 * A ledger that a person ended, reset, deleted or started again (S1, S3): what its start says of the books is a claim, and
 * whoever replaces it finds out by itself what was granted. More of it: ledger-by-hand.matrix.test.ts.
 */
import { accountLedger } from '../../workflows';
import { until } from '../support/until';
import { bothEnd, capped, forged, knowsAfterDeletion, knowsAfterReset, OPEN, startByHand } from './support/by-hand';
import { expectRivalWaits, inTheCall, RIVAL_LIMIT_MS as LIMIT_MS } from './support/rival';
import { inScene } from './support/scene';

test.concurrent(
  'S1 S3: a ledger started again by hand with books of its own knows what the one before granted',
  () =>
    inScene(capped, async (scene) => {
      await scene.worker();
      const { lead, run } = await inTheCall(scene);
      await startByHand(scene, await forged(scene));
      await bothEnd(scene, run, await expectRivalWaits(scene, lead, OPEN));
    }),
  LIMIT_MS,
);

test.concurrent(
  'S1 S3: a ledger reset to its beginning, without what it was told after that knows what it granted later',
  () => knowsAfterReset({ at: 0, without: true }),
  LIMIT_MS,
);

test.concurrent(
  'S1: ledger and open runs deleted, and nothing is left: a worker that has used the ledger knows that there was one',
  () => knowsAfterDeletion({}),
  LIMIT_MS,
);

test.concurrent('S3: a ledger started by hand under an ID that is nobody’s ends with a sentence, or waits and grants nothing', () =>
  inScene({}, async (scene) => {
    await scene.worker();
    const { workflow } = scene.stage.temporal.client;
    const start = (workflowId: string) =>
      workflow.start(accountLedger, { workflowId, taskQueue: 'audit-runner', args: [{}] });
    const [odd, nobodys] = await Promise.all(['my-ledger', 'account-ledger.nobody'].map(start));
    await expect(odd?.result()).rejects.toMatchObject({ cause: { type: 'BadInput' } });
    await until(async () => {
      const { raw } = (await nobodys?.describe()) ?? {};
      return /belong to the user/.test(raw?.pendingActivities?.[0]?.lastFailure?.message ?? '');
    });
    const send = { subject: 'lead:1', attempt: 'a', run: 'r', runCap: 1e6, credits: 1_000, lookedAt: Date.now() };
    const asked = nobodys?.executeUpdate<unknown, [unknown]>('beginSend', { args: [send] });
    await expect(asked).rejects.toMatchObject({ cause: { type: 'LedgerOpening' } });
  }));
