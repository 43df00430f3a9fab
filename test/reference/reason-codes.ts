/** `reason-codes.md`: why something was refused, skipped, left or failed, and why a lead was chosen or left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonText } from '../../src/leads/scoring';
import { REASON_WORDS, reasonInWords } from '../../src/runs/reason-words';
import { packageRoot } from '../../src/temporal/package-root';
import { code, page, table } from './markdown';
import type { Told } from './messages';

/** Codes that have a part of their own. */
const FORMS: readonly [form: string, example: string][] = [
  ['http404', 'http404'],
  ['http4…', 'http418'],
  ['http5…', 'http503'],
  ['planTooLow:…', 'planTooLow:…'],
  ['person: …', 'person: …'],
];

const formed = (): Told[] =>
  FORMS.map(([name, example]) => ({ name, meaning: reasonInWords(example).replace(` (${example})`, '') }));

/** Why something came to its end: first what the service answered, last what has a part of its own. */
export function reasons(): Told[] {
  const plain = Object.entries(REASON_WORDS).map(([name, meaning]) => ({ name, meaning }));
  const all = [...plain, ...formed()];
  const statuses = all.filter(({ name }) => name.startsWith('http')).sort((a, b) => (a.name < b.name ? -1 : 1));
  return [...statuses, ...all.filter(({ name }) => !name.startsWith('http'))];
}

/** Why a pipeline takes a lead or leaves it out: the keys of a table that only its own module needs. */
export function verdicts(): Told[] {
  const source = readFileSync(join(packageRoot(), 'src', 'leads', 'scoring.ts'), 'utf8');
  const [, entries = ''] = /^(?:export )?const REASONS = \{\n(.*?)^\} as const;$/ms.exec(source) ?? [];
  return [...entries.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => ({ name, meaning: reasonText(name) ?? '' }));
}

const listed = (head: string, told: readonly Told[]): string =>
  table(
    ['Code', head],
    told.map(({ name, meaning }) => [code(name), meaning]),
  );

export const reasonCodes = (): string =>
  page(
    'Reason codes',
    'The codes are stable. Results of runs and item ledgers have only the code; pages, tables and notifications say its words, with the code in parentheses. A code that the service has made up is shown as it is.',
    '## Why something was refused, skipped or left, or failed',
    'Under `reason` in the result of a run, of a lead of a pipeline, and of an item of a batch.',
    listed('Why', reasons()),
    '## Why a lead was chosen or left out',
    'Under `reasons` in the decisions of a pipeline.',
    listed('The lead', verdicts()),
  );
