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
import { createGate } from './agent-api/gate';
import type { TokenSource } from './agent-api/token';
import { type Account, apiOptions, type Ceilings } from './config';
import { type Budget, LAPSES_AFTER_MS } from './ledger';
import { measuredApi, measuredGate } from './metrics/measured-calls';
import { rootMessage } from './root-cause';
import { FailureType } from './runs/failure-types';
import { type AskedWith, TokenOwner } from './runtime/token-owner';
import { steadyNow } from './steady-clock';
import type { Storage } from './storage';
import { BookedLedger } from './temporal/booked-ledger';
import type { Gauged } from './temporal/gauges';
import { type LedgerConfig, ledgerAway } from './temporal/ledger-client';
import { pauseOf } from './temporal/parks';

/** Two accounts are one user: their limits and credits are one, and two ledgers would not see each other (S1). */
export class SameUser extends Error {
  override readonly name = 'SameUser';
}

interface Asked extends AskedWith {
  /** Where it failed: when it is asked again, and how long the service asked to wait, by `steadyNow()`. */
  againAt?: number;
  pausedUntil?: number;
}

/**
 * When it is asked again, unless the probe interval is over before: a person may end a pause; soon where it had to wait here.
 * S5: what has failed not sooner, for no queue counts these questions, and each worker asks.
 */
function waitOf(error: unknown): number {
  const isWaiting = error instanceof ApplicationFailure && error.type === FailureType.waiting;
  const pausedMs = pauseOf(error);
  if (pausedMs !== undefined) return Math.min(pausedMs, LISTENS_MS);
  return isWaiting ? WAITS_MS : Number.POSITIVE_INFINITY;
}
const WAITS_MS = 1_000;
const LISTENS_MS = 15_000;

/** S3: without a token of the user before, nobody can find out what became of a call in flight. */
const ANOTHER_USER =
  'Put a token of the user before back. If the account is to work for the new user, first end those runs: cancel them while the former token is in place, or terminate them. Then restart the workers.';

/** How often a worker says what it is configured with; it counts for twice as long. Divided by the account's speed. */
const RENEW_MS = LAPSES_AFTER_MS / 2;
/** How long a process that leaves waits for what it is still telling. */
const FAREWELL_AFTER_MS = 3_000;
/** How often it looks whether that is due, or the file has changed. */
const TICK_MS = 5_000;

/** Which account works for which ledger in this process. */
export type LedgerOwners = Map<string, string>;

export interface RuntimeOptions {
  /** @default as the account is configured */
  ceilings?: (account: Account) => Ceilings;
  /** How connections are made. */
  open?: Open;
  /**
   * How many runs are open that the account has begun, before a moment (ISO 8601), for another user than that of the ledger.
   * @default nobody looks
   */
  leftRuns?: (account: string, ledger: string, before: string) => Promise<number>;
}

export function createRuntime(
  account: Account,
  client: Client,
  storage: Storage,
  owners: LedgerOwners,
  log: Logger,
  { ceilings = (same) => same, open, leftRuns }: RuntimeOptions = {},
): AccountRuntime & Gauged & { whose(): Promise<string>; leave(): Promise<void>; close(): Promise<void> } {
  const gate = measuredGate(
    account.name,
    createGate({ limits: account.limits, sendWindowMs: account.timing.sendWindowMs }),
  );
  const renewMs = RENEW_MS / Math.max(1, account.speed);
  const worker = `${process.pid}@${hostname().slice(0, 100)}/${randomUUID()}`;
  const startedAt = new Date().toISOString();
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
  const apiWith = (token: TokenSource) => measuredApi(account.name, createAgentApi({ ...shared, token }));
  const api = apiWith(token);
  const warn = (what: string, error: unknown) => log.warn({ account: account.name, err: error }, what);
  const owner = new TokenOwner({
    ...{ account, client, gate, apiWith, configuration, warn },
    knownLedger: () => known?.ledger,
  });

  /**
   * S1, S3: the token has been replaced since, maybe by another user's: what is found of this one neither counts nor holds
   * anything, and who waits for it gets the ledger of the present one, which alone is sent with.
   */
  const isOutdated = (asking: Asked): boolean => asked !== asking;

  /** Asks the service once for each token; after a failure not again before {@link waitOf} is over. */
  async function resolveLedger(asking: Asked): Promise<BookedLedger> {
    const id = await owner
      .ledgerId(asking, () => !isOutdated(asking))
      .catch((error: unknown) => {
        if (isOutdated(asking)) return undefined;
        throw error;
      });
    if (id === undefined || isOutdated(asking)) return answer ?? ledger();
    if (known && known.ledger.workflowId !== id) {
      const theirs = owners.get(id);
      const sentence = `The token of account '${account.name}' belongs to another user than the one that it works for${theirs ? `, that of account '${theirs}'` : ''}; nothing is sent with it. ${ANOTHER_USER}`;
      log.error({ account: account.name, ledger: id }, sentence);
      await known.ledger.reportHold({
        kind: 'otherUser',
        reason: theirs ? `that of account '${theirs}'` : 'by its ID',
      });
      throw ApplicationFailure.nonRetryable(sentence, FailureType.held);
    }
    refuseSameUser(id);
    if (leftRuns && own?.workflowId !== id) {
      const begun = await leftRuns(account.name, id, startedAt).catch(notSeen);
      if (isOutdated(asking)) return answer ?? ledger();
      if (begun > 0) return refuseOthersRuns(id, begun);
      refuseSameUser(id);
    }
    owners.set(id, account.name);
    const found = own?.workflowId === id ? own : openLedger(id);
    await tell(found);
    if (isOutdated(asking)) return answer ?? ledger();
    if (asking.token !== undefined) known = { token: asking.token, ledger: found };
    return found;
  }

  function refuseSameUser(id: string): void {
    const other = owners.get(id);
    if (other !== undefined && other !== account.name) {
      const sentence = `The accounts '${other}' and '${account.name}' belong to the same user. Configure the user once: two accounts would each spend the whole limit.`;
      log.error({ account: account.name, ledger: id }, sentence);
      // S7: where it shows only once the worker runs, the runs say it.
      throw ApplicationFailure.create({
        ...{ message: sentence, type: FailureType.ledger, nonRetryable: true, cause: new SameUser(sentence) },
      });
    }
  }

  /** A worker begins without the server's lists as well. */
  function notSeen(error: unknown): number {
    warn('it could not be seen whether the account has open runs of another user', error);
    return 0;
  }

  /** S3: what was begun for another user does not go on for this one by a mere restart. */
  async function refuseOthersRuns(id: string, runs: number): Promise<never> {
    const sentence = `The token of account '${account.name}' belongs to another user than the one whom the account has worked for, and open runs were begun for that one (${runs}); nothing is sent. ${ANOTHER_USER}`;
    log.error({ account: account.name, ledger: id }, sentence);
    await owner.reportHold({ kind: 'otherUser', reason: 'by its ID' });
    throw ApplicationFailure.nonRetryable(sentence, FailureType.held);
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

  function ledger(): Promise<BookedLedger> {
    const now = owner.present();
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
    if (asked?.pausedUntil !== undefined) return Promise.reject(owner.mustWait(asked.pausedUntil - steadyNow()));
    // A call that asks now is granted by what is configured now.
    return (isDue(2 * renewMs) && tellAgain()) || answer;
  }

  return {
    account,
    api,
    gate,
    ledger,
    /** The workflow ID of that user's ledger, without opening it. */
    whose: () => owner.ledgerId({}, () => false),
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
