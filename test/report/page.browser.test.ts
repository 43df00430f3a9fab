/** The report as a person sees it: real files in a real browser without a network. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type AuditReport, REPORT_FILES, renderReport } from '../../src/report';
import { launchChromium } from '../support/chromium';
import { hostile, WORD } from './hostile';
import { isLight, leastContrast, openOffline, overlaps, showPrinted, type View } from './in-browser';
import { sample } from './sample';

/** To look at; each run replaces them. */
const SCREENSHOTS = join(tmpdir(), 'audit-runner-report');

let browser: Browser;
let folder: string;
beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  browser = await launchChromium();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (report: AuditReport, { file = 'html', ...view }: View & { file?: keyof typeof REPORT_FILES }) =>
  openOffline(browser, join(folder, REPORT_FILES[file]), renderReport(report)[file] ?? '', view);

/** Pixels by which something reaches beyond the window's width. */
const overflow = (page: Page) =>
  page.evaluate<number>(`Math.max(document.documentElement.scrollWidth,
    ...[...document.body.querySelectorAll('*')].map((one) => one.getBoundingClientRect().right)) - innerWidth`);

/** Pairs of the matrix's shapes that cover one another. */
const covered = (page: Page) => overlaps(page, 'body', '.point :is(circle, rect)');

describe.each([
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 400, colorScheme: 'light' },
  { width: 400, colorScheme: 'dark' },
] as const)('a report, $width px wide, $colorScheme', (view) => {
  it('asks for nothing, fits, and can be read', async () => {
    const { page, said } = await open(sample, view);
    await page.screenshot({ path: join(SCREENSHOTS, `${view.colorScheme}-${view.width}.png`), fullPage: true });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await page.locator('.matrix').isVisible()).toBe(true);
    const box = await page.locator('.matrix').boundingBox();
    expect(box?.width).toBeGreaterThan(340);
    expect(box?.height).toBeGreaterThan(320);
    expect(await page.locator('.point').count()).toBe(sample.opportunities.length);
    expect(await covered(page)).toEqual([]);
    expect((await leastContrast(page)).contrast).toBeGreaterThanOrEqual(4.5);
    expect(await isLight(page)).toBe(view.colorScheme === 'light');
    expect(said).toEqual([]);
  });
});

it('goes from the table to the details', async () => {
  const { page, said } = await open(sample, { width: 1280 });
  await page.getByRole('link', { name: 'Plan shifts from the order book' }).click();
  expect(await page.locator('#o-4').isVisible()).toBe(true);
  expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(1000);
  expect(await page.getByRole('img', { name: 'Opportunity matrix: impact over effort' }).count()).toBe(1);
  expect(said).toEqual([]);
});

it.each([1280, 400])('holds hostile data as text, and fits, %d px wide', async (width) => {
  const { page, said } = await open(hostile(), { width });
  await page.screenshot({ path: join(SCREENSHOTS, `hostile-${width}.png`) });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await covered(page)).toEqual([]);
  const names = await page.evaluate<string[]>(`[...new Set([...document.querySelectorAll('*')].flatMap((one) =>
    [one.localName, ...[...one.attributes].map((attribute) => '@' + attribute.name)]))]`);
  expect(
    names.filter((name) => /^(script|img|iframe|object|embed|link|form|b?image|use|@on.*|@src.*|@xlink.*)$/.test(name)),
  ).toEqual([]);
  const links = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[href]')].map((one) => one.getAttribute('href'))`,
  );
  expect(links.filter((href) => !/^#[a-z]+(-\d+)?$/.test(href))).toEqual([]);
  expect(await page.locator('article.card').count()).toBe(500 + 20 + 22);
  expect(await page.locator('tbody tr').count()).toBe(500 + 5);
  const text = await page.evaluate<string>('document.body.textContent');
  for (const literal of [`<script>document.title='pwned'</script>`, '&lt;b&gt; &#60;i&#62; &amp;', WORD])
    expect(text.includes(literal)).toBe(true);
  expect(said).toEqual([]);
});

it.each(['light', 'dark'] as const)('draws a picture that stands alone, %s', async (colorScheme) => {
  const { page, said } = await open(hostile(), { width: 720, colorScheme, file: 'svg' });
  await page.screenshot({ path: join(SCREENSHOTS, `matrix-${colorScheme}.png`) });
  expect(await page.evaluate('document.documentElement.localName')).toBe('svg');
  expect(await page.evaluate('document.querySelectorAll("parsererror").length')).toBe(0);
  expect(await page.evaluate('document.querySelectorAll(".point").length')).toBeGreaterThan(70);
  expect(said).toEqual([]);
});

it('prints on A4, in light colours, with nothing cut off', async () => {
  const { page, said } = await open(sample, { width: 1280, colorScheme: 'dark' });
  await showPrinted(page, join(SCREENSHOTS, 'report.pdf'));
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await page.locator('nav').isVisible()).toBe(false);
  expect(said).toEqual([]);
});
