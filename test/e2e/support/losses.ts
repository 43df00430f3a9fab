/** Losses of Temporal's database in the middle of payments, on a server of their own; the storage is kept (S8). */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { linesOf, usersWithBooks } from '../../../src/books/reading';
import { Standing } from '../../../src/books/standing';
import { openStorage } from '../../../src/storage';
import { QUICK } from '../../support/stage';
import { until } from '../../support/until';
import { inScene, type Scene } from './scene';

const PAYMENTS = 20;
export const LOSS_LIMIT_MS = 600_000;
export const lossOptions = {
  ownServer: true,
  sandbox: { leads: 60, credits: 100_000 },
  account: { timing: { ...QUICK.timing, paidTimeoutMs: 3_000 } },
};

/** Ledger, books in the storage and service agree, and nothing was paid for twice. */
export async function expectExact(scene: Scene, payments: number): Promise<void> {
  const { stage } = scene;
  expect(stage.figures()).toMatchObject({ conversions: payments, spent: payments * 1_000, paidTwice: 0 });
  expect(stage.sandbox.control.stats().paidOverlapping).toEqual([]);
  // A question to a worker that was killed is asked again when its heartbeats are missed.
  await scene.booksAreRight(60_000);
  const storage = openStorage(stage.config.storageUrl);
  const standing = new Standing('UTC');
  for (const user of await usersWithBooks(storage)) for await (const _ of linesOf(storage, user, standing));
  expect([...standing.days.values()].reduce((sum, credits) => sum + credits, 0)).toBe(payments * 1_000);
  expect(standing.sends.open).toEqual({});
}

/** All of them, also those that are there already. */
const convertAll = (scene: Scene, leads: readonly string[]) =>
  Promise.all(
    leads.map((lead) =>
      scene.convert(lead).catch((error: unknown) => {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        return scene.stage.temporal.client.workflow.getHandle(error.workflowId);
      }),
    ),
  );

export interface Loss {
  what: 'is lost' | 'goes back to a backup';
  /** The payment of twenty that is under way at that moment. */
  nth: number;
}

/** A call each is under way and not committed, or committed and not answered, at the moment of the loss. */
export const playLoss = ({ what, nth }: Loss) =>
  inScene(lossOptions, async (scene) => {
    const { control } = scene.stage.sandbox;
    const leads = Array.from({ length: PAYMENTS }, () => scene.lead());
    const worker = await scene.worker();
    const before = leads.slice(0, Math.floor(nth / 2));
    for (const run of await convertAll(scene, before)) await run.result();
    const backup = what === 'is lost' ? undefined : await scene.backUp();
    const done = scene.stage.figures().converts;
    control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 1_500, times: 2 });
    control.addFault({ route: 'leads.convert', fault: 'delayReply', delayMs: 1_500, times: 2 });
    await convertAll(scene, leads);
    await until(() => scene.stage.figures().converts >= Math.max(nth, done + 1));
    await scene.loseDatabase(backup);
    // Half of the time nobody remembers what was under way.
    if (nth % 2 === 0) await worker.kill();
    await scene.worker();
    for (const run of await convertAll(scene, leads))
      expect(['converted', 'alreadyConverted']).toContain((await run.result()).outcome);
    await expectExact(scene, PAYMENTS);
  });
