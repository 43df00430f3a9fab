/** The spending report: one page for people, the same facts as JSON, the days as CSV. */
import { csv } from './csv';
import type { SpendingFacts } from './facts';
import { page } from './spending-page';

export type * from './facts';

/** Names of the report's files. */
export const SPENDING_FILES = { html: 'spending.html', json: 'spending.json', csv: 'spending.csv' } as const;

/** Contents of {@link SPENDING_FILES}. The page loads nothing and runs nothing; the same facts give the same bytes. */
export const renderSpending = (facts: SpendingFacts): Record<keyof typeof SPENDING_FILES, string> => ({
  html: page(facts).source,
  json: `${JSON.stringify(facts, null, 2)}\n`,
  csv: csv(facts),
});
