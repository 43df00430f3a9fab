/** What of the storage belongs to another account: no input brings a run to it. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BackfillResult } from '../../workflows/backfill';
import { completedLeads, type Stage, startStage } from '../support/stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 20, durations: { interviewAnalysis: 100, extraction: 100 } } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const pathOf = (ref: string) => join(stage.folder, 'storage', ref);
function put(ref: string, text: string): string {
  mkdirSync(dirname(pathOf(ref)), { recursive: true });
  writeFileSync(pathOf(ref), text);
  return ref;
}
const run = (type: string, workflowId: string, input: object) =>
  stage.temporal.client.workflow.execute(type, { workflowId, taskQueue: 'audit-runner', args: [input] });
const leads = () => completedLeads(stage);

const OF_OTHERS = 'it belongs to another account: give one below accounts/default/';
const UNKNOWN = 'it is a result that does not say which account it belongs to';

test.each([
  ['a note', 'ingestCapture', (ref: string) => ({ noteFile: ref }), 'accounts/south/notes/a.txt', OF_OTHERS],
  ['a note of a batch', 'ingestCapture', (ref: string) => ({ noteFile: ref }), 'backfills/b/1/notes/2.txt', UNKNOWN],
  [
    'a document',
    'auditProject',
    (ref: string) => ({ projectId: 'p-1', documents: [{ ref, fileName: 'a.txt' }] }),
    'accounts/south/audits/p/a/report.md',
    OF_OTHERS,
  ],
  [
    'a document of what is to be audited later',
    'leadPipeline',
    (ref: string) => ({ dryRun: true, audit: { documents: [ref] } }),
    'accounts/south/a.txt',
    OF_OTHERS,
  ],
  [
    'a list of items',
    'backfill',
    (ref: string) => ({ operation: 'convertLead', file: { ref }, maxCredits: 1_000 }),
    'accounts/south/leads.csv',
    OF_OTHERS,
  ],
])('%s of another account is refused, and nothing is sent', async (name, type, inputOf, ref, sentence) => {
  put('backfills/b/1/backfill.json', JSON.stringify({ account: 'south' }));
  put(ref, 'leadId\nWhat nobody else may read');
  const before = { ...stage.sandbox.control.stats().requests.byRoute };
  const failure = await run(type, name, inputOf(ref)).catch((error) => error);
  expect(failure.cause).toMatchObject({ type: 'BadInput', message: expect.stringContaining(sentence) });
  expect(failure.cause.message).not.toContain(ref);
  const { byRoute } = stage.sandbox.control.stats().requests;
  for (const route of ['captures.submitNote', 'projects.uploadDocument', 'leads.convert'] as const)
    expect([route, byRoute[route]]).toEqual([route, before[route]]);
});

test("a note in the account's own folder is taken in under its short name, and stored among the account's own", async () => {
  put('accounts/default/notes/meeting.txt', 'They type every order twice, in two systems.');
  const result = await run('ingestCapture', 'own note', { noteFile: 'notes/meeting.txt' });
  expect(result).toMatchObject({
    outcome: 'processed',
    files: { capture: expect.stringMatching(/^accounts\/default\/captures\//) },
  });
  expect(stage.sandbox.control.captures().some(({ rawContent }) => rawContent.includes('every order twice'))).toBe(
    true,
  );
});

test('what a batch of an earlier version has left at the root is done by a redrive', async () => {
  const [one = '', two = ''] = leads();
  const file = { ref: put('leads.csv', `leadId\n${one}\n${two}\n`) };
  stage.sandbox.control.addFault({ route: 'leads.convert', about: two, fault: 'status', status: 422 });
  const input = { operation: 'convertLead', maxCredits: 5_000 };
  const first = (await run('backfill', 'old', { ...input, file })) as BackfillResult;
  expect(first.counts).toMatchObject({ done: 1, failed: 1 });
  // As it would have been left.
  mkdirSync(pathOf('backfills'), { recursive: true });
  renameSync(pathOf('accounts/default/backfills/old'), pathOf('backfills/old'));
  const latest = readFileSync(pathOf('backfills/old/latest.json'), 'utf8');
  put('backfills/old/latest.json', latest.replaceAll('accounts/default/', '').replace(/,"sum":"\w+"/, ''));
  const again = (await run('backfill', 'new', { redriveOf: 'old', maxCredits: 5_000 })) as BackfillResult;
  expect(again).toMatchObject({ items: 1, counts: { done: 1 }, credits: 1_000 });
  expect(again.files.ledger).toMatch(/^accounts\/default\/backfills\/new\//);
  expect(stage.figures().paidTwice).toBe(0);
});
