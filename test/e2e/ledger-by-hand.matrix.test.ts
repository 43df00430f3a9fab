/** What else a person may do to a ledger (S1, S3); the first cases are in ledger-by-hand.server.test.ts. */
import { until } from '../support/until';
import {
  bothEnd,
  capped,
  forged,
  knowsAfterDeletion,
  knowsAfterReset,
  OPEN,
  type Reset,
  startByHand,
} from './support/by-hand';
import { expectRivalWaits, inTheCall, RIVAL_LIMIT_MS as LIMIT_MS } from './support/rival';
import { inScene } from './support/scene';

test.concurrent(
  'S1 S3: so does the last of several that were started by hand before a worker was there',
  () =>
    inScene(capped, async (scene) => {
      const worker = await scene.worker();
      const { lead, run } = await inTheCall(scene);
      const input = await forged(scene);
      await worker.kill();
      for (const odd of [input, { probeEveryMs: -1, maxEvents: 0, account: 'nobody' }, { state: 'x' }, input])
        await startByHand(scene, odd);
      await scene.worker();
      await bothEnd(scene, run, await expectRivalWaits(scene, lead, OPEN));
    }),
  LIMIT_MS,
);

test.concurrent.each<[string, Reset]>([
  ['its beginning, with what it was told after that', { at: 0, without: false }],
  ['a later moment, without what it was told after that', { at: 0.7, without: true }],
  ['the beginning of a run that goes on from another', { at: 0, without: true, continued: true }],
])('S1 S3: a ledger reset to %s knows what it granted later', (_, reset) => knowsAfterReset(reset), LIMIT_MS);

test.concurrent.each([
  ['an earlier ledger is left', { earlier: true }],
  ['a worker that starts then is asked first', { asked: true }],
])(
  'S1: ledger and open runs deleted, and %s: a worker that has used the ledger knows that there was one',
  (_, what) => knowsAfterDeletion(what),
  LIMIT_MS,
);

test.concurrent('S3: nor does one believe its input that the server starts again and again', () =>
  inScene(capped, async (scene) => {
    await scene.worker();
    const input = await forged(scene);
    const { firstExecutionRunId } = await scene.stage.temporal.client.workflow.start('accountLedger', {
      ...{
        workflowId: scene.stage.ledgerId,
        taskQueue: 'audit-runner',
        workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      },
      ...{ retry: { initialInterval: 100 }, workflowRunTimeout: 15_000 },
      args: [{ ...input, state: { ...input.state, state: { ...input.state.state, elsewhere: 5_000_000 } } }],
    });
    await until(async () => (await scene.ledger().describe()).runId !== firstExecutionRunId);
    let status: Awaited<ReturnType<typeof scene.ledgerStatus>> | undefined;
    await until(async () => {
      status = await scene.ledgerStatus().catch(() => undefined);
      return status !== undefined;
    });
    expect(status).toMatchObject({ elsewhere: 0, budget: { perDay: 1_000 } });
  }));
