/** What one account needs in a process that works for it: client, gate, and the ledger of the user behind its token. */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { AccountRuntime } from '../activities/deps';
import { createAgentApi } from './agent-api/client';
import type { Failure } from './agent-api/failure';
import { createGate } from './agent-api/gate';
import { type Account, apiOptions } from './config';
import { holdCause } from './policy/classify';
import { FailureType } from './policy/failures';
import { LedgerClient, ledgerId } from './temporal/ledger-client';

/** Two accounts are one user: their limits and credits are one, and two ledgers would not see each other (S1). */
export class SameUser extends Error {
  override readonly name = 'SameUser';
}

/**
 * The shape of GET /api/user/current is not shown, and the route may not be there: then the account's name must do. A page of
 * something in between proves nothing, and is asked again: two processes must not go by different ledgers.
 */
const mayGoByName = (failure: Failure): boolean =>
  (failure.kind === 'unreadable' && failure.problem.includes('unshown.')) ||
  (failure.kind === 'rejected' && [403, 404, 405].includes(failure.status));

const describeFailure = (failure: Failure): string =>
  failure.kind === 'rejected'
    ? `it answers ${failure.status}`
    : failure.kind === 'unreadable'
      ? failure.problem
      : failure.reason;

/** Which account works for which ledger in this process. */
export type LedgerOwners = Map<string, string>;

export function createRuntime(
  account: Account,
  client: Client,
  owners: LedgerOwners,
  log: Logger,
): AccountRuntime & { close(): Promise<void> } {
  const gate = createGate({ limits: account.limits, sendWindowMs: account.timing.sendWindowMs });
  const api = createAgentApi({ ...apiOptions(account), gate });
  let ledger: { promise: Promise<LedgerClient>; failedAt?: number } | undefined;

  /** Asks the service once who the token belongs to; after a failure not again before the probe interval is over. */
  async function resolveLedger(): Promise<LedgerClient> {
    const permit = await gate.acquire('reads');
    if (!permit.ok)
      throw ApplicationFailure.retryable('waits for its turn to ask who the token belongs to', FailureType.waiting);
    const attempt = await api.call('account.user');
    if (!attempt.ok && !mayGoByName(attempt.failure)) {
      const held = holdCause(attempt.failure);
      throw ApplicationFailure.nonRetryable(
        `it is not known who the token of account '${account.name}' belongs to: ${held?.reason ?? describeFailure(attempt.failure)}`,
        held ? FailureType.held : FailureType.upstream,
      );
    }
    if (!attempt.ok)
      log.warn(
        { account: account.name },
        "it cannot be read who the token belongs to, so the ledger goes by the account's name; see the setting unshown.account.userId",
      );
    const id = ledgerId(attempt.ok ? attempt.value.userId : `by-name-${account.name}`);
    const other = owners.get(id);
    if (other !== undefined && other !== account.name)
      throw new SameUser(
        `The accounts '${other}' and '${account.name}' belong to the same user. Configure the user once: two accounts would each spend the whole limit.`,
      );
    owners.set(id, account.name);
    const { timing, budget, timeZone } = account;
    const input = { account: account.name, timing, budget: { ...budget, timeZone }, probeEveryMs: timing.holdProbeMs };
    const found = new LedgerClient(client, id, input);
    await found.configure();
    return found;
  }

  return {
    account,
    api,
    gate,
    ledger() {
      const again = ledger?.failedAt !== undefined && Date.now() - ledger.failedAt > account.timing.holdProbeMs;
      if (!ledger || again) {
        const next: typeof ledger = { promise: resolveLedger() };
        next.promise.catch(() => {
          next.failedAt = Date.now();
        });
        ledger = next;
      }
      return ledger.promise;
    },
    close: () => api.close(),
  };
}
