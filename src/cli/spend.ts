/** `audit-runner spend`: what was spent, by the ledger's books. */
import type { Client } from '@temporalio/client';
import type { LedgerState } from '../ledger';
import { describeBudget, describeDearer, describeHold } from '../ledger/details';
import { type LedgerStatus, stateQuery, statusQuery } from '../ledger/messages';
import { ledgersOf } from '../runs/lists';
import { isLost } from '../temporal/grpc-status';
import { PROGRAM } from '../text/command';
import { utc } from '../time/utc';
import { showBooksCommand } from './books/read';
import { EXIT, Exit } from './exit';
import { number, print, printJson, styled, table } from './output';
import { withServer } from './server';
import type { SummedBy } from './summed-by';

export interface SpendOptions {
  account?: string;
  /** By the books in the storage, which forget nothing: from when on. */
  since?: string;
  by?: SummedBy;
  config?: string;
  json?: boolean;
}

/** What one account's ledger says. Credits; moments are milliseconds since 1970. */
export interface Books {
  ledger: string;
  status: LedgerStatus;
  /** The most recent ones, newest last. */
  bookings: LedgerState['bookings'];
  /** By calendar day of the account's time zone. */
  days: LedgerState['days'];
}

/** The server offers a query to the worker that had the ledger last, and ten seconds later, if that one is gone, to any. */
const QUERY_MS = 20_000;
const LAST_BOOKINGS = 30;

export async function spendCommand({ since, by, ...options }: SpendOptions): Promise<number> {
  if (since !== undefined) return showBooksCommand({ ...options, by: by ?? 'day', since });
  if (by !== undefined)
    throw new Exit(
      EXIT.badInput,
      '--by sums up the books in the storage: give --since as well, for example --since 30d',
    );
  const { account, json } = options;
  return withServer('reads', async ({ client }) => {
    const ledgers = await requireLedgers(client, account);
    const books = await Promise.all(ledgers.map((ledger) => readBooks(client, ledger)));
    if (json) printJson(books);
    else print(books.map(showBooks).join('\n\n'));
    return EXIT.done;
  });
}

/** @throws Exit when there is none */
export async function requireLedgers(client: Client, account: string | undefined): Promise<string[]> {
  const ledgers = await findLedgers(client, account);
  if (ledgers.length > 0) return ledgers;
  const whose = account ? ` of account '${account}'` : '';
  throw new Exit(EXIT.failed, `there is no ledger${whose} yet: a worker opens it when it starts`);
}

/** Workflow IDs of the ledgers that are open. */
export async function findLedgers(client: Client, account: string | undefined): Promise<string[]> {
  if (account !== undefined && !/^[a-z0-9][a-z0-9-]{0,39}$/.test(account))
    throw new Exit(EXIT.badInput, "an account's name has lower-case letters, digits and -, at most 40");
  const found = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query: ledgersOf(account) })) found.add(workflowId);
  return [...found].sort();
}

/** @throws Exit when no worker answers: the books are read by one */
export async function readBooks(client: Client, ledger: string): Promise<Books> {
  const handle = client.workflow.getHandle(ledger);
  const ask = async () => {
    const [status, { bookings, days }] = await Promise.all([handle.query(statusQuery), handle.query(stateQuery)]);
    return { ledger, status, bookings, days };
  };
  return client.withDeadline(Date.now() + QUERY_MS, ask).catch((cause: unknown) => {
    if (isLost(cause)) throw cause;
    throw new Exit(
      EXIT.failed,
      `the ledger ${ledger} does not answer: is a worker running (\`${PROGRAM} worker\`)? (${cause instanceof Error ? cause.message : cause})`,
    );
  });
}

function showBooks({ ledger, status, bookings, days }: Books): string {
  const { account, balance, unreadable, reserved, spentToday, elsewhere, budget, dearer, holds, open } = status;
  const { perDay, timeZone } = budget;
  const unread = unreadable === undefined ? 'not read yet' : `cannot be read: ${unreadable.problem}`;
  const shown = bookings.slice(-LAST_BOOKINGS);
  const facts = [
    `balance          ${balance === undefined ? unread : number(balance)}`,
    `reserved         ${number(reserved)} for calls under way`,
    `spent today      ${number(spentToday)}${perDay === null ? '' : ` of ${number(perDay)}`} (${timeZone})`,
    `spent elsewhere  ${balance === undefined ? 'not known: only the balance shows it' : `${number(elsewhere)}, as the balance shows (web app, or before the ledger)`}`,
  ];
  const parts = [
    `${styled('bold', `Account ${account}`)} (${ledger})`,
    ...holds.map((hold) => styled('yellow', describeHold(hold))),
    ...dearer.map((price) => styled('yellow', describeDearer(price))),
    facts.join('\n'),
    describeBudget(budget).join('\n'),
    table(['day', 'credits'], Object.entries(days).sort()),
    open.length === 0
      ? 'No paid call is under way.'
      : table(
          ['open send', 'since (UTC)', 'over by (UTC)', 'run'],
          open.map(({ subject, grantedAt, overAt, run }) => [subject, utc(grantedAt), utc(overAt), run]),
        ),
    table(
      ['when (UTC)', 'subject', 'credits', 'run'],
      shown.map(({ at, subject, credits, run }) => [utc(at), subject, credits, run]),
    ),
    ...(bookings.length > shown.length
      ? [
          `The last ${number(shown.length)} of ${number(bookings.length)} recent bookings; --json shows all, the days have the sums.`,
        ]
      : []),
  ];
  return parts.join('\n\n');
}
