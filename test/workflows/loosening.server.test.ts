/** S8: what people say counts at once where it tightens, and where it lets more be spent when it is written into the books. */
import { join } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Entry } from '../../src/books/entry';
import { linesOf } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { openStorage } from '../../src/storage';
import { type accountLedger, leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { type Stage, startStage } from '../support/stage';
import { putBack, takeAway } from '../support/storage-away';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000 }, account: { budget: { perDay: 50_000 } } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const place = () => join(stage.folder, 'storage');
const books = () => join(place(), 'books', stage.ledgerId.slice('account-ledger.'.length));
const pipeline = (workflowId: string, approvalDeadline = '10m') =>
  stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId, taskQueue: 'audit-runner' },
    args: [{ approval: 'all', maxConversions: 1, scoring: { minReadiness: 0 }, approvalDeadline }],
  });
type Handle = Awaited<ReturnType<typeof pipeline>>;
const asks = (handle: Handle) => async () =>
  (await handle.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false;
const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => 'taken',
    (error: unknown) => (error instanceof WorkflowUpdateFailedError ? error.cause?.message : String(error)),
  );

async function entries(): Promise<Entry[]> {
  const found: Entry[] = [];
  const user = stage.ledgerId.slice('account-ledger.'.length);
  for await (const { entry } of linesOf(openStorage(`file://${place()}`), user, new Standing('UTC'))) found.push(entry);
  return found;
}

test('an approval is written before anything is paid by it, and each payment names what allowed it', async () => {
  const handle = await pipeline('approved');
  await until(asks(handle));
  await handle.executeUpdate('approve', { args: [{ by: 'Ann' }] });
  expect(await handle.result()).toMatchObject({ credits: 1_000, approvedBy: 'Ann' });
  const written = await entries();
  const payment = written.find((entry) => entry.kind === 'sending' && entry.run.startsWith('approved/'));
  const allowed = written.find(({ seq }) => payment?.kind === 'sending' && seq === payment.allowedBy);
  // How the run began is written when it pays: what allowed it last is named.
  expect(allowed).toMatchObject({ kind: 'act', workflowId: 'approved' });
  const approval = written.find((entry) => entry.kind === 'act' && entry.update === 'approve');
  expect(approval?.seq).toBeLessThan(payment?.seq ?? 0);
});

test('while the storage is away an approval is refused with the reason and changes nothing, and a pause counts', async () => {
  const handle = await pipeline('storage-away');
  await until(asks(handle));
  takeAway(place());
  expect(await refusal(handle.executeUpdate('pause', { args: [{ by: 'Ann' }] }))).toBe('taken');
  expect(await refusal(handle.executeUpdate('approve', { args: [{ by: 'Ann' }] }))).toMatch(
    /^approve: nothing was changed, since it cannot be written .*its place is no folder.* Send it again/,
  );
  expect(await asks(handle)()).toBe(true);
  putBack(place());
  expect(await refusal(handle.executeUpdate('approve', { args: [{ by: 'Bob' }] }))).toBe('taken');
  expect(await refusal(handle.executeUpdate('resume', { args: [{ by: 'Bob' }] }))).toBe('taken');
  expect(await handle.result()).toMatchObject({ credits: 1_000, approvedBy: 'Bob' });
}, 180_000);

test('S7: a run that only waits until the books have what was said to it says so, and then ends', async () => {
  const handle = await pipeline('not-yet-written');
  await until(asks(handle));
  takeAway(books());
  expect(await refusal(handle.executeUpdate('stop', { args: [{ by: 'Ann' }] }))).toBe('taken');
  const says = async () => (await handle.query(pipelineProgressQuery)).waiting ?? '';
  await until(async () => (await says()).includes("is written into the account's books"));
  putBack(books());
  expect(await handle.result()).toMatchObject({ ended: 'stopped', credits: 0 });
}, 180_000);

test('what has become too late while it was written is refused, and the books say so', async () => {
  const handle = await pipeline('too-late');
  await until(asks(handle));
  const answers = await Promise.all(
    ['Ann', 'Bob'].map((by) => refusal(handle.executeUpdate('approve', { args: [{ by }] }))),
  );
  await handle.result();
  const refused = answers.filter((answer) => answer !== 'taken');
  const acts = (await entries()).flatMap((entry) =>
    entry.kind === 'act' && entry.workflowId === 'too-late' ? entry.update : [],
  );
  expect(acts.filter((update) => update === 'approve, refused')).toHaveLength(refused.length);
  expect(acts.filter((update) => update === 'approve')).toHaveLength(2);
});

test('limits of an account are tightened at once, and loosened when that is written', async () => {
  const ledger = stage.temporal.client.workflow.getHandle<typeof accountLedger>(stage.ledgerId);
  const set = (perDay: number) =>
    refusal(ledger.executeUpdate('setBudget', { args: [{ perDay, reason: 'month end' }] }));
  takeAway(place());
  expect(await set(10_000)).toBe('taken');
  expect(await set(20_000)).toMatch(/^setBudget: nothing was changed/);
  expect(await refusal(ledger.executeUpdate('hold', { args: [{ reason: 'audit' }] }))).toBe('taken');
  expect(await refusal(ledger.executeUpdate('release', { args: [{ reason: 'done' }] }))).toMatch(
    /^release: nothing was changed/,
  );
  putBack(place());
  expect(await refusal(ledger.executeUpdate('release', { args: [{ reason: 'done' }] }))).toBe('taken');
  expect(await set(20_000)).toBe('taken');
  await until(async () => {
    const acts = (await entries()).flatMap((entry) => (entry.kind === 'act' ? entry.update : []));
    return acts.filter((update) => update === 'setBudget').length === 2 && acts.includes('release');
  });
}, 300_000);
