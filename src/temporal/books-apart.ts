/** S8: workers whose books are in different storages. Nothing is paid while both are there; whoever comes later says so. */
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { keptElsewhere } from '../ledger';
import { stateQuery } from '../ledger/messages';
import type { BookedLedger } from './booked-ledger';

/**
 * Says in the log of a worker that has started whether others keep the books of its user elsewhere. It goes on all the same:
 * so the storage can be moved worker by worker, and payments go on when the last of the others has ended.
 */
export async function sayWhereApart(client: Client, ledger: BookedLedger, log: Logger): Promise<void> {
  const { id } = ledger.books.place;
  if (id === undefined) return;
  const state = await client.workflow.getHandle(ledger.workflowId).query(stateQuery);
  const others = keptElsewhere(state, id, ledger.now());
  if (others.length === 0) return;
  const theirs = [...new Set(others.map(({ books }) => books))];
  log.error(
    { account: ledger.config.account, storage: id, others },
    `this worker keeps its books in storage ${id}, but others keep theirs in storage ${theirs.join(', ')}, so nothing is paid. Give all of them the same storage (\`storageUrl\`, \`STORAGE_URL\`). If the storage is being moved, end the others; this worker waits for that`,
  );
}
