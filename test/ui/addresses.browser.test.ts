/** The address of a run that commands and notifications give opens the page on which the run says why it waits. */

import { linkTo } from '../../src/temporal/ui';
import { until } from '../support/until';
import { HOSTILE } from './tour';
import { frameThat, startWebUi, type WebUi } from './web-ui';

let ui: WebUi;
beforeAll(async () => {
  ui = await startWebUi();
});
afterAll(() => ui?.close());

test.each(['waits-here', HOSTILE, 'a/b c?d#e'])('of the run %j', async (workflowId) => {
  const { client } = ui.temporal;
  const args = [{ maxConversions: 1, approval: 'all' }];
  const run = await client.workflow.start('leadPipeline', { workflowId, taskQueue: 'audit-runner', args });
  await until(async () => (await run.query<{ waiting?: string }>('progress')).waiting !== undefined);
  const context = await ui.browser.newContext({ viewport: { width: 1_280, height: 1_200 } });
  const page = await context.newPage();
  await page.goto(linkTo(ui.server.uiUrl ?? '', ui.server.namespace, workflowId, run.firstExecutionRunId));
  // Nothing is clicked.
  expect(await frameThat(page, /Approval is needed within/)).toBeDefined();
  expect(await page.getByRole('tab', { name: 'User Metadata' }).getAttribute('aria-selected')).toBe('true');
  await context.close();
  await run.terminate();
});
