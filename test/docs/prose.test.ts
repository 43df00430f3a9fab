/** The documents are plain, idiomatic English. The list is our own: what has slipped in before. */
import { AVOID } from './avoid';
import { prose, rows, textOf, withoutBlocks } from './documents';

/** In words. A reader loses the thread of anything longer. */
const LONGEST_SENTENCE = 40;
/** In sentences. What is longer is a list of steps, or several paragraphs. */
const LONGEST_PARAGRAPH = 8;
/** In characters. Tables, links to pictures and code are as wide as they are. */
const WIDEST_LINE = 120;

/** Prose alone: no code, no addresses, no quotations of what the program says, which are checked as such. */
const proseOf = (text: string): string =>
  withoutBlocks(text)
    .replace(/<img [^>]*>/g, '')
    .replace(/`[^`]*`/g, (_, at) => `code${at}`)
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/"[^"\n]*"/g, (_, at) => `words${at}`);

/** Each paragraph, item of a list and row of a table in a line of its own, without its mark. */
const inLines = (text: string): string =>
  proseOf(text)
    .replace(/\n(?! *(?:$|\n|[-*] |\||#|\d+\. )) */g, ' ')
    .replace(/^ *(?:[-*]|\d+\.) +(?:\[ \] )?/gm, '');

/** Paragraphs and items, by their sentences; without tables, whose cells are no sentences. */
const paragraphsOf = (text: string): string[][] =>
  inLines(text)
    .split('\n')
    .filter((line) => !/^ *(\||#|\[[^\]]*\]?$|$)/.test(line))
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.?!])\*{0,2} /),
    );

/** Also a part that ends with a semicolon or a colon is one that a reader can rest at. */
const sentencesOf = (text: string): string[] =>
  paragraphsOf(text).flatMap((sentences) => sentences.flatMap((sentence) => sentence.split(/(?<=[;:])\*{0,2} /)));

const found = (text: string): string[] => {
  const lines = inLines(text);
  return AVOID.flatMap(({ wrong, instead }) =>
    [...lines.matchAll(wrong)].map(([words]) => `'${words}': write ${instead}`),
  );
};

const tooLong = (text: string): string[] => [
  ...sentencesOf(text).filter((sentence) => sentence.split(' ').length > LONGEST_SENTENCE),
  ...paragraphsOf(text)
    .filter((sentences) => sentences.length > LONGEST_PARAGRAPH)
    .map(([first, ...others]) => `${first} and ${others.length} sentences more`),
];

const tooWide = (text: string): string[] =>
  withoutBlocks(text)
    .split('\n')
    .filter((line) => line.length > WIDEST_LINE && !/^ *(\||<img )/.test(line));

describe.each(prose())('%s', (file) => {
  const text = textOf(file);

  test('has none of the words and constructions to avoid', () => {
    expect(found(text)).toEqual([]);
  });

  test('has no long sentence, no long paragraph and no wide line', () => {
    expect([...tooLong(text), ...tooWide(text)]).toEqual([]);
  });
});

test.each(AVOID.map(({ planted, instead }) => [planted, instead]))("in '%s' something is to be avoided", (planted) => {
  expect(found(`It is here.\n\n- ${planted}\n`)).toHaveLength(1);
});

test('what is to be avoided is found across the end of a line, and not in code or in what is quoted', () => {
  expect(found('The ledger cannot be\nhad.')).toHaveLength(1);
  expect(found('`just` "simply", and [this](just.md) is enough.\n```sh\nsimply\n```\n')).toEqual([]);
  expect(found('Leave it alone. There is none. It stands in for the service.')).toEqual([]);
});

test('what is too long or too wide is found', () => {
  expect(tooLong(`${'word '.repeat(41)}.`)).toHaveLength(1);
  expect(tooLong(`${'word '.repeat(30)}. ${'word '.repeat(30)}.\n\n| ${'word '.repeat(60)} |`)).toEqual([]);
  expect(tooLong('It is. '.repeat(9))).toHaveLength(1);
  expect(tooLong(`${'It is. '.repeat(8)}\n- ${'It is. '.repeat(8)}`)).toEqual([]);
  expect(tooWide(`${'a'.repeat(121)}\n| ${'a'.repeat(121)} |`)).toHaveLength(1);
});

test('the README is short', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(121);
});

const TERMS = [
  ...['hold', 'ledger', 'grant', 'readiness', 'composite score', 'settling', 'batch', 'item ledger', 'pipeline'],
  ...['account', 'cap', 'floor', 'park', 'look', 'run', 'lead', 'capture', 'plan', 'open send', 'rate class', 'worker'],
  ...[
    'ceiling',
    'permit',
    'segment',
    'extraction',
    'survey link',
    'token',
    'token scope',
    'stage',
    'outcome',
    'backfill',
  ],
  ...['search attribute', 'task queue', 'history', 'workflow task', 'codec server', 'client', 'principal', 'books'],
];

test.each(TERMS)("the glossary defines '%s'", (term) => {
  const defined = [...textOf('docs/glossary.md').matchAll(/^\*\*([^*]+)\.\*\* \S/gm)].map(([, one = '']) =>
    one.toLowerCase().split(/, or /),
  );
  expect(defined.flat()).toContain(term);
});

test('rows of tables all have as many cells as their head', () => {
  for (const file of prose()) {
    const tables = withoutBlocks(textOf(file)).split(/\n(?! *\|)/);
    for (const table of tables.filter((one) => /^ *\|/m.test(one))) {
      const cells = rows(table).map((row) => row.length);
      expect([file, [...new Set(cells)]]).toEqual([file, [cells[0]]]);
    }
  }
});
