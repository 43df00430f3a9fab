/** A server with its Web UI, a sandbox, a worker and a browser: what people see, as they see it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import type { LIMITS } from '../../src/agent-api/routes';
import { localWorker, sandboxConfig } from '../../src/cli/local';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';
import { linkTo } from '../../src/temporal/ui';
import { launchChromium } from '../support/chromium';
import { detailsOf } from '../support/details';
import { until } from '../support/until';

export const WAIT = { timeout: 30_000 };
const SOON_MS = 15_000;
/** Enough for a batch that is still under way while people look at its page, and at those after it. */
const LEADS = 100;
/** Shorter than the service may take, since the stand-in commits at once: people are asked sooner. */
const SETTLING_MS = 3_000;

export interface WebUi {
  server: OwnServer;
  sandbox: Sandbox;
  temporal: Connected;
  browser: Browser;
  /** Puts a document into the storage. */
  put(ref: string, text: string): void;
  close(): Promise<void>;
}

/** @param limits of the account; default: as much higher than those of the API as the clock of the sandbox is faster */
export async function startWebUi(limits?: typeof LIMITS): Promise<WebUi> {
  const folder = mkdtempSync(join(tmpdir(), 'web-ui-'));
  const closings: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    while (closings.length > 0) await closings.pop()?.();
  };
  try {
    const server = await startServer({ ui: true });
    closings.push(() => server.stop());
    const sandbox = await startSandbox({ leads: LEADS, durations: { audit: 10_000 } });
    closings.push(() => sandbox.close());
    const log = pino({ level: 'silent' });
    installSdkRuntime(log);
    const config = sandboxConfig(sandbox, 20, pathToFileURL(folder).href);
    for (const account of Object.values(config.accounts)) {
      Object.assign(account.timing, { settlingMs: SETTLING_MS });
      Object.assign(account, limits && { limits });
    }
    const worker = await localWorker(server, config, log);
    closings.push(() => worker.close());
    const temporal = await connectClient({ config: server.config });
    closings.push(() => temporal.close());
    const browser = await launchChromium();
    closings.push(() => browser.close());
    const put = (ref: string, text: string) => {
      mkdirSync(dirname(join(folder, ref)), { recursive: true });
      writeFileSync(join(folder, ref), text);
    };
    return { server, sandbox, temporal, browser, put, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export const addressOf = ({ server }: WebUi, workflowId: string, runId?: string): string =>
  linkTo(server.uiUrl ?? '', server.namespace, workflowId, runId);

/**
 * The tab *User Metadata* of a run, and the frame of its current details. The Web UI asks for them once, when the tab opens;
 * if the worker is slow to answer it shows none, and people load the page again.
 */
export async function openDetails(
  ui: WebUi,
  context: BrowserContext,
  workflowId: string,
  says: RegExp,
  viewport?: { width: number; height: number },
): Promise<{ page: Page; frame: Frame }> {
  const { client } = ui.temporal;
  await until(async () => says.test(await detailsOf(client, workflowId).catch(() => '')));
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const page = await context.newPage();
  if (viewport) await page.setViewportSize(viewport);
  return { page, frame: await frameAt(page, addressOf(ui, workflowId, runId), says) };
}

/** Opens a page with the frame that says it. The Web UI asks for the details once: where the worker is slow it shows none. */
export async function frameAt(page: Page, address: string, says: RegExp): Promise<Frame> {
  for (let loaded = 1; loaded <= 4; loaded++) {
    await page.goto(address);
    const frame = await frameThat(page, says);
    if (frame) return frame;
  }
  throw new Error(`the page ${address} does not say ${says}`);
}

/** The frame that says it. @returns undefined where none does soon */
export async function frameThat(page: Page, says: RegExp): Promise<Frame | undefined> {
  let found: Frame | undefined;
  await until(async () => {
    // The Web UI draws them anew when it has read more of the run.
    for (const frame of page.frames().filter((one) => one !== page.mainFrame()))
      if (says.test(await frame.evaluate<string>('document.body.innerText').catch(() => ''))) found = frame;
    return found !== undefined;
  }, SOON_MS).catch(() => undefined);
  return found;
}

/** What a script says in the frame of the current details; a run that goes on has it drawn anew, and it is asked again. */
export async function inDetails<T>(page: Page, says: RegExp, script: string): Promise<T | undefined> {
  let answer: T | undefined;
  await until(async () => {
    const frame = await frameThat(page, says);
    answer = await frame?.evaluate<T>(script).catch(() => undefined);
    return answer !== undefined;
  });
  return answer;
}

/** Opens the start form as people do: by the link of a workflow on the page of `start-here`, which opens a tab. */
export async function openForm(context: BrowserContext, startHere: Frame, workflowType: string): Promise<Page> {
  const opened = context.waitForEvent('page', WAIT);
  await startHere.getByRole('link', { name: workflowType }).click(WAIT);
  const form = await opened;
  await until(async () => (await inputIn(form)) !== undefined);
  return form;
}

/** The input that the form shows; undefined while it is empty. */
export async function inputIn(form: Page): Promise<unknown> {
  const text = await form.locator('.cm-content').first().innerText(WAIT);
  return text.trim().startsWith('{') ? JSON.parse(text) : undefined;
}
