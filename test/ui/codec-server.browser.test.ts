/** Encrypted runs in the stock Web UI: unreadable by itself, readable and encrypted from its forms with the codec server. */
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { cliFolder } from '../cli/cli';
import { launchChromium } from '../support/chromium';
import { until } from '../support/until';
import { frameAt, inputIn, openForm, WAIT } from './web-ui';

const cli = cliFolder();
const env = {
  [ENCRYPTION_VARIABLE]: randomBytes(32).toString('base64'),
  AUDIT_RUNNER_ENCRYPTION_REQUIRE: 'true',
};
let browser: Browser;
let temporal: Connected;
let ui: string;
beforeAll(async () => {
  const dev = cli.start(['dev', '--speed', '20', '--leads', '20'], env);
  [browser] = await Promise.all([launchChromium(), dev.said('Ctrl-C ends everything')]);
  expect(dev.stdout).toContain('the Web UI shows what is encrypted');
  ui = /Web UI +(http:\S+)/.exec(dev.stdout)?.[1] ?? '';
  const address = /Temporal +([^,]+),/.exec(dev.stdout)?.[1] ?? '';
  // Reads as somebody without the key.
  temporal = await connectClient({ config: { address, namespace: 'sandbox' }, env: {} });
});
afterAll(async () => {
  await browser?.close();
  await temporal?.close();
  await cli.close();
});

const pageOf = (workflowId: string) => `${ui}/workflows/${workflowId}`;

/** The details of `start-here`, with the links to the forms. */
async function startHere(page: Page) {
  await page.goto(pageOf('start-here'));
  const tab = await page.getByRole('tab', { name: 'User Metadata' }).getAttribute('href', WAIT);
  return frameAt(page, new URL(tab ?? '', page.url()).href, /Convert leads|leadPipeline/);
}

/** What a run was started with, as Temporal has it. */
async function inputOf(workflowId: string): Promise<string> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const [first] = events ?? [];
  const [payload] = first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return `${Buffer.from(payload?.metadata?.encoding ?? [])} ${Buffer.from(payload?.data ?? [])}`;
}

test('with encryption.require, a run is started from the form, encrypted, and read on its page; without the codec server nobody reads it', async () => {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const form = await openForm(context, await startHere(page), 'leadPipeline');
  expect(await inputIn(form)).toBeInstanceOf(Object);
  const workflowId = await form.locator('#workflowId').inputValue();
  // The form proposes the ID of the example that it copies.
  const newest = async () => (await temporal.client.workflow.getHandle(workflowId).describe()).runId;
  const example = await newest();
  await form.getByRole('button', { name: 'Start Workflow' }).click(WAIT);
  await until(async () => (await newest()) !== example);
  expect(await inputOf(workflowId)).toMatch(/^binary\/encrypted /);

  await page.goto(pageOf(workflowId));
  await page.getByText('maxConversions').first().waitFor(WAIT);
  await until(
    async () => (await temporal.client.workflow.getHandle(workflowId).describe()).status.name === 'COMPLETED',
  );

  const without = await (await browser.newContext()).newPage();
  await without.route(/\/decode$/, (route) => route.abort());
  await without.goto(pageOf(workflowId));
  await without.locator('#content').getByText('Codec Server could not connect').first().waitFor(WAIT);
  await without.getByText('encryption-key-id').first().waitFor(WAIT);
  expect(await without.content()).not.toContain('maxConversions');
});

test('with encryption.require, a run that waits is approved by a form that names it, and its answer is encrypted', async () => {
  const started = await cli.run(['run', 'leadPipeline', '--id', 'waits', '--detach', '--json'], env);
  expect(started.code).toBe(0);
  const run = temporal.client.workflow.getHandle('waits');
  const waits = "WorkflowId = 'waits' AND NeedsPerson = true";
  await until(async () => (await temporal.client.workflow.count(waits)).count === 1);
  const page = await (await browser.newContext({ viewport: { width: 1_000, height: 1_400 } })).newPage();
  await page.goto(pageOf('waits'));
  await page.getByRole('button', { name: 'More Actions' }).click(WAIT);
  await page.getByText('Send an Update', { exact: true }).locator('visible=true').first().click();
  const form = page.getByRole('dialog', { name: 'Send an Update' });
  // The field itself is disabled: the button around it opens the list.
  await page
    .locator('#update-select')
    .locator('visible=true')
    .locator('xpath=ancestor::*[@aria-haspopup or self::button][1]')
    .click();
  await form.getByRole('option').filter({ hasText: 'approve' }).first().click(WAIT);
  await form.locator('.cm-content').first().fill('{"run": "waits", "reason": "within budget", "by": "Ada"}');
  // The form lays out its text anew beneath the first press.
  await until(async () => {
    await form
      .getByRole('button', { name: 'Submit' })
      .click({ timeout: 1_000 })
      .catch(() => undefined);
    return form.isHidden();
  });
  await until(async () => (await run.describe()).status.name === 'COMPLETED');
  const { events } = await run.fetchHistory();
  const accepted = events?.flatMap(
    ({ workflowExecutionUpdateAcceptedEventAttributes: update }) =>
      update?.acceptedRequest?.input?.args?.payloads?.map(
        ({ metadata }) => `${Buffer.from(metadata?.encoding ?? [])}`,
      ) ?? [],
  );
  expect(accepted).toEqual(['binary/encrypted']);
}, 120_000);
