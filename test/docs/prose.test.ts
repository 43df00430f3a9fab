/** The documents for readers are plain, idiomatic English. The list is our own: what has slipped in before. */
import { FOR_READERS, rows, textOf, withoutBlocks } from './documents';

/** What is wrong, and what to write instead. */
const AVOID: [wrong: RegExp, instead: string][] = [
  [/\b(simply|just|easily|obviously|basically|of course|clearly)\b/gi, 'nothing: it adds nothing'],
  [/\b(in order to|utili[sz]e\w*|leverag\w+|facilitat\w+|aforementioned|respectively)\b/gi, 'a plain word'],
  [/\b(e\.g\.|i\.e\.|etc\.?|and\/or|resp\.|w\.r\.t\.)(?=\W|$)/gi, "'for example', 'that is', or the whole list"],
  [/\b(please|kindly)\b/gi, 'the instruction itself'],
  [/(?<=^|[.:;!?] )Who (?!is\b|are\b|can\b|may\b)\w+/gm, "'Anybody who', 'if you'"],
  [/\b(of which|by which) (one|two|each|none)\b/gi, 'a sentence of its own'],
  [/\b(heard out|seen to|sees to|gone on with|made good|makes it so|is told of|are told of)\b/gi, 'the usual verb'],
  [/\b(mend|mends|mended)\b/gi, "'fix', 'put right'"],
  [/\bwhat is there\b(?!,| read)/gi, 'its name'],
  [/\b(beside)\b(?= (the|this|that) (same|other))/gi, "'besides'"],
  [/\b(is|are|was|were) waited for\b/gi, "'waits for'"],
  [/\bnobody's\b|\bwhosoever\b|\bthereof\b|\btherein\b|\bhereby\b/gi, 'a plain word'],
  [/\b(performs?|carries out) (a|an|the) \w+(tion|sion|ment)\b/gi, 'the verb itself'],
  [/\b(actualize|informations|softwares|advices|allows to|enables to|permits to)\b/gi, 'English'],
  [/\b(master|slave|whitelist|blacklist|sanity check)\b/gi, "'main', 'replica', 'allowlist', 'check'"],
  [/(\b\w+\b) \1\b/gi, 'the word once'],
  [/!(?=\s|$)/gm, 'a full stop'],
];

/** In words. A reader loses the thread of anything longer. */
const LONGEST_SENTENCE = 40;

/** Prose alone: no code, no addresses, no quotations of what the program says, which are checked as such. */
const proseOf = (text: string): string =>
  withoutBlocks(text)
    .replace(/<img [^>]*>/g, '')
    .replace(/`[^`]*`/g, (_, at) => `code${at}`)
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/"[^"\n]*"/g, (_, at) => `words${at}`);

/** Without tables, whose cells are no sentences. */
function sentencesOf(text: string): string[] {
  const lines = proseOf(text)
    .split('\n')
    .map((line) => (/^ *(\||#|- \[)/.test(line) ? '' : line.replace(/^ *([-*]|\d+\.) /, '\n')));
  return lines
    .join('\n')
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.?!:;])\*{0,2} /))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

const found = (text: string): string[] => {
  const prose = proseOf(text);
  return AVOID.flatMap(([wrong, instead]) =>
    [...prose.matchAll(wrong)].map(([words]) => `'${words}': write ${instead}`),
  );
};

const tooLong = (text: string): string[] =>
  sentencesOf(text).filter((sentence) => sentence.split(' ').length > LONGEST_SENTENCE);

test.each(FOR_READERS)('%s has none of the words and constructions to avoid', (file) => {
  expect(found(textOf(file))).toEqual([]);
});

test.each(FOR_READERS)('%s has no sentence of more than 40 words', (file) => {
  expect(tooLong(textOf(file))).toEqual([]);
});

test('what is to be avoided is found, and what looks like it is not', () => {
  expect(found('Simply click the the button. Who changes it, etc. is heard out!')).toHaveLength(6);
  expect(found('`just` "simply", and [this](just.md) has been done.\n```sh\nsimply\n```\n')).toEqual([]);
  expect(tooLong(`${'word '.repeat(41)}.`)).toHaveLength(1);
  expect(tooLong(`${'word '.repeat(30)}. ${'word '.repeat(30)}.\n\n| ${'word '.repeat(60)} |`)).toEqual([]);
});

test('the README is short', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(121);
});

const TERMS = [
  ...['hold', 'ledger', 'grant', 'readiness', 'composite score', 'settling', 'batch', 'item ledger', 'pipeline'],
  ...['account', 'cap', 'floor', 'park', 'look', 'run', 'lead', 'capture', 'plan', 'open send', 'rate class', 'worker'],
];

test.each(TERMS)("the glossary defines '%s'", (term) => {
  const defined = [...textOf('docs/glossary.md').matchAll(/^\*\*([^*]+)\.\*\* \S/gm)].map(([, one = '']) =>
    one.toLowerCase().split(/, or /),
  );
  expect(defined.flat()).toContain(term);
});

test('rows of tables all have as many cells as their head', () => {
  for (const file of FOR_READERS) {
    const tables = withoutBlocks(textOf(file)).split(/\n(?! *\|)/);
    for (const table of tables.filter((one) => /^ *\|/m.test(one))) {
      const cells = rows(table).map((row) => row.length);
      expect([file, [...new Set(cells)]]).toEqual([file, [cells[0]]]);
    }
  }
});
