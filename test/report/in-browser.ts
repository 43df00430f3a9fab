/** A report's file as a person has it: opened in a real browser without a network. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

export interface View {
  width: number;
  /** @default light */
  colorScheme?: 'light' | 'dark';
}

/** @returns `said`: what the page asked for or complained about, filled as it happens */
export async function openOffline(
  browser: Browser,
  path: string,
  content: string,
  { width, colorScheme = 'light' }: View,
): Promise<{ page: Page; said: string[] }> {
  writeFileSync(path, content);
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

/** The least contrast (WCAG 2) of a text with the nearest paper or shape behind it. */
export const leastContrast = (page: Page): Promise<{ contrast: number; text: string }> =>
  page.evaluate<{ contrast: number; text: string }>(`(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const paper = (one) => {
      const shape = one.matches('.g-text') ? one.previousElementSibling : one.closest('svg')?.querySelector('.m-paper');
      if (shape) return channels(getComputedStyle(shape).fill);
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

/** Texts or shapes that cover one another. */
export const overlaps = (page: Page, groups: string, members: string): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(groups)})].flatMap((group) => {
    const boxes = [...group.querySelectorAll(${JSON.stringify(members)})].map((one) => ({
      name: (one.closest('.point') ?? one).textContent, ...one.getBoundingClientRect().toJSON() }));
    return boxes.flatMap((a, index) => boxes.slice(index + 1)
      .filter((b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5)
      .map((b) => a.name + ' and ' + b.name));
  })`);

/** Checks that a page prints on A4 in light colours, and leaves it as it is printed. @param pdf where the print goes */
export async function showPrinted(page: Page, pdf: string): Promise<void> {
  const printed = await page.pdf({ preferCSSPageSize: true, path: pdf });
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(printed.toString('latin1')) ?? [];
  expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  // The printable width of A4 within the page's margins.
  await page.setViewportSize({ width: Math.floor((176 / 25.4) * 96), height: 900 });
  expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe('rgb(255, 255, 255)');
}

/** Whether a page shows dark writing on light paper. */
export const isLight = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) > 127`);
