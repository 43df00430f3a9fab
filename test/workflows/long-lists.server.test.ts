/** Lists and item ledgers of many pages and parts: they fill no history, and whoever reads them has time for it and says so. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderStorage } from '../../src/storage/folder';
import { backfill } from '../../workflows';
import { backfillProgressQuery, retryFailedUpdate } from '../../workflows/backfill/batch-messages';
import { decideUpdate } from '../../workflows/shared/asker';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { captures: 230, leads: 25 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const scheduled = async (workflowId: string, activity: string) => {
  const { events } = await stage.temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const all = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) => asked ?? []);
  return all.find(({ activityType }) => activityType?.name === activity);
};

test('captures of several pages are handed on as references, and each is an item', async () => {
  const { workflow } = stage.temporal.client;
  const run = await workflow.start(backfill, {
    ...{ workflowId: 'captures', taskQueue: 'audit-runner' },
    args: [{ operation: 'reprocessCapture', captures: {}, dryRun: true }],
  });
  expect(await run.result()).toMatchObject({ ended: 'planned', items: 230 });
  const [input] = (await scheduled('captures', 'itemsFromPages'))?.input?.payloads ?? [];
  const { pages } = JSON.parse(Buffer.from(input?.data ?? []).toString());
  expect(pages).toEqual(Array(3).fill({ ref: expect.stringMatching(/\.jsonl$/), bytes: expect.any(Number) }));
});

test('S7: while the failed items are listed the batch says so, and that may take hours', async () => {
  const { workflow } = stage.temporal.client;
  const [fails = '', asks = ''] = completedLeads(stage);
  mkdirSync(join(stage.folder, 'storage'), { recursive: true });
  writeFileSync(join(stage.folder, 'storage', 'two.csv'), `leadId\n${fails}\n${asks}\n`);
  const { control } = stage.sandbox;
  control.addFault({ route: 'leads.convert', about: fails, fault: 'status', status: 422 });
  // So that it is not over before the other one is tried again.
  control.addFault({ route: 'leads.convert', about: asks, fault: 'cutBeforeCommit', times: 2 });
  const run = await workflow.start(backfill, {
    ...{ workflowId: 'retry', taskQueue: 'audit-runner' },
    args: [{ operation: 'convertLead', file: { ref: 'two.csv' }, maxCredits: 5_000 }],
  });
  const progress = () => run.query(backfillProgressQuery);
  await until(async () => {
    const { counts, asking } = await progress();
    return counts.failed === 1 && asking === 1;
  });
  let read = () => {};
  const untilRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const original = FolderStorage.prototype.read;
  const slow = jest.spyOn(FolderStorage.prototype, 'read').mockImplementation(async function (
    this: FolderStorage,
    ref,
  ) {
    if (ref.includes('/ledger/')) await untilRead;
    return original.call(this, ref);
  });
  try {
    await run.executeUpdate(retryFailedUpdate, { args: [{ by: 'Ada' }] });
    await until(async () => (await progress()).waiting?.includes('failed items are listed') === true);
  } finally {
    read();
    slow.mockRestore();
  }
  await until(async () => (await progress()).counts.done === 1);
  const asker = workflow.getHandle(`convert-lead.default.${asks}`);
  await asker.executeUpdate(decideUpdate, { args: [{ decision: 'sendAgain', by: 'Ada' }] });
  expect(await run.result()).toMatchObject({ counts: { done: 2, failed: 0 }, credits: 2_000 });
  const listing = await scheduled('retry', 'itemsToRetry');
  expect(Number(listing?.startToCloseTimeout?.seconds)).toBe(7_200);
});
