/** What a person does to a ledger by hand while a paid call is under way, and what must come of it (S1, S3). */
import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { adjustUpdate, stateQuery } from '../../../src/ledger/messages';
import { deleteRun } from '../../support/ledgers';
import { until } from '../../support/until';
import { expectPaidOnce, expectRivalWaits, inTheCall, slowCalls } from './rival';
import { inScene, type Scene } from './scene';

const { ResetReapplyExcludeType } = temporal.api.enums.v1;
export const OPEN = /unknown whether the call had its effect/;
const NEW = /books are new.*may still be under way/;
export const capped = { account: { ...slowCalls.account, budget: { perDay: 1_000 } } };

/** "Start workflow like this one": with an input that says what its writer likes. */
export async function startByHand({ stage }: Scene, input: object): Promise<void> {
  await stage.temporal.client.workflow.start('accountLedger', {
    ...{ workflowId: stage.ledgerId, taskQueue: 'audit-runner', workflowIdConflictPolicy: 'TERMINATE_EXISTING' },
    args: [input],
  });
}

/** What the books of a ledger would be that was never used, without any cap. */
export async function forged({ stage }: Scene) {
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

export async function bothEnd(
  scene: Scene,
  run: Awaited<ReturnType<Scene['convert']>>,
  rival: typeof run,
): Promise<void> {
  const results = [await run.result(), await rival.result()];
  await expectPaidOnce(scene);
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['alreadyConverted', 'converted']);
  await scene.booksAreRight();
  // The cap of the configuration holds, whatever the start said.
  expect(await scene.ledgerStatus()).toMatchObject({ budget: { perDay: 1_000 }, spentToday: 1_000 });
}

/** How a ledger is reset: to which of its earlier workflow tasks, without what it was told after that, after a first run. */
export interface Reset {
  at: number;
  without: boolean;
  continued?: boolean;
}

/** The ledger is reset to before its grant: it knows of that all the same. */
export const knowsAfterReset = ({ at, without, continued = false }: Reset) =>
  inScene(capped, async (scene) => {
    const { client, namespace } = scene.stage.temporal;
    if (continued) await startByHand(scene, { maxEvents: 50 });
    await scene.worker();
    const first = await scene.ledger().describe();
    await until(async () => {
      // Until its books are open it refuses that.
      if (continued)
        await client.workflow
          .getHandle(scene.stage.ledgerId)
          .executeUpdate(adjustUpdate, { args: [{ credits: 0, reason: 'test' }] })
          .catch(() => undefined);
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
  });

/** The ledger and the open run are deleted: the worker has used one, so it knows that there was one. */
export const knowsAfterDeletion = ({ earlier = false, asked = false }: { earlier?: boolean; asked?: boolean }) =>
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
    // A new ledger may open later, on a slow machine, than the call repeats what it has to tell, and with its run deleted
    // nobody else tells it. Then the worker's log says so.
    await scene.booksAreRight().catch((error: unknown) => {
      if (!scene.said('the settlement did not reach the ledger')) throw error;
    });
  });
