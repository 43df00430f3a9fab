/** No text from outside makes markup of a page, read by a parser of CommonMark with the extensions of GitHub. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import { packageRoot } from '../../src/temporal/package-root';
import { linkToRun } from '../../src/text/links';
import { bullets, code, inRow, type Markdown, md, paragraphs, sentence } from '../../src/text/md';
import { faultsIn, filledIn, HOSTILE, OBEYED, randomTexts, WORKFLOW_ID } from './hostile-texts';

const htmlOf = ({ source }: Markdown): string => marked.parse(filledIn(source), { async: false });

/** The ways in which a text comes onto a page. */
const PLACES: Record<string, (text: string) => Markdown> = {
  'by itself': (text) => md`${text}`,
  'in a sentence of ours': (text) => md`**Account ${text}**: (${text}), ${text}`,
  'quoted in a sentence': (text) => sentence(`Paused by ${text}. The update \`resume\` lets it go on.`),
  'as a sentence': (text) => sentence(text),
  'twice as a sentence': (text) => md`${sentence(text)}${sentence(text)}`,
  'as code': (text) => code(text),
  'twice as code': (text) => md`${code(text)}${code(text)}, ${code(text)}${text}`,
  'in a row': (text) => inRow([md`${text}`, code(text), sentence(text)]),
};

const texts = [...HOSTILE, WORKFLOW_ID, ...randomTexts(3_000, 7)].filter((text) => text.trim() !== '');

test.each(Object.entries(PLACES))('%s a text from outside is no markup, and no line of its own', (_, place) => {
  const wrong = texts.filter((text) => {
    const page = place(text);
    return faultsIn(htmlOf(page)).length > 0 || OBEYED.test(page.source) || page.source.includes('\n');
  });
  expect(wrong).toEqual([]);
});

test('in a list each text is one item, and nothing more', () => {
  const wrong = texts.filter((text) => {
    const html = htmlOf(paragraphs([md`Heading:`, bullets(undefined, [md`${text}`, sentence(text), md`last`])]));
    return faultsIn(html).join('') !== '<ul><li></li><li></li><li></li></ul>';
  });
  expect(wrong).toEqual([]);
});

test('as the words of a link a text leads where we say, and nowhere else', () => {
  const wrong = texts.filter((text) => {
    const html = htmlOf(md`${linkToRun('default', 'run-1', text)} and ${text}`);
    const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, address]) => address);
    return links.join() !== 'namespaces/default/workflows/run-1';
  });
  expect(wrong).toEqual([]);
});

test('what is shown is what was given', () => {
  const plain = (html: string) =>
    html
      .replace(/<[^>]*>/g, '')
      .replace(/&#(\d+);/g, (_, point) => String.fromCodePoint(Number(point)))
      .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? '')
      .trim();
  // A backtick in an address is shown by one that only looks so.
  const given = (text: string) => text.replace(/\s+/g, ' ').replaceAll('ˋ', '`').trim();
  const readable = texts.filter((text) => !/\{|[^\P{C}\s]|\u2028/u.test(text));
  expect(readable.length).toBeGreaterThan(1_000);
  expect(readable.filter((text) => given(plain(htmlOf(md`${text}`))) !== given(text))).toEqual([]);
});

test('in sentences of ours code and the words of the Web UI are meant', () => {
  const { source } = sentence('Press *Send an Update*, choose `approve`; the limit `budget.perRun` holds.');
  expect(source).toBe('Press *Send an Update*, choose `approve`; the limit `budget.perRun` holds.');
});

test('the check sees what it is to see', () => {
  const raw = [
    '[a](https://evil.example)',
    '# x',
    '- x',
    '<b>',
    '![i](x)',
    'www.evil.example',
    '    x',
    '---\n',
    '> x',
  ];
  const seen = raw.filter((text) => faultsIn(marked.parse(text, { async: false })).length > 0);
  expect(seen).toEqual(raw);
  expect(OBEYED.test('\u202e')).toBe(true);
});

test('Markdown is made in src/text alone, and pages are shown as nothing else', () => {
  const sources = ['src', 'workflows', 'activities'].flatMap((folder) =>
    readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const having = (pattern: RegExp) =>
    sources.filter((file) => pattern.test(readFileSync(join(packageRoot(), file), 'utf8'))).sort();
  expect(having(/new Markdown\(/)).toEqual(['src/text/links.ts', 'src/text/md.ts']);
  // The page of `start-here` comes from an activity, which makes it of Markdown.
  const shows = having(/setCurrentDetails\(/).filter((file) => file !== 'workflows/start-here.ts');
  const checked = (file: string) =>
    /setCurrentDetails\(\s*withRoom\(/.test(readFileSync(join(packageRoot(), file), 'utf8'));
  expect(shows.map((file) => [file, checked(file)])).toEqual(shows.map((file) => [file, true]));
  expect(shows.length).toBe(2);
});
