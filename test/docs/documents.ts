/** The documents in the repository, and their parts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';

/** Those that are written for one kind of reader each. */
export const FOR_READERS = [
  'README.md',
  'docs/operators.md',
  'docs/administrators.md',
  'docs/developers.md',
  'docs/glossary.md',
  'examples/README.md',
  'examples/scheduled-leads/README.md',
  'examples/csv-backfill/README.md',
  'examples/audits-with-documents/README.md',
  'examples/own-workflow/README.md',
] as const;

/** Made by `npm run reference` of what the code says, or written before these rules. */
const NOT_PROSE = /^(CHANGELOG\.md$|docs\/reference\/)/;

const below = (folder: string): string[] =>
  readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));

/** All Markdown that people read, relative to the root. */
export const documents = (): string[] => [
  ...readdirSync(packageRoot()).filter((name) => name.endsWith('.md')),
  ...below('docs'),
  ...below('bench'),
  ...below('examples'),
];

/** All that is written as a text. */
export const prose = (): string[] => documents().filter((file) => !NOT_PROSE.test(file));

export const textOf = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8');

/** Blocks of code in one language. */
export const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'))].map(([, code = '']) => code);

/** From a heading to the next of its kind. */
export function sectionOf(text: string, heading: string): string {
  const [, after] = text.split(`${heading}\n`);
  if (after === undefined) throw new Error(`there is no '${heading}'`);
  const [marks = ''] = heading.split(' ');
  return after.split(new RegExp(`^${marks} `, 'm'))[0] ?? '';
}

/** Lines of a block that stands in a list. */
export const withoutIndent = (code: string, indent: number): string =>
  code.replace(new RegExp(`^ {0,${indent}}`, 'gm'), '');

/** Without blocks of code. */
export const withoutBlocks = (text: string): string => text.replace(/^ *```.*?^ *```$/gms, '');

/** Cells of all rows of a document's tables, without heads. `\|` stays in its cell. */
export const rows = (text: string): string[][] =>
  withoutBlocks(text)
    .split('\n')
    .filter((line) => /^ *\|/.test(line) && !/^[\s|:-]*$/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
