/** Talks to one user's ledger (workflow `accountLedger`): asks it, and tells it. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  QueryNotRegisteredError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { BeginAnswer, BeginSend, Budget, Hold, LedgerStart, Settle } from '../ledger';
import {
  beginSendUpdate,
  claimsQuery,
  configureUpdate,
  type LedgerStatus,
  leaveUpdate,
  type Obstacle,
  type ObstacleAsked,
  obstacleQuery,
  parkUpdate,
  readBalanceUpdate,
  reportHoldUpdate,
  type SubjectState,
  settleUpdate,
  statusQuery,
  subjectQuery,
  type TurnOf,
  takeTurnUpdate,
} from '../ledger/messages';
import type { Passage } from '../ledger/passage';
import { count } from '../metrics/meter';
import { rootMessage } from '../root-cause';
import { FailureType } from '../runs/failure-types';
import { steadyNow } from '../steady-clock';
import { LedgerNews } from './ledger-news';
import { isOpening, LedgerUpdates, ONE_TRY_MS } from './ledger-updates';
import { ServerClock } from './server-clock';

/** A worker that ends says so, if the ledger listens. */
const LEAVE_WITHIN_MS = 8_000;
/** A ledger that cannot answer yet is asked again after this. */
const ASKED_AGAIN_MS = 1_000;
/** S3: nobody can say which day it is where the clocks differ by more. */
const APART_MS = 86_400_000;
const CLOCKS_APART =
  "the Temporal server's clock and this machine's differ by more than a day, so it is not known on which day something is paid; set the one that is wrong";

/** S7: told to the run that needs the ledger, which says so; of what Temporal repeats by itself nobody sees why. */
export const ledgerAway = (why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `The account's ledger is not available: ${why.replace(/\.$/, '')}.`,
    FailureType.ledger,
  );

/** What this process is configured with, for its account. */
export interface LedgerConfig extends LedgerStart {
  /** Least time between two probes while the account is on hold, milliseconds. */
  probeEveryMs: number;
}

export class LedgerClient {
  /** What became of a payment is told also when the activity that paid is cancelled, whose context ends its calls. */
  protected readonly apart = AsyncLocalStorage.snapshot();
  private opening: Promise<void> | undefined;
  private readonly clock = new ServerClock();
  private readonly news: LedgerNews;
  private readonly updates: LedgerUpdates;
  private own: LedgerConfig & { worker: string };

  /** @param config its `worker` is made up when it is absent */
  constructor(
    protected readonly client: Client,
    readonly workflowId: string,
    config: LedgerConfig,
  ) {
    this.own = { worker: randomUUID(), ...config };
    this.news = new LedgerNews(client, workflowId, () => this.openAgain());
    this.updates = new LedgerUpdates(client, workflowId, config.account);
  }

  get config(): LedgerConfig {
    return this.own;
  }

  /** What the ledger is told of it. */
  get configured(): LedgerStart {
    const { probeEveryMs: _, ...said } = this.own;
    return said;
  }

  /** The run of the ledger that has answered last: when it is gone without a trace, this process knows of it. */
  get lastRunId(): string | undefined {
    return this.updates.lastRunId;
  }

  /** The server's time, with which the moments that the ledger tells are compared; milliseconds since 1970. */
  now(): number {
    return this.clock.now();
  }

  /** S1, S3: may this attempt send, now? It is sent by the timing of this process, which the ledger is told. */
  async beginSend(request: Omit<BeginSend, 'sender'>): Promise<BeginAnswer> {
    const { sendWindowMs, paidTimeoutMs, settlingMs } = this.config.timing;
    const asked = { ...request, sender: { sendWindowMs, paidTimeoutMs, settlingMs } };
    try {
      // A grant that comes after the send window is of no use.
      return await this.updates.send(beginSendUpdate, asked, `begin:${request.attempt}`, { patienceMs: sendWindowMs });
    } catch (error) {
      if (!isOpening(error)) throw error;
      return { kind: 'patient', until: this.now() + sendWindowMs };
    }
  }

  /**
   * S5: is it the turn of a request that needs no grant?
   * @returns after how many milliseconds to ask again, 0 for now; undefined where the ledger gives none: its run is of before
   */
  async takeTurn(turn: TurnOf): Promise<number | undefined> {
    const { sendWindowMs } = this.config.timing;
    try {
      const said = await this.updates.send(takeTurnUpdate, turn, `turn:${randomUUID()}`, { patienceMs: sendWindowMs });
      return 'inMs' in said ? said.inMs : undefined;
    } catch (error) {
      if (isOpening(error)) return sendWindowMs;
      if (error instanceof WorkflowUpdateFailedError) return undefined;
      throw error;
    }
  }

