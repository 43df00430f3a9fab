/** The ledger gone in the middle of a paid call: what replaces it does not know of that call, and must not need to (S1). */
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { progressQuery } from '../../workflows/convert-lead';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const LIMIT_MS = 240_000;
/** Long enough to lose the ledger, start a worker and a rival meanwhile; the rival waits as long for what may be under way. */
const CALL_MS = 40_000;
const options = { account: { timing: { ...QUICK.timing, paidTimeoutMs: CALL_MS } } };

/** A conversion under way, and the ledger that granted it terminated or deleted: then nothing is left of its history. */
async function loseLedger(scene: Scene, { deleted }: { deleted: boolean }) {
  const lead = scene.lead();
  scene.stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: CALL_MS });
  const [run] = await scene.convertsUnderWay([lead]);
  const { client, namespace } = scene.stage.temporal;
  const { runId, workflowId } = await scene.ledger().describe();
  const ledger = client.workflow.getHandle(workflowId, runId);
  if (!deleted) await ledger.terminate('test');
  else {
    // A running workflow is gone at once; a closed one only after the server's queues are through, half a minute later.
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
    await until(() =>
      ledger.describe().then(
        () => false,
        (error) => error instanceof WorkflowNotFoundError,
      ),
    );
  }
  return { lead, run, deleted };
}

/** Somebody converts the same lead under an ID of their own, while the first call is still under way. */
async function expectRivalWaits(
  scene: Scene,
  { lead, run, deleted }: Awaited<ReturnType<typeof loseLedger>>,
): Promise<void> {
  const rival = await scene.convert(lead, `by-hand-${randomUUID()}`);
  // S7: it says what it waits for; where the books are new, not that anything of its own was sent.
  const why = deleted ? /books are new.*may still be under way/ : /unknown whether the call had its effect/;
  const waiting = () => rival.query(progressQuery).catch(() => undefined);
  await until(async () => why.test((await waiting())?.waiting ?? ''));
  const { conversions: before } = scene.stage.figures();
  scene.stage.sandbox.control.endDelays();
  expect(before).toBe(0);
  const results = [await run?.result(), await rival.result()];
  const { conversions, converts, spent } = scene.stage.figures();
  expect({ conversions, converts, spent }).toEqual({ conversions: 1, converts: 1, spent: 1_000 });
  expect(scene.stage.sandbox.control.stats()).toMatchObject({ paidTwice: [], paidOverlapping: [] });
  expect(results.map((result) => result?.outcome).sort()).toEqual(['alreadyConverted', 'converted']);
  await scene.booksAreRight();
}

test.concurrent(
  'S1: a ledger deleted in a call: the one that the next call starts is patient, and nothing is paid twice',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      const lost = await loseLedger(scene, { deleted: true });
      await expectRivalWaits(scene, lost);
    }),
  LIMIT_MS,
);

test.concurrent(
  'S1: a ledger deleted in a call: the one that a starting worker starts is patient, and nothing is paid twice',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      const lost = await loseLedger(scene, { deleted: true });
      await scene.worker();
      const { patientUntil = 0 } = await scene.ledgerStatus();
      await expectRivalWaits(scene, lost);
      expect(patientUntil).toBeGreaterThan(Date.now() - LIMIT_MS);
    }),
  LIMIT_MS,
);

test.concurrent(
  'S1: a ledger terminated in a call and started again by the report of a hold goes on with its books',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      const lost = await loseLedger(scene, { deleted: false });
      control.setAgentApi({ enabled: false });
      const other = await scene.convert(scene.lead());
      await until(async () => (await scene.ledgerStatus().catch(() => undefined))?.holds.length === 1);
      await other.terminate();
      control.setAgentApi({ enabled: true });
      await until(async () => (await scene.ledgerStatus()).holds.length === 0);
      await expectRivalWaits(scene, lost);
    }),
  LIMIT_MS,
);

test.concurrent(
  'S1: a ledger terminated in a call and started again by the report of a 429 goes on with its books',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      const lost = await loseLedger(scene, { deleted: false });
      scene.stage.sandbox.control.addFault({ route: 'leads.get', fault: 'status', status: 429, retryAfter: 1 });
      await expectRivalWaits(scene, lost);
    }),
  LIMIT_MS,
);

test.concurrent('a ledger that is started for the first time is not patient', () =>
  inScene({}, async (scene) => {
    await scene.worker();
    expect((await scene.ledgerStatus()).patientUntil).toBeUndefined();
  }));
