/**
 * What the ledger, the queues and the list of runs say of an account, as gauges. Each worker asks by itself and seldom, only
 * where metrics are on, and never the Agent API.
 */
import type { Client, ConnectionLike } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Logger } from 'pino';
import { queueClasses, rateClasses } from '../agent-api/rate-class';
import type { Account } from '../config';
import { HOLD_KINDS } from '../ledger';
import type { LedgerStatus } from '../ledger/messages';
import { gauge } from '../metrics/meter';
import type { LedgerClient } from './ledger-client';
import { PersonWaits } from './person-waits';
import { queueState } from './queue-workers';
import { controlQueueName, queueName } from './queues';

/** Queries of one round are worth this long: the next one asks again. */
const ROUND_MS = 20_000;
const EVERY_MS = 60_000;
/** The first round is made when all ledgers are known, or after this; how often that is looked at. */
const FIRST_WITHIN_MS = 30_000;
const LOOK_MS = 250;
const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** An account that a worker works for. */
export interface Gauged {
  readonly account: Account;
  /** Its ledger, once this process knows it: for gauges nobody asks the service whose token it is. */
  knownLedger(): LedgerClient | undefined;
}

export interface GaugesOptions {
  accounts: readonly Gauged[];
  client: Client;
  connection: ConnectionLike;
  namespace: string;
  log: Logger;
  /** Time between two rounds, milliseconds. @default 60,000 */
  everyMs?: number | undefined;
}

/** Sets the gauges now and then. @returns ends that; what is being asked is left alone */
export function keepGauges({ accounts, everyMs = EVERY_MS, ...asking }: GaugesOptions): () => void {
  const rounds = accounts.map(({ account, knownLedger }) => {
    setConfigured(account);
    const waits = new PersonWaits(asking.client, account.name);
    return async () => {
      const tasks = [ledgerRound(account, knownLedger()), queueRound(account, asking), waits.round()];
      for (const result of await Promise.allSettled(tasks))
        if (result.status === 'rejected')
          asking.log.debug({ account: account.name, err: result.reason }, 'some gauges could not be read');
    };
  });
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const again = async () => {
    await asking.client.withDeadline(Date.now() + ROUND_MS, () => Promise.all(rounds.map((round) => round())));
    // A round begins when the one before has ended: a slow server is not asked ever more.
    if (!stopped) timer = setTimeout(start, everyMs).unref();
  };
  const start = () => void again().catch((error) => asking.log.debug({ err: error }, 'gauges end'));
  const startAt = performance.now() + FIRST_WITHIN_MS;
  // A worker opens the ledgers while it starts: without this, a new one would show nothing of them for a minute.
  const begin = () => {
    const isReady = performance.now() > startAt || accounts.every(({ knownLedger }) => knownLedger() !== undefined);
    if (isReady) start();
    else timer = setTimeout(begin, LOOK_MS).unref();
  };
  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function setConfigured({ name, limits, credits }: Account): void {
  gauge('audit_runner_worker', { account: name }, 1);
  gauge('audit_runner_ledger_read_timestamp_seconds', { account: name }, 0);
  gauge('audit_runner_credits_conversion_price', { account: name }, credits('leads.convert'));
  for (const queue of queueClasses) {
    const { max, windowMs } = limits[queue];
    gauge('audit_runner_quota_per_minute', { account: name, queue }, (max * 60_000) / windowMs);
  }
}

async function ledgerRound({ name, timing }: Account, ledger: LedgerClient | undefined): Promise<void> {
  const status = await ledger?.status();
  if (!ledger || !status) return;
  const account = { account: name };
  if (status.balance !== undefined) gauge('audit_runner_credits_balance', account, status.balance);
  gauge('audit_runner_credits_reserved', account, status.reserved);
  gauge('audit_runner_credits_spent_today', account, status.spentToday);
  gauge('audit_runner_credits_per_day', account, status.budget.perDay ?? Number.POSITIVE_INFINITY);
  gauge('audit_runner_credits_floor', account, status.budget.balanceFloor);
  for (const kind of HOLD_KINDS)
    gauge('audit_runner_hold_since_timestamp_seconds', { account: name, hold: kind }, heldSince(status, kind) / 1_000);
  for (const rateClass of rateClasses) {
    const until = status.parked[rateClass] ?? 0;
    gauge('audit_runner_parked_until_timestamp_seconds', { account: name, rate_class: rateClass }, until / 1_000);
  }
  gauge('audit_runner_sends_open', account, status.open.length);
  const settling = status.open.filter(({ overAt }) => overAt - timing.settlingMs <= ledger.now());
  gauge('audit_runner_sends_settling', account, settling.length);
  gauge('audit_runner_ledger_read_timestamp_seconds', account, Date.now() / 1_000);
}

const heldSince = ({ holds }: LedgerStatus, kind: string) => holds.find((hold) => hold.kind === kind)?.since ?? 0;

async function queueRound({ name }: Account, connected: Pick<GaugesOptions, 'connection' | 'namespace'>) {
  const queues = [['control', controlQueueName(name)], ...queueClasses.map((each) => [each, queueName(name, each)])];
  for (const [label = '', queue = ''] of queues) {
    const { backlog } = await queueState(connected, queue, TASK_QUEUE_TYPE_ACTIVITY);
    gauge('audit_runner_queue_backlog', { account: name, queue: label }, backlog);
  }
}
