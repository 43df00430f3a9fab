/** The pages of the Web UI that people look at: nothing on them is cut off or runs together. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { Browser, BrowserContext, Frame } from 'playwright-core';
import { type LocalWorker, localWorker, sandboxConfig } from '../../src/cli/local';
import { linkTo } from '../../src/cli/server';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { START_HERE } from '../../src/start-here/keep';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';
import { launchChromium } from '../support/chromium';
import { until } from '../support/until';

/** To look at; each run replaces them. */
const SCREENSHOTS = join(tmpdir(), 'audit-runner-tour');
const WAIT = { timeout: 30_000 };
/** As wide as people have it: the narrower, the more lines wrap. */
const WIDTHS = [1_000, 1_440];

let server: OwnServer;
let sandbox: Sandbox;
let worker: LocalWorker;
let temporal: Connected;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'tour-'));
  [server, sandbox, browser] = await Promise.all([startServer({ ui: true }), startSandbox(), launchChromium()]);
  const log = pino({ level: 'silent' });
  installSdkRuntime(log);
  worker = await localWorker(server, { ...sandboxConfig(sandbox, 20), storageUrl: pathToFileURL(folder).href }, log);
  temporal = await connectClient({ config: server.config });
});
afterAll(async () => {
  await browser?.close();
  await worker?.close();
  await temporal?.close();
  await sandbox?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const detailsOf = (workflowId: string) =>
  temporal.client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    .then(
      ({ currentDetails }) => currentDetails ?? '',
      () => '',
    );

const start = (type: string, workflowId: string, input: object) =>
  temporal.client.workflow.start(type, { workflowId, taskQueue: 'audit-runner', args: [input] });

/** Runs in the states in which people meet them, and what their pages then say. */
const PAGES: [name: string, prepare: () => Promise<string>, says: RegExp][] = [
  ['start-here', async () => START_HERE, /Start a run/],
  [
    'approval',
    async () => {
      await start('leadPipeline', 'nightly', { scoring: { minReadiness: 0 }, maxConversions: 12, approval: 'all' });
      return 'nightly';
    },
    /Approval is needed/,
  ],
  [
    'backfill-approval',
    async () => {
      const leads = { scoring: { minReadiness: 0 } };
      await start('backfill', 'batch', { operation: 'convertLead', leads, approval: 'all' });
      return 'batch';
    },
    /Approval is needed/,
  ],
  [
    'hold',
    async () => {
      sandbox.control.setAgentApi({ enabled: false });
      const [lead] = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
      await start('convertLead', 'one-lead', { leadId: lead?.id, maxCredits: 1_000 });
      return 'one-lead';
    },
    /on hold/,
  ],
  [
    'ledger',
    async () => {
      const list = temporal.client.workflow.list({ query: 'WorkflowType = "accountLedger"' });
      for await (const { workflowId } of list) return workflowId;
      throw new Error('there is no ledger');
    },
    /on hold/,
  ],
];

/** What is wrong with how a frame shows its page: code for the page. */
const FAULTS = `(() => {
  const all = [...document.body.querySelectorAll('p, li, h1, h2, h3, pre')].filter((one) => one.textContent.trim() !== '');
  const bottom = Math.max(...all.map((one) => one.getBoundingClientRect().bottom));
  const runTogether = all.filter((one) => one.tagName === 'P' && /\\n[-*] /.test(one.textContent)).map((one) => one.textContent.slice(0, 80));
  return { hidden: Math.max(0, Math.ceil(bottom - innerHeight)), wide: Math.max(0, document.documentElement.scrollWidth - innerWidth), runTogether };
})()`;

async function frameOf(context: BrowserContext, workflowId: string) {
  const page = await context.newPage();
  await page.goto(linkTo(server.uiUrl ?? '', server.namespace, workflowId));
  await page.getByText('User Metadata', { exact: true }).click(WAIT);
  await page.locator('iframe').last().waitFor(WAIT);
  const frame = await (await page.locator('iframe').last().elementHandle())?.contentFrame();
  if (!frame) throw new Error('there is no frame');
  return { page, frame: frame as Frame };
}

test.each(PAGES)(
  'the page %s is whole, at any width',
  async (name, prepare, says) => {
    const workflowId = await prepare();
    await until(async () => says.test(await detailsOf(workflowId)));
    for (const width of WIDTHS) {
      const context = await browser.newContext({ viewport: { width, height: 1_400 } });
      const { page, frame } = await frameOf(context, workflowId);
      await until(() => frame.evaluate<boolean>(`document.body.innerText.trim() !== ''`));
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}.png`), fullPage: true });
      expect(await frame.evaluate(FAULTS)).toEqual({ hidden: 0, wide: 0, runTogether: [] });
      await context.close();
    }
  },
  120_000,
);
