/** The address of a run that commands and notifications give opens the page on which the run says why it waits. */

import { linkTo } from '../../src/temporal/ui';
import { detailsOf } from '../support/details';
import { until } from '../support/until';
import { HOSTILE } from './tour';
import { frameAt, startWebUi, type WebUi } from './web-ui';

let ui: WebUi;
beforeAll(async () => {
  ui = await startWebUi();
});
afterAll(() => ui?.close());

test.each(['waits-here', HOSTILE, 'a/b c?d#e'])('of the run %j', async (workflowId) => {
  const { client } = ui.temporal;
  const args = [{ maxConversions: 1, approval: 'all' }];
  const run = await client.workflow.start('leadPipeline', { workflowId, taskQueue: 'audit-runner', args });
  const says = /Approval is needed within/;
  await until(async () => says.test(await detailsOf(client, workflowId).catch(() => '')));
  const context = await ui.browser.newContext({ viewport: { width: 1_280, height: 1_200 } });
  const page = await context.newPage();
  // Nothing is clicked.
  const address = linkTo(ui.server.uiUrl ?? '', ui.server.namespace, workflowId, run.firstExecutionRunId);
  expect(await frameAt(page, address, says)).toBeDefined();
  expect(await page.getByRole('tab', { name: 'User Metadata' }).getAttribute('aria-selected')).toBe('true');
  await context.close();
  await run.terminate();
});
