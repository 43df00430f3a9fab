import { WORKFLOW_TYPES } from '../src/runs/workflow-types';
import { exampleAccount, exampleInput } from '../src/start-here/example-inputs';
import { keepExamples } from '../src/start-here/examples';
import { startPage } from '../src/start-here/start-page';
import { packageVersion } from '../src/temporal/package-root';
import { dayOf } from '../src/time/day';
import type { Deps } from './deps';

/** The page as it is now, and when to look at it again. */
export interface KeptPage {
  /** Markdown. */
  page: string;
  againInMs: number;
}

/** What somebody deleted is there again after this. */
const MOST_MS = 3_600_000;

export function createExamplesActivities({ accounts, client }: Deps) {
  return {
    /**
     * Renews the example runs and writes the page; no call of the API. Repeatable.
     * @param _facts of the page, which workers of version 0.2 read, beside whom others may run
     */
    async renewExamples(_facts: Record<string, never>): Promise<KeptPage> {
      const names = [...accounts.keys()];
      const account = exampleAccount(names);
      const { runs, retentionMs } = await keepExamples(client, account);
      const entries = Object.entries(WORKFLOW_TYPES).map(([type, { about }]) => {
        return { type, about, input: exampleInput(type, account), runId: runs[type] };
      });
      const { namespace } = client.options;
      return {
        page: startPage({
          namespace,
          accounts: names,
          version: packageVersion(),
          today: dayOf(Date.now(), 'UTC'),
          entries,
        }),
        againInMs: Math.min(MOST_MS, retentionMs / 4),
      };
    },
  };
}
