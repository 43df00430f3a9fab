/** The ledger gone, in the middle of a paid call: what replaces it does not know of that call, and must not need to (S1). */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf, usersWithBooks } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { releaseUpdate } from '../../src/ledger/messages';
import { openStorage } from '../../src/storage';
import { auditProject } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { deleteRun } from '../support/ledgers';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import {
  expectPaidOnce,
  expectRivalWaits as expectWaits,
  inTheCall,
  RIVAL_LIMIT_MS as LIMIT_MS,
  slowCalls as options,
} from './support/rival';
import { inScene, type Scene } from './support/scene';

/** A conversion under way, and the ledger that granted it terminated or deleted: then nothing is left of its history. */
async function loseLedger(scene: Scene, { deleted }: { deleted: boolean }) {
  const call = await inTheCall(scene);
  if (deleted) await deleteRun(scene.stage, scene.stage.ledgerId);
  else await scene.ledger().terminate('test');
  return { ...call, deleted };
}

/** Somebody converts the same lead under an ID of their own, while the first call is still under way. */
async function expectRivalWaits(
  scene: Scene,
  { lead, run, deleted }: Awaited<ReturnType<typeof loseLedger>>,
): Promise<void> {
  // S7: it says what it waits for; where the books are new, not that anything of its own was sent.
  const why = deleted ? /books are new.*may still be under way/ : /unknown whether the call had its effect/;
  const rival = await expectWaits(scene, lead, why);
  const results = [await run.result(), await rival.result()];
  await expectPaidOnce(scene);
  expect(results.map((result) => result.outcome).sort()).toEqual(['alreadyConverted', 'converted']);
  await scene.booksAreRight();
}

/** What stands in the books in the storage. */
async function booksOf({ stage }: Scene): Promise<Standing> {
  const standing = new Standing('UTC');
  const storage = openStorage(stage.config.storageUrl);
  for (const user of await usersWithBooks(storage)) for await (const _ of linesOf(storage, user, standing));
  return standing;
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

test.concurrent(
  'a ledger that is started for the first time is not patient, though runs were queued before there was a worker',
  () =>
    inScene(options, async (scene) => {
      const { client } = scene.stage.temporal;
      const lead = scene.lead();
      const run = await scene.convert(lead);
      // It gets beyond its first stage at once, and asks for nothing.
      const audit = await client.workflow.start(auditProject, {
        ...{ workflowId: 'audit', taskQueue: 'audit-runner' },
        args: [{ leadId: lead }],
      });
      // Where there are several workers, the ledger that opens asks the others first.
      await Promise.all([scene.worker(), scene.worker()]);
      expect((await scene.ledgerStatus()).patientUntil).toBeUndefined();
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
      await audit.terminate();
    }),
  LIMIT_MS,
);

test.concurrent(
  'S8: the ledger is lost, and the storage comes from before the last payment: the balance shows it, and one release ends it',
  () =>
    inScene({ account: { timing: UNHURRIED } }, async (scene) => {
      const storage = join(scene.stage.folder, 'storage', 'books');
      const backup = join(scene.stage.folder, 'books-before');
      const worker = await scene.worker();
      for (const lead of [scene.lead(), scene.lead()]) await (await scene.convert(lead)).result();
      const [balance, paid] = [scene.stage.sandbox.control.credits().credits, scene.lead()];
      await until(async () => (await booksOf(scene)).said.balance?.value === balance);
      await cp(storage, backup, { recursive: true });
      await (await scene.convert(paid)).result();
      await worker.kill();
      await deleteRun(scene.stage, scene.stage.ledgerId);
      await rm(storage, { recursive: true });
      await cp(backup, storage, { recursive: true });

      await scene.worker();
      const next = await scene.convert(scene.lead());
      await until(async () => (await scene.ledgerStatus()).holds.some(({ lower }) => lower?.credits === 1_000));
      await until(async () => /1,000 credits lower/.test((await next.query(progressQuery)).waiting ?? ''));
      expect(scene.stage.figures().spent).toBe(3_000);
      await scene.ledger().executeUpdate(releaseUpdate, { args: [{ reason: 'seen', by: 'Ann' }] });
      expect(await next.result()).toMatchObject({ outcome: 'converted' });
      expect((await scene.ledgerStatus()).holds).toEqual([]);
      // What was accepted is in the books: with it a ledger that is lost again has nothing to ask.
      await until(async () => (await booksOf(scene)).said.balance?.value === balance - 2_000);
      expect(scene.stage.figures()).toMatchObject({ spent: 4_000, paidTwice: 0 });
    }),
  LIMIT_MS,
);
