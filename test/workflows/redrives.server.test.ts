/** S6: what a batch has left undone is found again, whatever was started under its ID since. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackfillJson } from '../../src/inputs/backfill';
import { backfill } from '../../workflows';
import { completedLeads, type Stage, startStage } from '../support/stage';

let stage: Stage;
let free: string[];
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000 } });
  await stage.startWorker();
  free = completedLeads(stage);
});
afterAll(() => stage.close());

const start = (workflowId: string, input: BackfillJson) =>
  stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId, taskQueue: 'audit-runner', args: [{ maxCredits: 100_000, ...input }] },
  });
const play = async (workflowId: string, input: BackfillJson) => (await start(workflowId, input)).result();
const failureOf = (workflowId: string, input: BackfillJson) => play(workflowId, input).catch((error) => error.cause);

/** A file of so many leads that no other test has. */
function leadsIn(name: string, count: number): { ref: string } {
  mkdirSync(join(stage.folder, 'storage'), { recursive: true });
  writeFileSync(join(stage.folder, 'storage', name), `leadId\n${free.splice(0, count).join('\n')}\n`);
  return { ref: name };
}

test.concurrent('a start under the same ID that came to no list leaves the list of the run before for redrives', async () => {
  const input = { operation: 'convertLead', file: leadsIn('monthly.csv', 3) } as const;
  expect(await play('monthly', { ...input, maxItems: 1 })).toMatchObject({ counts: { done: 1, skipped: 2 } });
  const mistyped = await failureOf('monthly', { ...input, file: { ref: 'montly.csv' } });
  expect(mistyped).toMatchObject({ type: 'BadInput', message: expect.stringContaining('file.ref') });
  expect(await play('rest', { redriveOf: 'monthly' })).toMatchObject({ items: 2, counts: { done: 2 } });
});

test.concurrent.each(['dry run', 'list without items'])(
  'a %s under the same ID leaves that of the run before',
  async (what) => {
    const id = `weekly ${what}`;
    const input = { operation: 'convertLead', file: leadsIn(`${id}.csv`, 3) } as const;
    expect(await play(id, { ...input, maxItems: 1 })).toMatchObject({ counts: { done: 1, skipped: 2 } });
    if (what === 'dry run') await play(id, { ...input, file: leadsIn(`other ${id}.csv`, 1), dryRun: true });
    else expect(await play(id, { ...input, file: leadsIn(`none ${id}.csv`, 0) })).toMatchObject({ items: 0 });
    expect(await play(`rest of ${what}`, { redriveOf: id })).toMatchObject({ items: 2, counts: { done: 2 } });
  },
);

test.concurrent('a plan can be carried out by a redrive where no batch before it has left anything', async () => {
  const input = { operation: 'convertLead', dryRun: true } as const;
  await play('plan', { ...input, file: leadsIn('plan.csv', 2) });
  await play('plan', { ...input, file: leadsIn('later plan.csv', 1) });
  expect(await play('of plan', { redriveOf: 'plan' })).toMatchObject({ items: 1, counts: { done: 1 } });
});

test.concurrent('a redrive may have the ID of the run that it redrives', async () => {
  const input = { operation: 'convertLead', file: leadsIn('own.csv', 3) } as const;
  expect(await play('own', { ...input, maxItems: 1 })).toMatchObject({ counts: { done: 1, skipped: 2 } });
  expect(await play('own', { redriveOf: 'own', maxItems: 1 })).toMatchObject({ items: 2, counts: { done: 1 } });
  expect(await play('own', { redriveOf: 'own' })).toMatchObject({ items: 1, counts: { done: 1 } });
});

test.concurrent('a redrive of its own ID finds nothing where there was no run before', async () => {
  expect(await failureOf('first', { redriveOf: 'first' })).toMatchObject({
    message: expect.stringContaining("no backfill 'first'"),
  });
});

test.concurrent('a start under an ID that has no list yet counts, for redrives, as the latest', async () => {
  const file = leadsIn('later.csv', 2);
  const operation = 'convertLead';
  await failureOf('unlisted', { operation, file: { ref: 'not-there.csv' } });
  await failureOf('unlisted', { operation, file: { ref: 'comes-later.csv' } });
  writeFileSync(join(stage.folder, 'storage', 'comes-later.csv'), `leadId\n${free.splice(0, 1)}\n`);
  expect(await play('listed', { redriveOf: 'unlisted' })).toMatchObject({ items: 1, counts: { done: 1 } });
  expect(await play('unlisted', { operation, file })).toMatchObject({ items: 2, counts: { done: 2 } });
});

test.concurrent('defaults of a redrive are checked like those of a batch, also where only the earlier run knows the operation', async () => {
  const input = { operation: 'convertLead', file: leadsIn('defaults.csv', 2), maxItems: 0 } as const;
  await play('defaults', input);
  expect(await failureOf('no field', { redriveOf: 'defaults', defaults: { askperson: false } })).toMatchObject({
    type: 'BadInput',
    message: expect.stringMatching(/defaults\[field 1\].*a field of convertLead/),
  });
  const wrong = await play('no value', { redriveOf: 'defaults', defaults: { askPerson: 'no' } });
  expect(wrong).toMatchObject({ items: 2, counts: { quarantined: 2, failed: 0 } });
  const again = await play('right', { redriveOf: 'defaults', defaults: { askPerson: false } });
  expect(again).toMatchObject({ items: 2, counts: { done: 2 } });
});

test.concurrent('what a batch without a list has left was never begun, and is taken only where that is asked for', async () => {
  await failureOf('never', { operation: 'convertLead', file: { ref: 'never.csv' } });
  leadsIn('never.csv', 1);
  expect(await failureOf('only failed', { redriveOf: 'never', redrive: ['failed', 'waiting'] })).toMatchObject({
    type: 'BadInput',
    message: expect.stringContaining("redrive: 'never' has begun none of its items"),
  });
  expect(await play('skipped', { redriveOf: 'never', redrive: ['skipped'] })).toMatchObject({ counts: { done: 1 } });
});

test.concurrent('parts of the item ledger from before a reset are not believed', async () => {
  const file = leadsIn('stale.csv', 1);
  const [, id] = readFileSync(join(stage.folder, 'storage', file.ref), 'utf8').split('\n');
  stage.sandbox.control.addFault({ route: 'leads.convert', about: id, fault: 'status', status: 422 });
  const { counts, files } = await play('stale', { operation: 'convertLead', file });
  expect(counts).toMatchObject({ failed: 1 });
  // One part was written; this one would be of a try that a reset has undone.
  const stale = JSON.stringify({ n: 0, id, outcome: 'done', credits: 0 });
  writeFileSync(join(stage.folder, 'storage', files.folder, 'ledger', '000001.jsonl'), `${stale}\n`);
  expect(await play('of stale', { redriveOf: 'stale' })).toMatchObject({ items: 1, counts: { done: 1 } });
});
