/** `search-attributes.md`: what lists of runs can be filtered by. */
import { STAGES } from '../../src/runs/stages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { commented } from './comments';
import { code, page, table } from './markdown';
import { sentence } from './words';

const TYPES: Readonly<Record<string, string>> = { KEYWORD: 'Keyword', BOOL: 'Bool', INT: 'Int' };

export interface Attribute {
  name: string;
  type: string;
  /** Empty where its definition says nothing. */
  meaning: string;
}

export function attributes(): Attribute[] {
  const meanings = commented('src/temporal/search-attribute-keys.ts', /\w+: defineSearchAttributeKey\('(\w+)'/);
  return Object.values(searchAttributeKeys).map(({ name, type }) => ({
    name,
    type: TYPES[type] ?? type,
    meaning: meanings.get(name) ?? '',
  }));
}

export const searchAttributes = (): string =>
  page(
    'Search attributes',
    'Lists of runs, in the Web UI and by `temporal workflow list`, are filtered by these, for example `Stage = "approval" AND ExecutionStatus = "Running"`. A worker and `npx audit-runner setup` register them in the namespace.',
    table(
      ['Name', 'Type', 'Meaning'],
      attributes().map(({ name, type, meaning }) => [code(name), type, sentence(meaning)]),
    ),
    '## Values of Stage',
    table(
      ['Stage', 'What the run does, or how it ended'],
      Object.entries(STAGES).map(([name, meaning]) => [code(name), sentence(meaning)]),
    ),
  );
