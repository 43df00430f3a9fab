/** The spending report as a person sees it: a real file in a real browser without a network. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { renderSpending, type SpendingFacts } from '../../../src/report/spending';
import { launchChromium } from '../../support/chromium';
import { isLight, leastContrast, openOffline, overlaps, showPrinted } from '../in-browser';
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

const open = (facts: SpendingFacts, width: number, colorScheme: 'light' | 'dark' = 'light') =>
  openOffline(browser, join(folder, 'spending.html'), renderSpending(facts).html, { width, colorScheme });

/** Pixels by which something reaches beyond the window's width, or a table beyond its place. */
const overflow = (page: Page) =>
  page.evaluate<number>(`Math.max(document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth))`);
/** Of the page alone: on a telephone a table is moved sideways in its place. */
const pageOverflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

/** Labels of a picture that cover one another. */
const covered = (page: Page) => overlaps(page, '.chart', 'text');

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
    expect(await covered(page)).toEqual([]);
    expect((await leastContrast(page)).contrast).toBeGreaterThanOrEqual(4.5);
    expect(await page.getByRole('img', { name: /Credits spent by day/ }).count()).toBeGreaterThan(0);
    expect(await isLight(page)).toBe(colorScheme === 'light');
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
  await showPrinted(page, join(SCREENSHOTS, 'spending.pdf'));
  await page.screenshot({ path: join(SCREENSHOTS, 'print.png'), fullPage: true });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(said).toEqual([]);
});
