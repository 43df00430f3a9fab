/** The tables of administrators.md have each setting of the configuration file once, with the default that it has. */
import { rateClasses } from '../../src/agent-api/rate-class';
import { settings } from '../reference/configuration';
import { rows, sectionOf, textOf } from './documents';

const section = sectionOf(textOf('docs/administrators.md'), '### Limits of each setting');

/** What the words before each table say of the place of its settings. */
const PLACES = ['', 'accounts.<name>.', 'pipelines.<name>.'] as const;

/** What stands for several settings. */
const EACH: readonly [sign: string, names: readonly string[]][] = [['<class>', rateClasses]];

/** `a.b`, `.c` is `a.b` and `a.c`. */
function named(cell: string): string[] {
  let parent = '';
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, written = '']) => {
    const path = written.startsWith('.') ? `${parent}${written}` : written;
    parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    const [sign, names] = EACH.find(([one]) => path.includes(one)) ?? ['', ['']];
    return names.map((name) => path.replace(sign, name));
  });
}

/** Settings by their paths, with the cells of the default and of what is allowed. */
const told = section
  .split(/\n(?=\| setting )/)
  .slice(1)
  .flatMap((table, n) =>
    rows(table)
      .slice(1)
      .flatMap(([first = '', allowed = '', preset = '']) =>
        named(first).map((path) => [`${PLACES[n]}${path}`, preset, allowed] as const),
      ),
  );

/** Those that hold a value, and no others. `undocumented` has a section of its own. */
const all = settings();
const leaves = all.filter(
  ({ path }) => !path.includes('.undocumented.') && !all.some((other) => other.path.startsWith(`${path}.`)),
);

const isOwn = (path: string) => !/\.(credits\.<route>|undocumented\.…)$/.test(path);

test('each setting is in a table, and each that is in a table is one', () => {
  expect(told.length).toBeGreaterThan(40);
  const expected = leaves.map(({ path }) => path).filter((path) => !path.endsWith('.credits'));
  expect(
    told
      .map(([path]) => path)
      .filter(isOwn)
      .sort(),
  ).toEqual(expected.sort());
  expect(told.map(([path]) => path).filter((path) => !isOwn(path))).toEqual([
    'accounts.<name>.credits.<route>',
    'accounts.<name>.undocumented.…',
  ]);
});

/** Digits without what groups them, and no code. */
const plain = (text: string) => text.replace(/(?<=\d),(?=\d{3})/g, '').replaceAll('`', '');

test('the default of each is the one that the schema has', () => {
  const wrong = told.flatMap(([path, cell]) => {
    const preset = plain(leaves.find((leaf) => leaf.path === path)?.default ?? '').replace(/\*/g, '');
    // Only values: what is said in words is worded for the page.
    const isValue =
      /^(\d+|null|true|false|[a-z]+|required|\d+[smhd]|\.[\w/-]+)$/i.test(preset) && preset !== 'everything';
    // While it is left out, another limit counts.
    if (!isValue || path.includes('.limits.audits.') || path.includes('.account') || preset === 'none') return [];
    return plain(cell)
      .split(/[ ,;]+/)
      .includes(preset)
      ? []
      : [`${path}: ${preset} is not in '${cell}'`];
  });
  expect(wrong).toEqual([]);
});

const WORDS = /^(?:'[^']+'(?:, | or |$))+$/;

test('of each that takes one of several words, the words are those of the schema', () => {
  const chosen = leaves.filter(({ allowed }) => WORDS.test(allowed));
  expect(chosen.length).toBeGreaterThan(3);
  const words = (text: string, quote: string) =>
    [...text.matchAll(new RegExp(`${quote}([^${quote}]+)${quote}`, 'g'))].map(([, word = '']) => word).sort();
  for (const { path, allowed } of chosen) {
    const [, , cell = ''] = told.find(([one]) => one === path) ?? [];
    expect([path, words(cell, '`')]).toEqual([path, words(allowed, "'")]);
  }
});