  /** Books what became of an attempt; answers the credits booked by this call. */
  async settle(request: Settle): Promise<number> {
    const id = `settle:${request.subject}:${request.attempt}:${randomUUID()}`;
    const booked = await this.apart(() => this.updates.send(settleUpdate, request, id, { insists: true }));
    count('audit_runner_credits_booked_total', { account: this.own.account }, booked);
    return booked;
  }

  /** Tells the ledger this process's configuration. @param budget where it has changed */
  async configure(budget: Budget = this.own.budget): Promise<void> {
    this.own = { ...this.own, budget };
    await this.timed(() => this.updates.send(configureUpdate, this.configured, `configure:${randomUUID()}`));
  }

  /** This process ends: what it is configured with counts no longer. Nobody is kept waiting for it. */
  async leave(): Promise<void> {
    const { worker } = this.own;
    const handle = this.client.workflow.getHandle(this.workflowId);
    await this.client
      .withDeadline(Date.now() + LEAVE_WITHIN_MS, () => handle.executeUpdate(leaveUpdate, { args: [{ worker }] }))
      .catch(() => undefined);
  }

  /** Has the balance read; answers the moment from which on a reading that is asked for counts, by the server's clock. */
  readBalance(): Promise<number> {
    return this.timed(() => this.updates.send(readBalanceUpdate, {}, `read:${randomUUID()}`));
  }

  /** What is answered with the server's time. */
  private async timed(ask: () => Promise<number>): Promise<number> {
    const askedAt = steadyNow();
    const at = await ask();
    if (Math.abs(at - Date.now()) > APART_MS) throw ledgerAway(CLOCKS_APART);
    this.clock.heard(at, askedAt);
    return at;
  }

  /**
   * Puts the account on hold, once per kind. Not insisted on: whatever is sent next meets it again.
   * @throws ApplicationFailure `LedgerFailing`: nobody else hears of the hold, so the run says what stands in the way (S7)
   */
  async reportHold(hold: Omit<Hold, 'since'>): Promise<void> {
    const said = { ...hold, since: 0 };
    const id = `hold:${hold.kind}:${randomUUID()}`;
    await this.updates.send(reportHoldUpdate, said, id, { patienceMs: ONE_TRY_MS }).catch((error) => {
      throw error instanceof ApplicationFailure ? error : ledgerAway(rootMessage(error));
    });
    this.news.forget();
  }

  /** Parks a rate class for all processes, for so many milliseconds from now. */
  park(rateClass: string, forMs: number): Promise<void> {
    return this.updates.send(parkUpdate, { rateClass, forMs }, `park:${rateClass}:${randomUUID()}`);
  }

  /** What lets calls leave or not, at most a second old; see {@link LedgerNews}. */
  passage(): Promise<Passage | undefined> {
    return this.news.passage();
  }

  /** What was heard of that last. */
  get lastPassage(): Passage | undefined {
    return this.news.lastPassage;
  }

  /** The status, at most a second old; undefined when there is no ledger yet or it does not answer soon. */
  status(): Promise<LedgerStatus | undefined> {
    return this.news.status();
  }

  /** For those who only ask. Nobody waits for this: opening may take minutes. */
  private openAgain(): void {
    this.opening ??= this.apart(() => this.configure())
      .catch(() => undefined)
      .finally(() => {
        this.opening = undefined;
      });
  }

  /** What recently settled subjects became, but for one. */
  claims(but: string): Promise<string[]> {
    return this.answered((ledger) => ledger.query(claimsQuery, but));
  }

  /** What may be under way, as of now. */
  async open(): Promise<LedgerStatus['open']> {
    const { open } = await this.answered((ledger) => ledger.query(statusQuery));
    return open;
  }

  /** What stands in the way of spending so many credits more, or what a call costs now. */
  obstacle(asked: ObstacleAsked): Promise<Obstacle> {
    return this.answered((ledger) => ledger.query(obstacleQuery, asked));
  }

  subject(subject: string): Promise<SubjectState> {
    return this.answered((ledger) => ledger.query(subjectQuery, subject));
  }

  /** Why the ledger cannot answer. */
  trouble(): Promise<string | undefined> {
    return this.updates.trouble();
  }

  private async answered<T>(ask: (ledger: WorkflowHandle) => Promise<T>): Promise<T> {
    for (const deadline = Date.now() + ONE_TRY_MS; ; await sleep(ASKED_AGAIN_MS)) {
      try {
        return await ask(this.client.workflow.getHandle(this.workflowId));
      } catch (error) {
        // Whoever only asks would wait for ever for one that was deleted.
        if (error instanceof WorkflowNotFoundError) this.openAgain();
        await this.updates.throwIfStuck();
        if (!(error instanceof QueryNotRegisteredError)) throw error;
        // S7: it answers that it cannot, mostly since its books are not open yet; after the loss of one that takes minutes.
        if (Date.now() > deadline) throw ledgerAway(error.message);
      }
    }
  }
}
