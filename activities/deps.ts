import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { AgentApi } from '../src/agent-api/client';
import type { Gate } from '../src/agent-api/gate';
import type { Account } from '../src/config';
import type { Receiver } from '../src/notify/receiver';
import { FailureType } from '../src/policy/failures';
import type { Storage } from '../src/storage';
import type { LedgerClient } from '../src/temporal/ledger-client';

/** Everything one account needs in a worker process. */
export interface AccountRuntime {
  readonly account: Account;
  readonly api: AgentApi;
  readonly gate: Gate;
  /** The ledger of the user that the token belongs to; asks the service once who that is. */
  ledger(): Promise<LedgerClient>;
}

/** What activities are made with. */
export interface Deps {
  readonly accounts: ReadonlyMap<string, AccountRuntime>;
  readonly client: Client;
  readonly storage: Storage;
  /** Where notifications go; absent: nowhere. */
  readonly receiver?: Receiver | undefined;
  /** A run's page in the Web UI, when it is known where that is. */
  linkTo(workflowId: string): string | undefined;
  readonly log: Logger;
}

/** The account's runtime; a name that no worker knows ends the run with a sentence. */
export function runtimeOf({ accounts }: Deps, name: string): AccountRuntime {
  const runtime = accounts.get(name);
  if (runtime) return runtime;
  throw ApplicationFailure.nonRetryable(
    `There is no account '${name}' in the worker's configuration; there is: ${[...accounts.keys()].join(', ')}`,
    FailureType.unknownAccount,
  );
}
