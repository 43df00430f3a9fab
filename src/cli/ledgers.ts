/** The ledgers that a Temporal server has, and what they say; a worker answers for them. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { LedgerState } from '../ledger';
import { type LedgerStatus, stateQuery, statusQuery } from '../ledger/messages';
import { isLost } from '../temporal/grpc-status';
import { openLedgers, QUERY_MS } from '../temporal/latest-ledger';
import { PROGRAM } from '../text/command';
import { EXIT, Exit } from './exit';

/** What one account's ledger says. Credits; moments are milliseconds since 1970. */
export interface Books {
  ledger: string;
  status: LedgerStatus;
  /** The most recent ones, newest last. */
  bookings: LedgerState['bookings'];
  /** By calendar day of the account's time zone; the last forty or so. */
  days: LedgerState['days'];
}

/** @throws Exit when there is none */
export async function requireLedgers(client: Client, account: string | undefined): Promise<string[]> {
  const ledgers = await findLedgers(client, account);
  if (ledgers.length > 0) return ledgers;
  const whose = account ? ` of account '${account}'` : '';
  throw new Exit(EXIT.failed, `there is no ledger${whose} yet: a worker opens it when it starts`);
}

/** Workflow IDs of the ledgers that are open. An account's name is checked by the query's quoting. */
export async function findLedgers(client: Client, account: string | undefined): Promise<string[]> {
  if (account !== undefined && !/^[a-z0-9][a-z0-9-]{0,39}$/.test(account))
    throw new Exit(EXIT.badInput, "an account's name has lower-case letters, digits and -, at most 40");
  return openLedgers(client, account);
}

/** @throws Exit when no worker answers: the books are read by one */
export async function readBooks(client: Client, ledger: string): Promise<Books> {
  return askLedger(client, ledger, async (handle) => {
    const [status, { bookings, days }] = await Promise.all([handle.query(statusQuery), handle.query(stateQuery)]);
    return { ledger, status, bookings, days };
  });
}

/** @throws Exit when no worker answers */
export function askLedger<T>(client: Client, ledger: string, ask: (handle: WorkflowHandle) => Promise<T>): Promise<T> {
  const asked = () => ask(client.workflow.getHandle(ledger));
  return client.withDeadline(Date.now() + QUERY_MS, asked).catch((cause: unknown) => {
    if (isLost(cause)) throw cause;
    throw new Exit(
      EXIT.failed,
      `the ledger ${ledger} does not answer: is a worker running (\`${PROGRAM} worker\`)? (${cause instanceof Error ? cause.message : cause})`,
    );
  });
}
