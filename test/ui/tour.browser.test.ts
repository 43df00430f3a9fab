/** What people see in the Web UI of a real server, in a real browser: from the start page to a finished run, and on the way. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { formSummary, WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { exampleInput } from '../../src/start-here/example-inputs';
import { START_HERE } from '../../src/start-here/keep';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { until } from '../support/until';
import { HOSTILE, ledgerOf, TOUR } from './tour';
import {
  addressOf,
  frameThat,
  inDetails,
  inputIn,
  openDetails,
  openForm,
  startWebUi,
  WAIT,
  type WebUi,
} from './web-ui';

/** To look at; each run replaces them. */
const SCREENSHOTS = join(tmpdir(), 'audit-runner-tour');
/** As wide as people have it: the narrower, the more lines wrap. */
const WIDTHS = [1_000, 1_440];

let ui: WebUi;
/** One for all pages, as people have it: another would load the Web UI again. */
let context: BrowserContext;
beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  ui = await startWebUi();
  context = await ui.browser.newContext({ viewport: { width: 1_280, height: 1_400 } });
});
afterEach(async () => {
  for (const page of context.pages()) await page.close();
});
afterAll(() => ui?.close());

const picture = (name: string, of: Page) => of.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });

/** Of each run that is started from the form of `leadPipeline`. */
const SUMMARY = formSummary('leadPipeline');

/** What the form shows. */
async function shownIn(form: Page) {
  const field = (label: string) => form.getByLabel(label, { exact: true }).inputValue();
  return {
    ...{ workflowId: await field('Workflow ID'), taskQueue: await field('Task Queue') },
    ...{ type: await field('Workflow Type'), input: await inputIn(form) },
  };
}

test('from the page a link leads through the form, filled in with the example, to a finished run', async () => {
  const { frame } = await openDetails(ui, context, START_HERE, /Start a run/);
  for (const [type, { about }] of Object.entries(WORKFLOW_TYPES)) {
    const paragraph = frame.locator('p', { hasText: `${type} ${about}.` });
    expect([type, await paragraph.count()]).toEqual([type, 1]);
  }
  const form = await openForm(context, frame, 'leadPipeline');
  const example = { type: 'leadPipeline', taskQueue: 'audit-runner', input: exampleInput('leadPipeline', 'default') };
  expect(await shownIn(form)).toEqual({ ...example, workflowId: 'example.leadPipeline' });
  await picture('form', form);
  expect(await form.locator('.cm-content').allInnerTexts()).toContain(SUMMARY);

  await form.getByRole('button', { name: 'Random UUID' }).click();
  const { workflowId, ...rest } = await shownIn(form);
  expect(rest).toEqual(example);
  expect(workflowId).toMatch(/^[0-9a-f-]{36}$/);
  await form.getByTestId('start-workflow-button').click();
  const run = ui.temporal.client.workflow.getHandle(workflowId);
  await until(() => run.describe().then(Boolean, () => false));
  expect(await run.result()).toMatchObject({
    ended: 'planned',
    dryRun: true,
    leads: ui.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus !== 'archived').length,
  });
  const { typedSearchAttributes: known } = await run.describe();
  expect(known.get(searchAttributeKeys.account)).toBe('default');
  expect(known.get(searchAttributeKeys.runKind)).toBe('person');
  expect(known.get(searchAttributeKeys.creditsSpent)).toBe(0);
  expect(await (await run.describe()).staticSummary()).toBe(SUMMARY);

  await form.goto(addressOf(ui, workflowId));
  await form.getByText('Completed').first().waitFor(WAIT);
  await form.getByText('User Metadata', { exact: true }).click();
  await form.frameLocator('iframe[src*="planned"]').getByText('planned').first().waitFor(WAIT);
  await form.frameLocator('iframe[src*="started"]').getByText(SUMMARY).first().waitFor(WAIT);
  expect(await form.getByText('No summary available').count()).toBe(0);
  await picture('finished', form);
});

