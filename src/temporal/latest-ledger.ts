/** The ledgers that a Temporal server has of an account, for who cannot ask the service whose its token is. */
import type { Client } from '@temporalio/client';
import { type LedgerStatus, statusQuery } from '../ledger/messages';
import { type Passage, passageFrom, passageIn } from '../ledger/passage';
import { ledgersOf } from '../runs/lists';

/** The server offers a query to the worker that had the ledger last, and some seconds later, if that one is gone, to any. */
export const QUERY_MS = 20_000;

/** Workflow IDs of the ledgers that are open. @param account undefined for those of all */
export async function openLedgers(client: Client, account: string | undefined): Promise<string[]> {
  const found = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query: ledgersOf(account) })) found.add(workflowId);
  return [...found].sort();
}

/**
 * That of the user for whom a worker was configured last. An account whose token became another user's has several.
 * @returns undefined where none is open
 * @throws where one does not answer: it may be that one
 */
export async function latestLedger(
  client: Client,
  account: string,
): Promise<{ workflowId: string; status: LedgerStatus } | undefined> {
  return latestOf(client, await openLedgers(client, account));
}

/** What that one lets pass. Where there is but one, as nearly always, the server knows it without a worker. */
export async function latestPassage(client: Client, account: string): Promise<Passage | undefined> {
  const ids = await openLedgers(client, account);
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) {
    const describe = () => client.workflow.getHandle(only).describe();
    const told = passageIn(await client.withDeadline(Date.now() + QUERY_MS, describe));
    if (told) return told;
  }
  const latest = await latestOf(client, ids);
  return latest && passageFrom(latest.status);
}

async function latestOf(client: Client, ids: readonly string[]) {
  const ask = async (workflowId: string) => ({
    workflowId,
    status: await client.workflow.getHandle(workflowId).query(statusQuery),
  });
  const ledgers = await client.withDeadline(Date.now() + QUERY_MS, () => Promise.all(ids.map(ask)));
  const at = ({ status }: (typeof ledgers)[number]) => status.configuredAt ?? 0;
  return ledgers.sort((one, other) => at(other) - at(one))[0];
}
