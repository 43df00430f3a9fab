/** How the pictures that the documents show come about. */
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { LIMITS } from '../../src/agent-api/routes';
import { renderReport } from '../../src/report';
import { renderSpending } from '../../src/report/spending';
import { packageRoot } from '../../src/temporal/package-root';
import { openOffline } from '../report/in-browser';
import { sample } from '../report/sample';
import { sample as spending } from '../report/spending/sample';
import { until } from '../support/until';
import { TOUR } from '../ui/tour';
import { openDetails, openForm, startWebUi, WAIT } from '../ui/web-ui';
import { FORM, fileOf, REPORTS, STATES } from './names';

const REPORT_VIEWS: Record<(typeof REPORTS)[number], { width: number; height: number; html: () => string }> = {
  report: { width: 900, height: 1_500, html: () => renderReport(sample).html },
  spending: { width: 900, height: 790, html: () => renderSpending(spending).html },
};

/** Of a page of the Web UI: the narrowest at which the facts of a run stand side by side. */
const WIDTH = 1_280;
/** What is shown of a page. The window is taller, or a button to scroll down would cover something. */
const TALLEST = 1_200;
const SHORTEST = 620;
/** Below the last line. */
const MARGIN = 24;
/** Between an event and the line below it. */
const ROW = 8;
const WINDOW = { width: WIDTH, height: 2_400 };
/** Of the navigation above. */
const BORDER = 4;
const QUALITY = 80;

/** A picture as bytes of a WebP file. */
type Save = (file: string, bytes: Buffer) => void;

/** Makes all of them. */
export async function takeAll(save: Save): Promise<void> {
  // Plans say how long they take at the limits of the API.
  const ui = await startWebUi(LIMITS);
  try {
    await takeReports(ui.browser, save);
    for (const state of TOUR) {
      const workflowId = await state.prepare(ui);
      if (!STATES.includes(state.name)) continue;
      const context = await ui.browser.newContext({ viewport: WINDOW });
      const { page, frame } = await openDetails(ui, context, workflowId, state.says);
      save(fileOf(state.name), await takePage(page, await bottomOf(page)));
      if (state.name === 'start-here') {
        const form = await openForm(context, frame, 'leadPipeline');
        save(fileOf(FORM), await takePage(form, 1_680));
      }
      await context.close();
    }
  } finally {
    await ui.close();
  }
}

async function takeReports(browser: Browser, save: Save): Promise<void> {
  for (const name of REPORTS) {
    const { width, height, html } = REPORT_VIEWS[name];
    const { page } = await openOffline(browser, join(tmpdir(), `picture-${name}.html`), html(), { width });
    await page.setViewportSize({ width, height });
    save(fileOf(name), await take(page, { x: 0, y: 0, width, height }));
    await page.context().close();
  }
}

/** Asks all frames of a page. The Web UI draws them anew when it has read more of a run: then it is asked again. */
async function ofFrames<T>(page: Page, ask: (frame: Frame) => Promise<T>): Promise<T[]> {
  let answers: T[] | undefined;
  await until(async () => {
    answers = await Promise.all(page.frames().map(ask)).catch(() => undefined);
    return answers !== undefined;
  }, WAIT.timeout);
  return answers ?? [];
}

/** The end of what a page of the Web UI shows; of a long one, the end of the last whole block that there is room for. */
async function bottomOf(page: Page): Promise<number> {
  const bottoms = `[...document.querySelectorAll('p, li, h1, h2, h3, pre')].map((one) => one.getBoundingClientRect().bottom)`;
  const frames = await ofFrames(page, async (frame) => {
    if (frame === page.mainFrame()) return [];
    const top = (await (await frame.frameElement()).boundingBox())?.y ?? 0;
    return (await frame.evaluate<number[]>(bottoms)).map((bottom) => top + bottom);
  });
  const last = (ends: readonly number[]) => Math.max(0, ...ends);
  const [ends = []] = frames.sort((a, b) => last(b) - last(a));
  if (last(ends) + MARGIN > TALLEST) return Math.ceil(last(ends.filter((end) => end <= TALLEST)));
  const bottom = Math.max(SHORTEST, last(ends) + MARGIN);
  // Beside them is a list of events: it is cut below a whole one.
  const events = `[...document.querySelectorAll('main *')].filter((one) => one.childElementCount === 0 && one.textContent.trim() !== '')
    .map((one) => one.getBoundingClientRect()).filter(({ top, bottom }) => top < ${bottom} && bottom > ${bottom - ROW}).map(({ bottom }) => bottom + ${ROW})`;
  return Math.ceil(Math.max(bottom, ...(await page.evaluate<number[]>(events))));
}

/** The part of a page of the Web UI that is about a run or a form: right of the navigation, below the namespaces. */
async function takePage(page: Page, bottom: number): Promise<Buffer> {
  const box = await page.locator('main').boundingBox();
  if (!box) throw new Error('there is no main part');
  return take(page, { x: box.x, y: box.y + BORDER, width: box.width, height: bottom - box.y - BORDER });
}

interface Clip {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Playwright's own screenshots are PNG or JPEG, several times as large. */
async function take(page: Page, clip: Clip): Promise<Buffer> {
  await refuseTraces(page);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: QUALITY, clip: { ...clip, scale: 1 } },
  });
  return Buffer.from(data, 'base64');
}

/** @throws where a page names this machine or a folder of it: the picture would be published */
async function refuseTraces(page: Page): Promise<void> {
  const texts = await ofFrames(page, (frame) => frame.evaluate<string>('document.body.innerText'));
  const found = [tmpdir(), packageRoot(), `@${hostname()}`].filter((trace) => texts.join('\n').includes(trace));
  if (found.length > 0) throw new Error(`${page.url()} shows ${found.join(' and ')}`);
}
