/** From the page `startHere` to a finished run as a person goes: in a real browser, on the Web UI of a real server. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { type LocalWorker, localWorker, sandboxConfig } from '../../src/cli/local';
import { linkTo } from '../../src/cli/server';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { exampleInput } from '../../src/start-here/example-inputs';
import { START_HERE } from '../../src/start-here/keep';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { launchChromium } from '../support/chromium';
import { until } from '../support/until';

/** To look at; each run replaces them. */
const SCREENSHOTS = join(tmpdir(), 'audit-runner-start-here');
const WAIT = { timeout: 30_000 };
const FRAME = 'iframe[src*="Start%20a%20run"]';

let server: OwnServer;
let sandbox: Sandbox;
let worker: LocalWorker;
let temporal: Connected;
let folder: string;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'start-here-'));
  [server, sandbox, browser] = await Promise.all([startServer({ ui: true }), startSandbox(), launchChromium()]);
  const log = pino({ level: 'silent' });
  installSdkRuntime(log);
  worker = await localWorker(server, { ...sandboxConfig(sandbox, 20), storageUrl: pathToFileURL(folder).href }, log);
  temporal = await connectClient({ config: server.config });
  context = await browser.newContext({ viewport: { width: 1280, height: 1240 } });
});
afterAll(async () => {
  await browser?.close();
  await worker?.close();
  await temporal?.close();
  await sandbox?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const picture = (name: string, of: Page) => of.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });

/** The Web UI reads the page when it opens the tab, and then no more: it has to be there. */
const isWritten = () =>
  temporal.client.workflow
    .getHandle(START_HERE)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    .then(
      ({ currentDetails }) => currentDetails?.includes('Start a run') === true,
      () => false,
    );

/** The tab 'User Metadata' of the run, and the frame of its current details once it shows the page. */
async function openPage(): Promise<{ page: Page; frame: Frame }> {
  await until(isWritten);
  const page = await context.newPage();
  await page.goto(linkTo(server.uiUrl ?? '', server.namespace, START_HERE));
  await page.getByText('User Metadata', { exact: true }).click(WAIT);
  await page.frameLocator(FRAME).getByRole('link', { name: 'leadPipeline' }).waitFor(WAIT);
  const frame = await (await page.locator(FRAME).elementHandle())?.contentFrame();
  if (!frame) throw new Error('the frame with the page is not there');
  return { page, frame };
}

/** What the form shows: the input as JSON, undefined while it is empty. */
async function shownIn(form: Page) {
  const field = (label: string) => form.getByLabel(label, { exact: true }).inputValue();
  const text = await form.locator('.cm-content').first().innerText(WAIT);
  return {
    ...{
      workflowId: await field('Workflow ID'),
      taskQueue: await field('Task Queue'),
      type: await field('Workflow Type'),
    },
    input: text.trim().startsWith('{') ? JSON.parse(text) : undefined,
  };
}

test('from the page a link leads through the form, filled in with the example, to a finished run', async () => {
  const { page, frame } = await openPage();
  for (const [type, { about }] of Object.entries(WORKFLOW_TYPES)) {
    const paragraph = frame.locator('p', { hasText: `${type} ${about}.` });
    expect([type, await paragraph.count()]).toEqual([type, 1]);
  }
  const room = `innerHeight - [...document.querySelectorAll('p')].find((p) => /^Accounts: /.test(p.textContent)).getBoundingClientRect().bottom`;
  expect(await frame.evaluate<number>(room)).toBeGreaterThan(0);
  await picture('page', page);

  const opened = context.waitForEvent('page', WAIT);
  await frame.getByRole('link', { name: 'leadPipeline' }).click();
  const form = await opened;
  const example = { type: 'leadPipeline', taskQueue: 'audit-runner', input: exampleInput('leadPipeline', 'default') };
  await until(async () => (await shownIn(form)).input !== undefined);
  expect(await shownIn(form)).toEqual({ ...example, workflowId: 'example.leadPipeline' });
  await picture('form', form);

  await form.getByRole('button', { name: 'Random UUID' }).click();
  const { workflowId, ...rest } = await shownIn(form);
  expect(rest).toEqual(example);
  expect(workflowId).toMatch(/^[0-9a-f-]{36}$/);
  await form.getByTestId('start-workflow-button').click();
  const run = temporal.client.workflow.getHandle(workflowId);
  await until(() => run.describe().then(Boolean, () => false));
  expect(await run.result()).toMatchObject({
    ended: 'planned',
    dryRun: true,
    leads: sandbox.control.leads().length - 1,
  });
  const { typedSearchAttributes: known } = await run.describe();
  expect(known.get(searchAttributeKeys.account)).toBe('default');
  expect(known.get(searchAttributeKeys.runKind)).toBe('person');
  expect(known.get(searchAttributeKeys.creditsSpent)).toBe(0);

  await form.goto(linkTo(server.uiUrl ?? '', server.namespace, workflowId));
  await form.getByText('Completed').first().waitFor(WAIT);
  await form.getByText('User Metadata', { exact: true }).click();
  await form.frameLocator('iframe[src*="planned"]').getByText('planned').first().waitFor(WAIT);
  await picture('finished', form);
});
