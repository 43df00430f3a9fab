/** Accounts that open runs are of, whatever this configuration has. */
import type { Client } from '@temporalio/client';
import { PLAIN_NAME } from '../inputs/fields';
import { quoted } from '../text/list-filter';
import { OURS_UNDER_WAY } from './queues';
import { searchAttributeKeys } from './search-attribute-keys';

/** Runs that are looked at for one question. */
const MOST_RUNS = 500;
/** For a namespace of more, the rest is not looked for. */
const MOST_ACCOUNTS = 50;

/**
 * Accounts that open runs are of, beside the known ones. A run keeps the name that its account had when it began, also
 * where the account has another one by now.
 */
export async function otherAccounts(client: Client, known: readonly string[]): Promise<string[]> {
  const others = new Set<string>();
  for (let seen = -1; seen < others.size && others.size < MOST_ACCOUNTS; ) {
    seen = others.size;
    const beside = [...known, ...others].map((name) => ` AND Account != ${quoted(name)}`).join('');
    let looked = 0;
    // Runs of other programs in the namespace may have an attribute of this name.
    const ours = `${OURS_UNDER_WAY} AND Account IS NOT NULL`;
    for await (const run of client.workflow.list({ query: `${ours}${beside}` })) {
      const account = run.typedSearchAttributes.get(searchAttributeKeys.account);
      // Whoever starts a run may give it any attribute.
      if (account !== undefined && PLAIN_NAME.test(account)) others.add(account);
      if (++looked === MOST_RUNS) break;
    }
  }
  return [...others].sort();
}
