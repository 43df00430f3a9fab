/**
 * A ledger that a person ended, reset, deleted or started again (S1, S3): what its start says of the books is a claim, and
 * whoever replaces it finds out by itself what was granted.
 */
import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { accountLedger } from '../../workflows';
import { adjustUpdate, stateQuery } from '../../workflows/ledger/messages';
import { deleteRun } from '../support/ledgers';
import { until } from '../support/until';
import { expectPaidOnce, expectRivalWaits, inTheCall, RIVAL_LIMIT_MS as LIMIT_MS, slowCalls } from './support/rival';
import { inScene, type Scene } from './support/scene';

const { ResetReapplyExcludeType } = temporal.api.enums.v1;
const OPEN = /unknown whether the call had its effect/;
const NEW = /books are new.*may still be under way/;
const capped = { account: { ...slowCalls.account, budget: { perDay: 1_000 } } };

/** "Start workflow like this one": with an input that says what its writer likes. */
async function startByHand({ stage }: Scene, input: object): Promise<void> {
  await stage.temporal.client.workflow.start('accountLedger', {
    ...{ workflowId: stage.ledgerId, taskQueue: 'audit-runner', workflowIdConflictPolicy: 'TERMINATE_EXISTING' },
    args: [input],
  });
}

/** What the books of a ledger would be that was never used, without any cap. */
async function forged({ stage }: Scene) {
  const { timing } = stage.config.accounts.default ?? {};
  const budget = { perDay: null, balanceFloor: 0, timeZone: 'UTC' };
  const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
  const { flights, ...state } = await ledger.query(stateQuery);
  const books = { ...state, budget, days: {}, flights: { open: {}, settled: [], forgottenBefore: 0 } };
  // As that ledger would have handed it on.
  const { raw } = await ledger.describe();
  const of = raw.workflowExecutionInfo?.firstRunId;
  return { account: 'default', timing, budget, lost: false, of, state: { probeEveryMs: 300, state: books } };
}

async function bothEnd(scene: Scene, run: Awaited<ReturnType<Scene['convert']>>, rival: typeof run): Promise<void> {
  const results = [await run.result(), await rival.result()];
  await expectPaidOnce(scene);
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['alreadyConverted', 'converted']);
  await scene.booksAreRight();
  // The cap of the configuration holds, whatever the start said.
  expect(await scene.ledgerStatus()).toMatchObject({ budget: { perDay: 1_000 }, spentToday: 1_000 });
}

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

test.concurrent.each([
  ['its beginning, with what it was told after that', { at: 0, without: false }],
  ['its beginning, without what it was told after that', { at: 0, without: true }],
  ['a later moment, without what it was told after that', { at: 0.7, without: true }],
  ['the beginning of a run that goes on from another', { at: 0, without: true, continued: true }],
])(
  'S1 S3: a ledger reset to %s knows what it granted later',
  (_, { at, without, continued = false }: { at: number; without: boolean; continued?: boolean }) =>
    inScene(capped, async (scene) => {
      const { client, namespace } = scene.stage.temporal;
      if (continued) await startByHand(scene, { maxEvents: 50 });
      await scene.worker();
      const first = await scene.ledger().describe();
      await until(async () => {
        if (continued)
          await client.workflow
            .getHandle(scene.stage.ledgerId)
            .executeUpdate(adjustUpdate, { args: [{ credits: 0, reason: 'test' }] });
        return !continued || (await scene.ledger().describe()).runId !== first.runId;
      });
      const { lead, run } = await inTheCall(scene);
      const { workflowId, runId } = await scene.ledger().describe();
      const { events } = await scene.ledger().fetchHistory();
      const granted = events?.findIndex(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
        accepted?.acceptedRequest?.meta?.updateId?.startsWith('begin:'),
      );
      const points = (events?.slice(0, granted) ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes }) =>
        workflowTaskCompletedEventAttributes && eventId ? [eventId] : [],
      );
      // The last of them is that of the grant itself.
      const point = points[Math.floor(at * (points.length - 1))];
      if (!point) throw new Error('the ledger has granted nothing');
      const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE } = ResetReapplyExcludeType;
      await client.workflowService.resetWorkflowExecution({
        ...{ namespace, workflowExecution: { workflowId, runId }, requestId: randomUUID(), reason: 'test' },
        workflowTaskFinishEventId: point,
        ...(without && {
          resetReapplyExcludeTypes: [RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE],
        }),
      });
      await bothEnd(scene, run, await expectRivalWaits(scene, lead, OPEN));
    }),
  LIMIT_MS,
);

test.concurrent.each([
  ['nothing is left', {}],
  ['an earlier ledger is left', { earlier: true }],
  ['a worker that starts then is asked first', { asked: true }],
])(
  'S1: ledger and open runs deleted, and %s: a worker that has used the ledger knows that there was one',
  (_, { earlier = false, asked = false }: { earlier?: boolean; asked?: boolean }) =>
    inScene(slowCalls, async (scene) => {
      await scene.worker();
      if (earlier) await scene.ledger().terminate('test');
      const { lead, run } = await inTheCall(scene);
      await deleteRun(scene.stage, run.workflowId);
      await deleteRun(scene.stage, scene.stage.ledgerId);
      if (asked) await scene.worker();
      const rival = await expectRivalWaits(scene, lead, NEW);
      expect(await rival.result()).toMatchObject({ outcome: 'alreadyConverted' });
      await expectPaidOnce(scene);
      await scene.booksAreRight();
    }),
  LIMIT_MS,
);

test('S3: nor does one believe its input that the server starts again and again', () =>
  inScene(capped, async (scene) => {
    await scene.worker();
    const input = await forged(scene);
    const { firstExecutionRunId } = await scene.stage.temporal.client.workflow.start('accountLedger', {
      ...{
        workflowId: scene.stage.ledgerId,
        taskQueue: 'audit-runner',
        workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      },
      ...{ retry: { initialInterval: 100 }, workflowRunTimeout: 5_000 },
      args: [{ ...input, state: { ...input.state, state: { ...input.state.state, elsewhere: 5_000_000 } } }],
    });
    await until(async () => (await scene.ledger().describe()).runId !== firstExecutionRunId);
    const status = () => scene.ledgerStatus().catch(() => undefined);
    await until(async () => (await status()) !== undefined);
    expect(await status()).toMatchObject({ elsewhere: 0, budget: { perDay: 1_000 } });
  }));

test('S3: a ledger started by hand under an ID that is nobody’s ends with a sentence, or waits and grants nothing', () =>
  inScene({}, async (scene) => {
    await scene.worker();
    const { workflow } = scene.stage.temporal.client;
    const start = (workflowId: string) =>
      workflow.start(accountLedger, { workflowId, taskQueue: 'audit-runner', args: [{}] });
    const [odd, nobodys] = await Promise.all(['my-ledger', 'account-ledger.nobody'].map(start));
    await expect(odd?.result()).rejects.toMatchObject({ cause: { type: 'BadInput' } });
    await until(async () => {
      const { raw } = (await nobodys?.describe()) ?? {};
      return /belongs to the user/.test(raw?.pendingActivities?.[0]?.lastFailure?.message ?? '');
    });
    const send = { subject: 'lead:1', attempt: 'a', run: 'r', runCap: 1e6, credits: 1_000, lookedAt: Date.now() };
    const asked = nobodys?.executeUpdate<unknown, [unknown]>('beginSend', { args: [send] });
    await expect(asked).rejects.toMatchObject({ cause: { type: 'LedgerOpening' } });
  }));
