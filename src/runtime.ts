/** What one account needs in a process that works for it: client, gate, and the ledger of the user behind its token. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { AccountRuntime } from '../activities/deps';
import { createAgentApi, type Open } from './agent-api/client';
import type { Failure } from './agent-api/failure';
import { createGate } from './agent-api/gate';
import { TokenError, type TokenSource } from './agent-api/token';
import { type Account, apiOptions, type Ceilings } from './config';
import { type Budget, LAPSES_AFTER_MS, LONGEST_PARK_MS, parkedMs } from './ledger';
import { type HoldCause, holdCause } from './ledger/account-failures';
import { measuredApi, measuredGate } from './metrics/measured-calls';
import { rootMessage } from './root-cause';
import { FailureType } from './runs/failure-types';
import { steadyNow } from './steady-clock';
import type { Storage } from './storage';
import { BookedLedger } from './temporal/booked-ledger';
import type { Gauged } from './temporal/gauges';
import { latestLedger, latestPassage } from './temporal/latest-ledger';
import { LedgerClient, type LedgerConfig, ledgerAway } from './temporal/ledger-client';
import { ledgerId } from './temporal/ledger-id';
import { heedParks, parkedFailure, parkedIn, pauseOf, SAY_PARKED_MS } from './temporal/parks';
import { within } from './time/within';

/** Two accounts are one user: their limits and credits are one, and two ledgers would not see each other (S1). */
export class SameUser extends Error {
  override readonly name = 'SameUser';
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

/** A question to the service whose token it is. */
interface Asked {
  /** The token; absent where there was none that could be used. */
  token?: string;
  /** Where it failed: when it is asked again, and how long the service asked to wait, by `steadyNow()`. */
  againAt?: number;
  pausedUntil?: number;
}

/** When it is asked again, unless the probe interval is over before: a person may end a pause; soon where it had to wait here. */
function waitOf(error: unknown): number {
  const isWaiting = error instanceof ApplicationFailure && error.type === FailureType.waiting;
  const pausedMs = pauseOf(error);
  if (pausedMs !== undefined) return Math.min(pausedMs, LISTENS_MS);
  return isWaiting ? WAITS_MS : Number.POSITIVE_INFINITY;
}
const WAITS_MS = 1_000;
const LISTENS_MS = 15_000;

/** How often a worker says what it is configured with; it counts for twice as long. Divided by the account's speed. */
const RENEW_MS = LAPSES_AFTER_MS / 2;
/** A process that starts waits so long to hear of pauses; then it asks the service, and hears of them from it. */
const HEARS_WITHIN_MS = 2_000;
/** How long a process that leaves waits for what it is still telling. */
const FAREWELL_AFTER_MS = 3_000;
/** How often it looks whether that is due, or the file has changed. */
const TICK_MS = 5_000;

/** Which account works for which ledger in this process. */
export type LedgerOwners = Map<string, string>;

export function createRuntime(
  account: Account,
  client: Client,
  storage: Storage,
  owners: LedgerOwners,
  log: Logger,
  ceilings: (account: Account) => Ceilings = (same) => same,
  open?: Open,
): AccountRuntime & Gauged & { whose(): Promise<string>; leave(): Promise<void>; close(): Promise<void> } {
  const gate = measuredGate(
    account.name,
    createGate({ limits: account.limits, sendWindowMs: account.timing.sendWindowMs }),
  );
  const renewMs = RENEW_MS / Math.max(1, account.speed);
  const worker = `${process.pid}@${hostname().slice(0, 100)}/${randomUUID()}`;
  /** What all calls share does not end with the call that began it: its cancellation counts in its context alone. */
  const apart = AsyncLocalStorage.snapshot();
  /** What the ledger was told last, and when. */
  let told: { budget: string; at: number } | undefined;
  let telling: Promise<BookedLedger> | undefined;
  /** The token whose owner is known, and that user's ledger. */
  let known: { token: string; ledger: BookedLedger } | undefined;
  /** The ledger of the user whom this process works for, also while it is still opening. */
  let own: BookedLedger | undefined;
  let asked: Asked | undefined;
  let answer: Promise<BookedLedger> | undefined;
  // S3: what one user's ledger granted is sent with that user's token: until it is known who a new token belongs to, the
  // call goes out with the one before.
  const token: TokenSource = {
    read() {
      const present = account.token.read();
      return known?.token ?? present;
    },
  };
  const shared = { ...apiOptions(account), gate, endings: new Map(), ...(open && { open }) };
  const api = measuredApi(account.name, createAgentApi({ ...shared, token }));

  /** Asks the service who the present token belongs to. @param asking learns which token it was */
  async function whoseToken(asking: Asked) {
    const token: TokenSource = {
      read() {
        asking.token = account.token.read();
        return asking.token;
      },
    };
    const own = measuredApi(account.name, createAgentApi({ ...shared, token }));
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
    if (account.undocumented.account.userId === null) {
      const token = present();
      if (token !== undefined) {
        asking.token = token;
        return ledgerId(`by-name-${account.name}`);
      }
      throw ApplicationFailure.nonRetryable(
        `the token of account '${account.name}' cannot be read: see its file ${account.token.file}`,
        FailureType.upstream,
      );
    }
    const heardMs = await hearOfParks();
    if (heardMs > 0) throw mustWait(heardMs);
    const permit = await gate.acquire('reads');
    if (!permit.ok) throw mustWait();
    const attempt = await whoseToken(asking);
    if (attempt.ok) return ledgerId(attempt.value.userId);
    if (attempt.failure.kind === 'rejected' && attempt.failure.status === 429) {
      await known?.ledger.park('reads', Math.min(parkedIn(gate, 'reads'), LONGEST_PARK_MS)).catch(() => undefined);
      throw mustWait();
    }
    const held = holdCause(attempt.failure);
    if (held && !isOutdated(asking)) await reportHold(held);
    throw ApplicationFailure.nonRetryable(
      `it is not known who the token of account '${account.name}' belongs to: ${held?.reason ?? describeFailure(attempt.failure)}`,
      held ? FailureType.held : FailureType.upstream,
    );
  }

  /** S7: a pause is said, also by what needs no read: without its ledger nothing leaves. */
  function mustWait(parkedMs = parkedIn(gate, 'reads')): ApplicationFailure {
    if (parkedMs > SAY_PARKED_MS) return parkedFailure('reads', parkedMs);
    return ApplicationFailure.retryable('waits for its turn to ask who the token belongs to', FailureType.waiting);
  }

  /**
   * S5: a process that does not know its ledger hears of pauses, and of those that a person has ended, from the one for which
   * the account has worked last.
   * @returns how long reads are parked as far as the gate does not know it, milliseconds
   */
  async function hearOfParks(): Promise<number> {
    if (known) {
      const heard = await known.ledger.passage();
      if (heard) heedParks(gate, heard, known.ledger.now());
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
  async function reportHold(held: HoldCause): Promise<void> {
    if (known) return known.ledger.reportHold(held);
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

  /**
   * S1, S3: the token has been replaced since, maybe by another user's: what is found of this one neither counts nor holds
   * anything, and who waits for it gets the ledger of the present one, which alone is sent with.
   */
  const isOutdated = (asking: Asked): boolean => asked !== asking;

  /** Asks the service once for each token; after a failure not again before {@link waitOf} is over. */
  async function resolveLedger(asking: Asked): Promise<BookedLedger> {
    const id = await ledgerOfToken(asking).catch((error: unknown) => {
      if (isOutdated(asking)) return undefined;
      throw error;
    });
    if (id === undefined || isOutdated(asking)) return answer ?? ledger();
    if (known && known.ledger.workflowId !== id) {
      const theirs = owners.get(id);
      const sentence = `The token of account '${account.name}' belongs to another user than the one that it works for${theirs ? `, that of account '${theirs}'` : ''}; nothing is sent with it. Put a token of the user before in its place; or cancel the runs under way and restart the workers, which then work for the other one, and spend its credits.`;
      log.error({ account: account.name, ledger: id }, sentence);
      await known.ledger.reportHold({
        kind: 'otherUser',
        reason: theirs ? `that of account '${theirs}'` : 'by its ID',
      });
      throw ApplicationFailure.nonRetryable(sentence, FailureType.held);
    }
    const other = owners.get(id);
    if (other !== undefined && other !== account.name) {
      const sentence = `The accounts '${other}' and '${account.name}' belong to the same user. Configure the user once: two accounts would each spend the whole limit.`;
      log.error({ account: account.name, ledger: id }, sentence);
      // S7: where it shows only once the worker runs, the runs say it.
      throw ApplicationFailure.create({
        ...{ message: sentence, type: FailureType.ledger, nonRetryable: true, cause: new SameUser(sentence) },
      });
    }
    owners.set(id, account.name);
    const found = own?.workflowId === id ? own : openLedger(id);
    await tell(found);
    if (isOutdated(asking)) return answer ?? ledger();
    if (asking.token !== undefined) known = { token: asking.token, ledger: found };
    return found;
  }

  function openLedger(id: string): BookedLedger {
    // That of another user, which could not be told of this process before the token was changed.
    own?.books.close().catch((error: unknown) => warn('the books of the ledger before could not be closed', error));
    own = new BookedLedger(client, id, configuration(), {
      ...{ storage, warn },
      ceilings: () => ceilings(account).budget,
      creditsOf: (route) => account.credits(route),
    });
    return own;
  }

  function configuration(): LedgerConfig {
    const { name, timing } = account;
    return {
      ...{ account: name, worker, lapsesAfterMs: 2 * renewMs, timing, budget: presentBudget() },
      probeEveryMs: timing.holdProbeMs,
    };
  }

  function presentBudget(): Budget {
    const { budget, timeZone } = ceilings(account);
    return { ...budget, timeZone };
  }

  const warn = (what: string, error: unknown) => log.warn({ account: account.name, err: error }, what);

  /** S3: tells the ledger what this process is configured with now. */
  async function tell(ledger: BookedLedger): Promise<BookedLedger> {
    const budget = presentBudget();
    const at = steadyNow();
    await ledger.configure(budget).catch((error: unknown) => {
      throw error instanceof ApplicationFailure ? error : ledgerAway(rootMessage(error));
    });
    told = { budget: JSON.stringify(budget), at };
    return ledger;
  }

  /** The one message that is on its way. */
  function tellAgain(): Promise<BookedLedger> | undefined {
    telling ??= answer
      ?.then((ledger) => apart(() => tell(ledger)))
      .finally(() => {
        telling = undefined;
      });
    return telling;
  }

  /** Whether the ledger was told otherwise, or so long ago that this process no longer counts after so many milliseconds. */
  const isDue = (afterMs: number): boolean =>
    told !== undefined && (told.budget !== JSON.stringify(presentBudget()) || steadyNow() - told.at >= afterMs);

  const renewal = setInterval(
    () => {
      // S7: though no run needs it; else a token that is refused would hold nobody before the next run, and this process would
      // soon count no more.
      if (asked?.againAt !== undefined) ledger().catch(() => undefined);
      else if (isDue(renewMs)) tellAgain()?.catch(() => undefined);
    },
    Math.min(TICK_MS, renewMs / 4),
  ).unref();

  /** The present token, where there is one. */
  function present(): string | undefined {
    try {
      return account.token.read();
    } catch (error) {
      if (error instanceof TokenError) return undefined;
      throw error;
    }
  }

  function ledger(): Promise<BookedLedger> {
    const now = present();
    const changed = now !== undefined && now !== asked?.token;
    const again = asked?.againAt !== undefined && steadyNow() > asked.againAt;
    if (!answer || changed || again) {
      const next: Asked = { ...(now !== undefined && { token: now }) };
      answer = apart(() => resolveLedger(next));
      answer.catch((error: unknown) => {
        const [at, pausedMs] = [steadyNow(), pauseOf(error)];
        next.againAt = at + Math.min(account.timing.holdProbeMs, waitOf(error));
        if (pausedMs !== undefined) next.pausedUntil = at + pausedMs;
      });
      asked = next;
    }
    // Of the answer that is kept the time has passed.
    if (asked?.pausedUntil !== undefined) return Promise.reject(mustWait(asked.pausedUntil - steadyNow()));
    // A call that asks now is granted by what is configured now.
    return (isDue(2 * renewMs) && tellAgain()) || answer;
  }

  return {
    account,
    api,
    gate,
    ledger,
    /** The workflow ID of that user's ledger, without opening it. */
    whose: () => ledgerOfToken({}),
    async leave() {
      clearInterval(renewal);
      // What is on its way would arrive after the farewell and make this process count again.
      const onItsWay = Promise.allSettled([telling, answer]);
      await Promise.race([onItsWay, sleep(FAREWELL_AFTER_MS, undefined, { ref: false })]);
      await known?.ledger.leave();
      await own?.books.close();
    },
    async close() {
      clearInterval(renewal);
      await api.close();
    },
    knownLedger: () => known?.ledger,
    ledgerWith: (workflowId) => (own?.workflowId === workflowId ? own : undefined),
  };
}
