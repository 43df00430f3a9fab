/** The spending report as a person sees it: a real file in a real browser without a network. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { renderSpending, type SpendingFacts } from '../../../src/report/spending';
import { launchChromium } from '../../support/chromium';
import { account, hostile, idle, sample } from './sample';

/** To look at; each run replaces them. */
const SCREENSHOTS = join(tmpdir(), 'audit-runner-spending');

let browser: Browser;
let folder: string;
beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'spending-'));
  browser = await launchChromium();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a report offline; `said` collects what it asked for or complained about. */
async function open(facts: SpendingFacts, width: number, colorScheme: 'light' | 'dark' = 'light') {
  const path = join(folder, 'spending.html');
  writeFileSync(path, renderSpending(facts).html);
  const url = pathToFileURL(path).href;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, offline: true });
  await context.route(/^(?!file:)/, (route) => route.abort());
  const page = await context.newPage();
  const said: string[] = [];
  page.on('request', (request) => request.url() !== url && said.push(`request ${request.url()}`));
  page.on('console', (message) => said.push(`console ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error ${error.message}`));
  await page.goto(url);
  return { page, said };
}

/** Pixels by which something reaches beyond the window's width, or a table beyond its place. */
const overflow = (page: Page) =>
  page.evaluate<number>(`Math.max(document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth))`);
/** Of the page alone: on a telephone a table is moved sideways in its place. */
const pageOverflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

/** The least contrast (WCAG 2) of a text with the paper behind it. */
const leastContrast = (page: Page) =>
  page.evaluate<number>(`(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const paper = (one) => {
      for (let place = one; place; place = place.parentElement) {
        const colour = channels(getComputedStyle(place).backgroundColor);
        if (colour[3] !== 0) return colour;
      }
      return [255, 255, 255];
    };
    const texts = [...document.querySelectorAll('body *')].filter((one) => !one.closest('style,title')
      && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
    return Math.min(...texts.map((one) => {
      const style = getComputedStyle(one);
      const [a, b] = [light(channels(one.matches('text') ? style.fill : style.color)), light(paper(one))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }));
  })()`);

/** Labels of a picture that cover one another. */
const overlaps = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.chart')].flatMap((chart) => {
    const boxes = [...chart.querySelectorAll('text')].map((one) => ({ name: one.textContent, ...one.getBoundingClientRect().toJSON() }));
    return boxes.flatMap((a, index) => boxes.slice(index + 1)
      .filter((b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5)
      .map((b) => a.name + ' and ' + b.name));
  })`);

const two: SpendingFacts = { ...sample, accounts: [account, idle] };

describe.each([
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 800, colorScheme: 'light' },
  { width: 800, colorScheme: 'dark' },
  { width: 400, colorScheme: 'light' },
] as const)('a spending report, $width px wide, $colorScheme', ({ width, colorScheme }) => {
  it('asks for nothing, fits, and can be read', async () => {
    const { page, said } = await open(width === 1280 ? sample : two, width, colorScheme);
    await page.screenshot({ path: join(SCREENSHOTS, `${colorScheme}-${width}.png`), fullPage: true });
    expect(await (width < 800 ? pageOverflow : overflow)(page)).toBeLessThanOrEqual(0);
    expect(await overlaps(page)).toEqual([]);
    expect(await leastContrast(page)).toBeGreaterThanOrEqual(4.5);
    expect(await page.getByRole('img', { name: /Credits spent by day/ }).count()).toBeGreaterThan(0);
    const [paper = 0] = await page.evaluate<number[]>(
      `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)`,
    );
    expect(paper > 127).toBe(colorScheme === 'light');
    expect(said).toEqual([]);
  });
});

it.each([1280, 800])('holds hostile text as text, and fits, %d px wide', async (width) => {
  const { page, said } = await open(hostile, width);
  await page.screenshot({ path: join(SCREENSHOTS, `hostile-${width}.png`), fullPage: true });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await page.title()).toMatch(/^Spending report/);
  expect(await page.locator('script,img,iframe,object,embed,link,form,a[href]').count()).toBe(0);
  expect(said).toEqual([]);
});

it('draws bars in the heights of their credits, below the cap', async () => {
  const { page } = await open(sample, 1280);
  const heights = await page.evaluate<Record<string, number>>(`Object.fromEntries(
    [...document.querySelectorAll('.chart')][0] ? [...document.querySelectorAll('.chart')[0].querySelectorAll('rect')]
      .map((one) => [one.textContent, one.getBoundingClientRect().height]) : [])`);
  const [small, large] = [heights['2026-11-04, batches: 9,000'], heights['2026-11-09, batches: 6,500']];
  expect((small ?? 0) / (large ?? 1)).toBeCloseTo(9_000 / 6_500, 1);
});

it('prints on A4, in light colours, with nothing cut off', async () => {
  const { page, said } = await open(two, 1280, 'dark');
  const pdf = await page.pdf({ preferCSSPageSize: true, path: join(SCREENSHOTS, 'spending.pdf') });
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf.toString('latin1')) ?? [];
  expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  // The printable width of A4 within the page's margins.
  await page.setViewportSize({ width: Math.floor((176 / 25.4) * 96), height: 900 });
  await page.screenshot({ path: join(SCREENSHOTS, 'print.png'), fullPage: true });
  expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe('rgb(255, 255, 255)');
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(said).toEqual([]);
});
