/** What one account needs in a process that works for it: client, gate, and the ledger of the user behind its token. */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { AccountRuntime } from '../activities/deps';
import { createAgentApi } from './agent-api/client';
import type { Failure } from './agent-api/failure';
import { createGate } from './agent-api/gate';
import { TokenError, type TokenSource } from './agent-api/token';
import { type Account, apiOptions } from './config';
import { holdCause } from './policy/classify';
import { FailureType } from './policy/failures';
import { LedgerClient, ledgerId } from './temporal/ledger-client';

/** Two accounts are one user: their limits and credits are one, and two ledgers would not see each other (S1). */
export class SameUser extends Error {
  override readonly name = 'SameUser';
}

function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'rejected':
      return failure.unproven
        ? `GET /api/user/current answers ${failure.status} without a JSON body, as something in between may`
        : `GET /api/user/current answers ${failure.status}; where the service has no such route, set 'unshown.account.userId' to null`;
    case 'unreadable':
      return failure.problem.includes('unshown')
        ? failure.problem
        : `${failure.problem}; where the service names no user, set 'unshown.account.userId' to null`;
    default:
      return failure.reason;
  }
}

/** A question to the service whose token it is. */
interface Asked {
  /** The token; absent where there was none that could be used. */
  token?: string;
  failedAt?: number;
}

/** Which account works for which ledger in this process. */
export type LedgerOwners = Map<string, string>;

export function createRuntime(
  account: Account,
  client: Client,
  owners: LedgerOwners,
  log: Logger,
): AccountRuntime & { close(): Promise<void> } {
  const gate = createGate({ limits: account.limits, sendWindowMs: account.timing.sendWindowMs });
  /** The token whose owner is known, and that user's ledger. */
  let known: { token: string; ledger: LedgerClient } | undefined;
  let asked: Asked | undefined;
  let answer: Promise<LedgerClient> | undefined;
  // S3: what one user's ledger granted is sent with that user's token: until it is known who a new token belongs to, the
  // call goes out with the one before.
  const token: TokenSource = {
    read() {
      const present = account.token.read();
      return known?.token ?? present;
    },
  };
  const api = createAgentApi({ ...apiOptions(account), token, gate });

  /** Asks the service who the present token belongs to. @param asking learns which token it was */
  async function whoseToken(asking: Asked) {
    const own = createAgentApi({
      ...{ ...apiOptions(account), gate },
      token: {
        read() {
          asking.token = account.token.read();
          return asking.token;
        },
      },
    });
    try {
      return await own.call('account.user');
    } finally {
      await own.close();
    }
  }

  /**
   * Whose ledger it is. S1, S3: two processes must not go by different ones, so no odd answer decides that. It is the user's
   * whom the service names; the account's own only where the configuration says that the service names none.
   */
  async function ledgerOfToken(asking: Asked): Promise<string> {
    if (account.unshown.account.userId === null) {
      asking.token = account.token.read();
      return ledgerId(`by-name-${account.name}`);
    }
    const permit = await gate.acquire('reads');
    if (!permit.ok)
      throw ApplicationFailure.retryable('waits for its turn to ask who the token belongs to', FailureType.waiting);
    const attempt = await whoseToken(asking);
    if (attempt.ok) return ledgerId(attempt.value.userId);
    const held = holdCause(attempt.failure);
    if (held) await known?.ledger.reportHold(held);
    throw ApplicationFailure.nonRetryable(
      `it is not known who the token of account '${account.name}' belongs to: ${held?.reason ?? describeFailure(attempt.failure)}`,
      held ? FailureType.held : FailureType.upstream,
    );
  }

  /** Asks the service once for each token; after a failure not again before the probe interval is over. */
  async function resolveLedger(asking: Asked): Promise<LedgerClient> {
    const id = await ledgerOfToken(asking);
    if (known && known.ledger.workflowId !== id) {
      const theirs = owners.get(id);
      const sentence = `The token of account '${account.name}' belongs to another user than the one that it works for${theirs ? `, that of account '${theirs}'` : ''}; nothing is sent with it. Put a token of the user before in its place, or restart the workers to work for the other one.`;
      log.error({ account: account.name, ledger: id }, sentence);
      await known.ledger.reportHold({
        kind: 'otherUser',
        reason: theirs ? `that of account '${theirs}'` : 'by its ID',
      });
      throw ApplicationFailure.nonRetryable(sentence, FailureType.held);
    }
    const other = owners.get(id);
    if (other !== undefined && other !== account.name)
      throw new SameUser(
        `The accounts '${other}' and '${account.name}' belong to the same user. Configure the user once: two accounts would each spend the whole limit.`,
      );
    owners.set(id, account.name);
    const { timing, budget, timeZone } = account;
    const input = { account: account.name, timing, budget: { ...budget, timeZone }, probeEveryMs: timing.holdProbeMs };
    const found = known?.ledger ?? new LedgerClient(client, id, input);
    await found.configure();
    if (asking.token !== undefined) known = { token: asking.token, ledger: found };
    return found;
  }

  /** The present token, where there is one. */
  function present(): string | undefined {
    try {
      return account.token.read();
    } catch (error) {
      if (error instanceof TokenError) return undefined;
      throw error;
    }
  }

  return {
    account,
    api,
    gate,
    ledger() {
      const now = present();
      const changed = now !== undefined && now !== asked?.token;
      const again = asked?.failedAt !== undefined && Date.now() - asked.failedAt > account.timing.holdProbeMs;
      if (!answer || changed || again) {
        const next: Asked = { ...(now !== undefined && { token: now }) };
        answer = resolveLedger(next);
        answer.catch(() => {
          next.failedAt = Date.now();
        });
        asked = next;
      }
      return answer;
    },
    close: () => api.close(),
  };
}