/** What a page begins with, and the links on it that people follow: their words, and the heading of the tab that opens. */
const LEADS: Record<string, { begins: string; links?: Record<string, string> }> = {
  'start-here': { begins: 'Start a run', links: { 'what is under way': 'start-here' } },
  approval: {
    begins: 'Convert at most 12 leads of default, up to 10,000 credits (account default)',
    links: { 'ledger of account default': 'account-ledger.' },
  },
  'batch-approval': { begins: 'Backfill: convertLead (account default)' },
  ended: { begins: 'Convert at most ', links: { 'its run': 'convert-lead.', 'project ': 'convert-lead.' } },
  question: { begins: 'Convert lead ' },
  plan: { begins: 'Plan conversions of leads of default', links: { 'ledger of account default': 'account-ledger.' } },
  finished: { begins: 'Convert at most ', links: { 'its run': 'convert-lead.', 'project ': 'convert-lead.' } },
  'which-project': { begins: 'Convert lead ', links: { 'all about this lead': 'one-of-two' } },
  audit: { begins: 'Audit ', links: { 'all about this project': 'harbour-logistics' } },
  'audit-done': { begins: 'Audit ', links: { 'all about this project': 'harbour-logistics' } },
  review: { begins: 'Ingest ', links: { 'all about this capture': 'note-of-monday' } },
  sweep: { begins: 'Retry captures', links: { 'ledger of account default': 'account-ledger.' } },
  call: { begins: 'Call contacts.list', links: { 'ledger of account default': 'account-ledger.' } },
  batch: { begins: 'Backfill: convertLead (account default)' },
  child: { begins: 'Convert lead ', links: { [HOSTILE]: HOSTILE, 'all about this lead': 'convert-lead.' } },
  'unknown-lead': { begins: 'Convert lead ', links: { 'start form with this input': 'Start a Workflow' } },
  'wrong-input': { begins: 'Failed at ', links: { 'start form with this input': 'Start a Workflow' } },
  hold: { begins: 'Convert lead ', links: { 'ledger of account default': 'account-ledger.' } },
  ledger: { begins: 'Account default: on hold' },
};

/** What is wrong with how a frame shows its page: code for the page. */
const FAULTS = `(() => {
  const all = [...document.body.querySelectorAll('p, li, h1, h2, h3, pre')].filter((one) => one.textContent.trim() !== '');
  const bottom = Math.max(...all.map((one) => one.getBoundingClientRect().bottom));
  const runTogether = all.filter((one) => one.tagName === 'P' && /\\n[-*] /.test(one.textContent)).map((one) => one.textContent.slice(0, 80));
  return { hidden: Math.max(0, Math.ceil(bottom - innerHeight)), wide: Math.max(0, document.documentElement.scrollWidth - innerWidth), runTogether };
})()`;

test.each(TOUR)(
  'the page $name is whole, at any width',
  async ({ name, prepare, says }) => {
    const workflowId = await prepare(ui);
    for (const width of WIDTHS) {
      const { page } = await openDetails(ui, context, workflowId, says, { width, height: 1_400 });
      await picture(`${name}-${width}`, page);
      // Also of summary and details, which hold the IDs of others.
      const hrefs = page.frames().map((one) => one.evaluate<string[]>('[...document.links].map((a) => a.host)'));
      expect([...new Set((await Promise.all(hrefs)).flat())]).not.toContain('evil.example');
      expect(await inDetails(page, says, FAULTS)).toEqual({ hidden: 0, wide: 0, runTogether: [] });
      const { begins, links = {} } = LEADS[name] ?? { begins: '' };
      const text = await inDetails<string>(page, says, 'document.body.innerText.trim()');
      expect(text?.slice(0, begins.length)).toBe(begins);
      for (const [words, heading] of width === WIDTHS[0] ? Object.entries(links) : []) {
        const opened = context.waitForEvent('page', WAIT);
        await (await frameThat(page, says))?.getByRole('link', { name: words }).first().click();
        const tab = await opened;
        expect(new URL(tab.url()).origin).toBe(new URL(ui.server.uiUrl ?? '').origin);
        await tab.locator('main').getByText(heading).first().waitFor(WAIT);
      }
    }
  },
  240_000,
);

test('the list of updates of a ledger begins with those of people, and says of the others that they are internal', async () => {
  const ledger = await ledgerOf(ui);
  const page = await context.newPage();
  await page.goto(addressOf(ui, ledger));
  await page.getByRole('button', { name: 'More Actions' }).click(WAIT);
  await page.getByText('Send an Update', { exact: true }).locator('visible=true').first().click();
  // The field itself is disabled: the button around it opens the list.
  await page
    .locator('#update-select')
    .locator('visible=true')
    .locator('xpath=ancestor::*[@aria-haspopup or self::button][1]')
    .click();
  await page.getByRole('option').first().waitFor(WAIT);
  await picture('updates', page);
  const list = page.locator('#update-confirmation-modal').getByRole('option').locator('visible=true');
  // The last is the Web UI's own, for a name that is not listed.
  const offered = (await list.allInnerTexts()).slice(0, -1);
  const names = offered.map((text) => text.trim().split('\n')[0]);
  expect(names.slice(0, 5)).toEqual(['setBudget', 'hold', 'release', 'clear', 'adjust']);
  expect(offered.map((text) => /Internal:/.test(text))).toEqual(names.map((_, i) => i >= 5));
  expect(names.length).toBeGreaterThan(10);
}, 120_000);
