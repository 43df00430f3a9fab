/** The report as a person sees it: real files in a real browser without a network. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { type AuditReport, REPORT_FILES, renderReport } from '../../src/report';
import { launchChromium } from '../support/chromium';
import { hostile, WORD } from './hostile';
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

interface View {
  width: number;
  colorScheme?: 'light' | 'dark';
  file?: keyof typeof REPORT_FILES;
}

/** Opens a report's file offline; `said` collects what it asked for or complained about. */
async function open(report: AuditReport, { width, colorScheme = 'light', file = 'html' }: View) {
  const path = join(folder, REPORT_FILES[file]);
  writeFileSync(path, renderReport(report)[file] ?? '');
  const url = pathToFileURL(path).href;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, offline: true });
  await context.route(/^(?!file:)/, (route) => route.abort());
  const page = await context.newPage();
  const said: string[] = [];
  page.on('request', (request) => request.url() !== url && said.push(`request ${request.url()}`));
  page.on('console', (message) => said.push(`console ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error ${error.message}`));
  page.on('dialog', (dialog) => void said.push(`dialog ${dialog.message()}`));
  await page.goto(url);
  return { page, said };
}

/** Pixels by which something reaches beyond the window's width. */
const overflow = (page: Page) =>
  page.evaluate<number>(`Math.max(document.documentElement.scrollWidth,
    ...[...document.body.querySelectorAll('*')].map((one) => one.getBoundingClientRect().right)) - innerWidth`);

/** Pairs of the matrix's shapes that cover one another. */
const overlaps = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const boxes = [...document.querySelectorAll('.point')].map((point) => ({
      name: point.querySelector('text').textContent, ...point.querySelector('circle,rect').getBoundingClientRect().toJSON() }));
    return boxes.flatMap((a, index) => boxes.slice(index + 1)
      .filter((b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5)
      .map((b) => a.name + ' and ' + b.name));
  })()`);

/** The least contrast (WCAG 2) of a text with the nearest paper or shape behind it. */
const leastContrast = (page: Page) =>
  page.evaluate<{ contrast: number; text: string }>(`(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const paper = (one) => {
      if (one.matches('text')) {
        const shape = one.matches('.g-text') ? one.previousElementSibling : one.closest('svg').querySelector('.m-paper');
        return channels(getComputedStyle(shape).fill);
      }
      for (let place = one; place; place = place.parentElement) {
        const colour = channels(getComputedStyle(place).backgroundColor);
        if (colour[3] !== 0) return colour;
      }
      return [255, 255, 255];
    };
    const texts = [...document.querySelectorAll('body *')].filter((one) => !one.closest('style,title,desc')
      && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
    return texts.map((one) => {
      const style = getComputedStyle(one);
      const [a, b] = [light(channels(one.matches('text') ? style.fill : style.color)), light(paper(one))];
      return { contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text: one.textContent };
    }).reduce((least, one) => one.contrast < least.contrast ? one : least);
  })()`);

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
    expect(await overlaps(page)).toEqual([]);
    expect((await leastContrast(page)).contrast).toBeGreaterThanOrEqual(4.5);
    const [paper = 0] = await page.evaluate<number[]>(
      `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)`,
    );
    expect(paper > 127).toBe(view.colorScheme === 'light');
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
  expect(await overlaps(page)).toEqual([]);
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
  const pdf = await page.pdf({ preferCSSPageSize: true, path: join(SCREENSHOTS, 'report.pdf') });
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf.toString('latin1')) ?? [];
  expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  // The printable width of A4 within the page's margins.
  await page.setViewportSize({ width: Math.floor((176 / 25.4) * 96), height: 900 });
  expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe('rgb(255, 255, 255)');
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await page.locator('nav').isVisible()).toBe(false);
  expect(said).toEqual([]);
});
