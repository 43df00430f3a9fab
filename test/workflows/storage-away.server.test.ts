/** S7: a storage that cannot be used is said, costs few calls, and everything goes on once it is mended. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backfill, ingestCapture } from '../../workflows';
import { backfillProgressQuery, stopUpdate } from '../../workflows/backfill/messages';
import { ingestProgressQuery } from '../../workflows/ingest-capture';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const taskQueue = 'audit-runner';
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 25, captures: 3 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const place = () => join(stage.folder, 'storage');
/** A file stands in the folder's place. */
function takeAway(): void {
  mkdirSync(place(), { recursive: true });
  renameSync(place(), `${place()}.kept`);
  writeFileSync(place(), '');
}
function putBack(): void {
  rmSync(place());
  renameSync(`${place()}.kept`, place());
}

test('a reply that cannot be stored is read again seldom, the run says why, and stores it in the end', async () => {
  const [capture] = stage.sandbox.control.captures();
  const gets = () => stage.sandbox.control.stats().requests.byRoute['captures.get'] ?? 0;
  const before = gets();
  takeAway();
  const run = await stage.temporal.client.workflow.start(ingestCapture, {
    ...{ workflowId: 'capture', taskQueue, args: [{ captureId: capture?.id ?? '' }] },
  });
  const says = async (words: string) => (await run.query(ingestProgressQuery)).waiting?.includes(words) === true;
  await until(() => says('The storage cannot be used (EEXIST): its place is no folder: put one there.'));
  // Temporal alone would try again after 1, 2, 4, 8 and then each time after 10 s; this one waits for longer and longer.
  await until(() => says('It is tried again in 8 s.'));
  expect(gets() - before).toBe(3);
  putBack();
  expect(await run.result()).toMatchObject({ outcome: 'processed' });
});

test('a batch that cannot write its ledger says so, is stopped all the same, and accounts for each item', async () => {
  const ids = stage.sandbox.control.leads().flatMap(({ id, surveyStatus }) => (surveyStatus === 'completed' ? id : []));
  const [first = '', asking = ''] = ids;
  mkdirSync(place(), { recursive: true });
  writeFileSync(join(place(), 'two.csv'), `leadId\n${first}\n${asking}\n`);
  stage.sandbox.control.addFault({ route: 'leads.convert', about: asking, fault: 'cutBeforeCommit', times: 2 });
  stage.sandbox.control.addFault({ route: 'leads.convert', about: first, fault: 'delay', delayMs: 60_000 });
  const run = await stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId: 'batch', taskQueue },
    args: [{ operation: 'convertLead', file: { ref: 'two.csv' }, maxCredits: 5_000 }],
  });
  const progress = () => run.query(backfillProgressQuery);
  await until(async () => (await progress()).underWayCount === 2);
  takeAway();
  stage.sandbox.control.endDelays();
  await until(async () => (await progress()).done === 1);
  await until(async () => (await progress()).waiting?.includes('The storage cannot be used') === true);
  await run.executeUpdate(stopUpdate, { args: [{ now: true, by: 'Ada' }] });
  await until(async () => (await progress()).doing === 'Writing the item ledger');
  await until(async () => (await progress()).waiting?.includes('The storage cannot be used') === true);
  putBack();
  expect(await run.result()).toMatchObject({ ended: 'stopped', credits: 1_000, counts: { done: 1, waiting: 1 } });
});
