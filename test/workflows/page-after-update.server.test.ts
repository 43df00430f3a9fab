/** What people do stands on the page as soon as the update has returned. */
import { pagesOf } from '../support/pages';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 8 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const { handle, pageOf, start, after } = pagesOf(() => stage);
const LEADS = { scoring: { minReadiness: 0 } };

test.each([
  ['leadPipeline', LEADS, { maxConversions: 1 }],
  ['backfill', { operation: 'convertLead', leads: LEADS }, { maxItems: 1 }],
])('of a %s', async (type, input, limits) => {
  const id = `acts-${type}`;
  await start(type, id, { ...input, approval: 'all' });
  await until(async () => (await pageOf(id)).includes('Approval is needed'));
  expect(await after(id, 'changeLimits', { ...limits, by: 'Ops' })).toMatch(
    / UTC Ops \(client[^)]*\): changeLimits \\\{/,
  );
  expect(await after(id, 'pause', { by: '[Ops](http://evil.example)', reason: 'month end' })).toMatch(
    / UTC `\[Ops\]\(http:\/\/evil\.example\)` \(client[^)]*\): pause \(month end\)/,
  );
  expect(await after(id, 'resume', { by: 'Ops' })).toMatch(/ UTC Ops \(client[^)]*\): resume/);
  const page = await after(id, 'reject', { by: 'Ops' });
  expect(page).toMatch(/ UTC Ops \(client[^)]*\): reject/);
  expect(page).not.toContain('Approval is needed');
  await handle(id).result();
  expect(await pageOf(id)).toMatch(/ UTC Ops \(client[^)]*\): reject/);
});

test('of a ledger', async () => {
  const found = stage.temporal.client.workflow.list({ query: 'WorkflowType = "accountLedger"' });
  for await (const { workflowId } of found) {
    expect(await after(workflowId, 'hold', { reason: 'month end', by: 'Ops' })).toMatch(/on hold since .*month end/);
    expect(await after(workflowId, 'release', { reason: 'over', by: 'Ops' })).toMatch(
      /\*\*: open[\s\S]* Ops \(.*\): released/,
    );
    expect(await after(workflowId, 'setBudget', { perDay: 12_000, reason: 'quiet', by: 'Ops' })).toContain(
      'Most credits a day: 12,000',
    );
    return;
  }
  throw new Error('there is no ledger');
});
