import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { AgentApi } from '../src/agent-api/client';
import type { Gate } from '../src/agent-api/gate';
import type { Account } from '../src/config';
import type { Receiver } from '../src/notify/receiver';
import { rootMessage } from '../src/root-cause';
import { FailureType } from '../src/runs/failure-types';
import type { Storage } from '../src/storage';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { pauseOf } from '../src/temporal/parks';
import { requeueAfter } from './requeue';

/** Everything one account needs in a worker process. */
export interface AccountRuntime {
  readonly account: Account;
  readonly api: AgentApi;
  readonly gate: Gate;
  /** The ledger of the user that the token belongs to; asks the service once who that is. */
  ledger(): Promise<BookedLedger>;
  /** The ledger of that user, as far as the service has said who that is. */
  knownLedger(): BookedLedger | undefined;
  /** The ledger with this workflow ID, if it is that of the token's user as far as this process knows. */
  ledgerWith(workflowId: string): BookedLedger | undefined;
}

/** What activities are made with. */
export interface Deps {
  readonly accounts: ReadonlyMap<string, AccountRuntime>;
  readonly client: Client;
  /** Of this worker, as it polls with. */
  readonly identity: string;
  readonly storage: Storage;
  /** Where notifications go; absent: nowhere. */
  readonly receiver?: Receiver | undefined;
  /** The page of the Web UI on which a run says what it does, when it is known where that is. */
  linkTo(workflowId: string, runId: string): string | undefined;
  readonly log: Logger;
}

/** Another worker is given so many tries, that often, before a pause is said. */
const PAUSE_TRIES = 3;
const PAUSE_TRY_MS = 5_000;

/**
 * The account's ledger. While the service asks to wait this process may not ask whose it is, and another one may know.
 * @throws ApplicationFailure with the pause, which the run says (S7)
 */
export const ledgerFor = (runtime: AccountRuntime): Promise<BookedLedger> =>
  runtime.ledger().catch((error: unknown) => {
    throw leftToOthers(error) ?? error;
  });

/** @returns back to the queue, for a pause before which another worker may know the ledger */
export function leftToOthers(error: unknown): ApplicationFailure | undefined {
  if (pauseOf(error) === undefined || Context.current().info.attempt >= PAUSE_TRIES) return undefined;
  return requeueAfter(rootMessage(error), PAUSE_TRY_MS);
}

/** How often an activity comes back soon: enough to meet every idle poller of some workers. */
export const SOON_TRIES = 40;

/**
 * Milliseconds before it comes back: a quarter of a second at first, then five seconds, unless this worker's clocks are
 * faster. A server with its default settings may be a second late with each.
 */
export function comesBackIn(accounts: Deps['accounts'], attempt: number): number {
  const laterMs = Math.min(5_000, ...[...accounts.values()].map(({ account }) => account.timing.pollMs));
  return attempt < SOON_TRIES ? laterMs / 20 : laterMs;
}

/**
 * The ledger of this ID, where an account of this worker is known to belong to its user. An account whose user could not be
 * asked for when the worker started may be it: where none is, all are asked, since nothing else may need them.
 */
export function ledgerOf({ accounts }: Pick<Deps, 'accounts'>, workflowId: string): BookedLedger | undefined {
  const runtimes = [...accounts.values()];
  const [known] = runtimes.flatMap((runtime) => runtime.ledgerWith(workflowId) ?? []);
  if (!known) for (const runtime of runtimes) runtime.ledger().catch(() => undefined);
  return known;
}

/** Why the ledger of an ID may not be known, in a sentence. */
export function noLedgerHere({ accounts }: Pick<Deps, 'accounts'>): string {
  const unknown = [...accounts].flatMap(([name, runtime]) => (runtime.knownLedger() ? [] : [`'${name}'`]));
  return unknown.length === 0
    ? 'No account of this worker is known to belong to the user of this ledger'
    : `This worker does not know yet to which user the token belongs of: ${unknown.join(', ')}; it asks the service again`;
}

/**
 * The account's runtime. The workers of all accounts take control activities from one queue: one that does not know the
 * account gives them back for one that does. A run that has begun waits for such a worker, as its calls wait in the queues
 * of the account: it may have paid, and must not fail for a deployment (S6).
 * @param begun false for the first activity of a run: there a name that no worker knows soon ends it with a sentence
 */
export function runtimeOf({ accounts }: Deps, name: string, begun = true): AccountRuntime {
  const runtime = accounts.get(name);
  if (runtime) return runtime;
  const { attempt } = Context.current().info;
  const known = [...accounts.keys()].join(', ');
  if (begun || attempt < SOON_TRIES)
    throw requeueAfter(
      `This worker has no account '${name}' and leaves it to one that has; its configuration has: ${known}`,
      comesBackIn(accounts, attempt),
    );
  throw ApplicationFailure.nonRetryable(
    `There is no account '${name}' in the worker's configuration; there is: ${known}`,
    FailureType.unknownAccount,
  );
}
