/** To which user a token belongs, and so by which ledger the calls of its account go (S1, S3). */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { AgentApi } from '../agent-api/client';
import type { Failure } from '../agent-api/failure';
import type { Gate } from '../agent-api/gate';
import { TokenError, type TokenSource } from '../agent-api/token';
import type { Account } from '../config';
import { LONGEST_PARK_MS, parkedMs } from '../ledger';
import { type HoldCause, holdCause } from '../ledger/account-failures';
import { FailureType } from '../runs/failure-types';
import { latestLedger, latestPassage } from '../temporal/latest-ledger';
import { LedgerClient, type LedgerConfig } from '../temporal/ledger-client';
import { ledgerId, ledgerIdByName } from '../temporal/ledger-id';
import { heedParks, parkedFailure, parkedIn, SAY_PARKED_MS } from '../temporal/parks';
import { within } from '../time/within';

/** A question to the service whose token it is. */
export interface AskedWith {
  /** The token that it was asked with; absent where there was none that could be used. */
  token?: string;
}

export interface TokenOwnerDeps {
  readonly account: Account;
  readonly client: Client;
  readonly gate: Gate;
  /** A client of the service, with that token. */
  apiWith(token: TokenSource): AgentApi;
  /** The ledger of the user to whom the token belonged last; undefined until that was known once. */
  knownLedger(): LedgerClient | undefined;
  /** What a ledger is told of this process. */
  configuration(): LedgerConfig;
  warn(what: string, error: unknown): void;
}

/** A process that starts waits so long to hear of pauses; then it asks the service, and hears of them from it. */
const HEARS_WITHIN_MS = 2_000;

export class TokenOwner {
  constructor(private readonly deps: TokenOwnerDeps) {}

  /** The present token of the account; undefined where there is none that can be used. */
  present(): string | undefined {
    try {
      return this.deps.account.token.read();
    } catch (error) {
      if (error instanceof TokenError) return undefined;
      throw error;
    }
  }

  /**
   * The workflow ID of the ledger. S1, S3: two processes must not go by different ones, so no odd answer decides that. It is
   * the user's whom the service names; the account's own only where the configuration says that the service names none.
   * @param asking learns which token it was
   * @param mayHold whether the account is put on hold where the service refuses the token; asked afterwards
   * @throws ApplicationFailure
   */
  async ledgerId(asking: AskedWith, mayHold: () => boolean): Promise<string> {
    const { account, gate } = this.deps;
    if (account.undocumented.account.userId === null) return this.#idByName(asking);
    const heardMs = await this.#hearOfParks();
    if (heardMs > 0) throw this.mustWait(heardMs);
    const permit = await gate.acquire('reads');
    if (!permit.ok) throw this.mustWait();
    const attempt = await this.#ask(asking);
    if (attempt.ok) return ledgerId(attempt.value.userId);
    if (attempt.failure.kind === 'rejected' && attempt.failure.status === 429) {
      const forMs = Math.min(parkedIn(gate, 'reads'), LONGEST_PARK_MS);
      await this.deps
        .knownLedger()
        ?.park('reads', forMs)
        .catch(() => undefined);
      throw this.mustWait();
    }
    const held = holdCause(attempt.failure);
    if (held && mayHold()) await this.reportHold(held);
    throw ApplicationFailure.nonRetryable(
      `it is not known who the token of account '${account.name}' belongs to: ${held?.reason ?? describeFailure(attempt.failure)}`,
      held ? FailureType.held : FailureType.upstream,
    );
  }

  /** S7: a pause is said, also by what needs no read: without its ledger nothing leaves. */
  mustWait(parkedMs = parkedIn(this.deps.gate, 'reads')): ApplicationFailure {
    if (parkedMs > SAY_PARKED_MS) return parkedFailure('reads', parkedMs);
    return ApplicationFailure.retryable('waits for its turn to ask who the token belongs to', FailureType.waiting);
  }

  #idByName(asking: AskedWith): string {
    const { account } = this.deps;
    const token = this.present();
    if (token === undefined)
      throw ApplicationFailure.nonRetryable(
        `the token of account '${account.name}' cannot be read: see its file ${account.token.file}`,
        FailureType.upstream,
      );
    asking.token = token;
    return ledgerIdByName(account.name);
  }

  async #ask(asking: AskedWith) {
    const { account, apiWith } = this.deps;
    const api = apiWith({
      read() {
        asking.token = account.token.read();
        return asking.token;
      },
    });
    try {
      return await api.call('account.user');
    } finally {
      await api.close();
    }
  }

  /**
   * S5: a process that does not know its ledger hears of pauses, and of those that a person has ended, from the one for which
   * the account has worked last.
   * @returns how long reads are parked as far as the gate does not know it, milliseconds
   */
  async #hearOfParks(): Promise<number> {
    const { account, client, gate } = this.deps;
    const known = this.deps.knownLedger();
    if (known) {
      const heard = await known.passage();
      if (heard) heedParks(gate, heard, known.now());
      return 0;
    }
    const asking = latestPassage(client, account.name);
    const heard = await within(asking, HEARS_WITHIN_MS, 'too late').catch(() => undefined);
    if (!heard) return 0;
    gate.parksEnded(heard.parksEndedAt ?? 0);
    // How far this machine's clock is from the server's is not known yet: the gate would keep what is wrong.
    return parkedMs(heard, 'reads', Math.max(Date.now(), heard.at));
  }

  /**
   * S7: a process that never knew whose its token is tells the ledger for which the account has worked last, unless another
   * worker works for it: that one may have another token, and meets what holds the account by itself. One that was killed
   * counts until its word lapses.
   */
  async reportHold(held: HoldCause): Promise<void> {
    const { account, client, configuration, warn } = this.deps;
    const known = this.deps.knownLedger();
    if (known) return known.reportHold(held);
    try {
      const latest = await latestLedger(client, account.name);
      if (!latest) return;
      const { budget, restingSince, holds } = latest.status;
      if (budget.live || restingSince !== undefined || holds.some(({ kind }) => kind === held.kind)) return;
      await new LedgerClient(client, latest.workflowId, configuration()).reportHold(held);
    } catch (error) {
      warn('the hold of the account could not be told to its ledger', error);
    }
  }
}

function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'rejected': {
      const { status, unproven } = failure;
      const answers = `GET /api/user/current answers ${status}`;
      if (unproven) return `${answers} without a JSON body, as something in between may`;
      return `${answers}; where the service has no such route, set 'undocumented.account.userId' to null`;
    }
    case 'unreadable':
      return failure.problem.includes('undocumented')
        ? failure.problem
        : `${failure.problem}; where the service names no user, set 'undocumented.account.userId' to null`;
    default:
      return failure.reason;
  }
}
