/** `audit-runner status`: accounts, queues and runs at one glance; what stands still, and for whom. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { describeBudget, describeDearer, describeHold, describeState } from '../../workflows/ledger/details';
import type { LedgerStatus } from '../../workflows/ledger/messages';
import { loadConfig } from '../config';
import { WORKFLOW_TYPES } from '../policy/workflow-types';
import type { Connected } from '../temporal/connect';
import { readQueueLimit } from '../temporal/queue-limits';
import { queueState } from '../temporal/queue-workers';
import { QUEUE_CLASSES, queueName, WORKFLOW_QUEUE } from '../temporal/queues';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { EXIT, Exit } from './exit';
import { number, print, printJson, styled, table } from './output';
import { linkTo, withServer } from './server';
import { findLedgers, readBooks } from './spend';

export interface StatusOptions {
  json?: boolean;
  config?: string;
}

interface QueueStatus {
  queue: string;
  /** Of an account of the configuration. */
  configured: boolean;
  /** Tasks that wait in it, about. */
  backlog: number;
  workers: number;
  /** Requests a minute that it lets through; absent where it has no limit. */
  perMinute?: number;
}

interface WaitingRun {
  workflowId: string;
  type: string;
  stage?: string;
  since: string;
  link?: string;
}

/** One ledger; an account whose token became another user's has several. */
interface AccountStatus extends LedgerStatus {
  ledger: string;
  /** It is that of the user whom the workers work for. */
  present: boolean;
}

interface Status {
  accounts: AccountStatus[];
  queues: QueueStatus[];
  /** Runs under way, by type. */
  runs: Record<string, number>;
  /** Those that wait for a person, the longest first. */
  needsPerson: WaitingRun[];
}

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
const MOST_WAITING = 50;

export async function statusCommand({ json, config: file }: StatusOptions): Promise<number> {
  const { accounts } = loadConfig({ env: process.env, file });
  return withServer('reads', async (connected) => {
    const { client, server, namespace } = connected;
    const { uiUrl } = server;
    const ledgers = await Promise.all(
      (await findLedgers(client, undefined)).map((ledger) =>
        readBooks(client, ledger).then(
          ({ status }) => ({ ...status, ledger }),
          (error: unknown) => {
            if (error instanceof Exit) return undefined;
            throw error;
          },
        ),
      ),
    );
    const names = [...new Set([...Object.keys(accounts), ...ledgers.flatMap((ledger) => ledger?.account ?? [])])];
    const status: Status = {
      accounts: withPresent(ledgers.flatMap((ledger) => ledger ?? [])),
      queues: await queuesOf(connected, names, Object.keys(accounts)),
      runs: await runsOf(client),
      needsPerson: await waitingOf(client, (id) => uiUrl && linkTo(uiUrl, namespace, id)),
    };
    if (json) printJson(status);
    else print(show(status, ledgers.length));
    const still =
      status.needsPerson.length > 0 || status.accounts.some(({ present, holds }) => present && holds.length > 0);
    return still || status.queues.some(unattended) ? EXIT.notAllDone : EXIT.done;
  });
}

function withPresent(ledgers: readonly Omit<AccountStatus, 'present'>[]): AccountStatus[] {
  const latest = (account: string) =>
    Math.max(...ledgers.filter((one) => one.account === account).map(({ configuredAt = 0 }) => configuredAt));
  return ledgers.map((one) => ({ ...one, present: (one.configuredAt ?? 0) === latest(one.account) }));
}

/** Nobody would take work from it, or nobody takes what is there. Queues of accounts that were removed may be idle. */
const unattended = ({ backlog, workers, configured }: QueueStatus) => workers === 0 && (backlog > 0 || configured);

function queuesOf(
  connected: Connected,
  accounts: readonly string[],
  configured: readonly string[],
): Promise<QueueStatus[]> {
  return Promise.all([
    queueOf(connected, WORKFLOW_QUEUE, true),
    ...accounts.flatMap((account) =>
      QUEUE_CLASSES.map((rateClass) => queueOf(connected, queueName(account, rateClass), configured.includes(account))),
    ),
  ]);
}

async function queueOf(connected: Connected, queue: string, configured: boolean): Promise<QueueStatus> {
  const types =
    queue === WORKFLOW_QUEUE ? [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY] : [TASK_QUEUE_TYPE_ACTIVITY];
  const states = await Promise.all(types.map((type) => queueState(connected, queue, type)));
  const { connection, namespace } = connected;
  const limit = queue === WORKFLOW_QUEUE ? undefined : await readQueueLimit(connection, namespace, queue);
  return {
    ...{ queue, configured },
    backlog: states.reduce((sum, { backlog }) => sum + backlog, 0),
    workers: new Set(states.flatMap(({ identities }) => identities)).size,
    ...(limit && { perMinute: Math.round(limit.rate * 6_000) / 100 }),
  };
}

async function runsOf(client: Client): Promise<Status['runs']> {
  const types = Object.keys(WORKFLOW_TYPES);
  const counts = await Promise.all(
    types.map((type) => client.workflow.count(`WorkflowType = '${type}' AND ExecutionStatus = 'Running'`)),
  );
  return Object.fromEntries(types.flatMap((type, i) => (counts[i]?.count ? [[type, counts[i].count]] : [])));
}

async function waitingOf(client: Client, link: (workflowId: string) => string | undefined): Promise<WaitingRun[]> {
  const waiting: WaitingRun[] = [];
  const query = "NeedsPerson = true AND ExecutionStatus = 'Running'";
  for await (const { workflowId, type, startTime, typedSearchAttributes } of client.workflow.list({ query })) {
    if (waiting.length === MOST_WAITING) break;
    const stage = typedSearchAttributes.get(searchAttributeKeys.stage);
    const address = link(workflowId);
    waiting.push({
      ...{ workflowId, type, since: startTime.toISOString() },
      ...(stage && { stage }),
      ...(address && { link: address }),
    });
  }
  return waiting.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function show({ accounts, queues, runs, needsPerson }: Status, ledgers: number): string {
  const holds = accounts
    .filter(({ present }) => present)
    .flatMap(({ account, holds: all }) => all.map((hold) => `${account}: ${describeHold(hold)}`));
  const several = accounts.some(({ present }) => !present);
  const silent = ledgers - accounts.length;
  const unserved = queues.filter(unattended);
  const tasks = unserved.reduce((sum, { backlog }) => sum + backlog, 0);
  return [
    accounts.length === 0
      ? 'No account has a ledger yet: a worker opens it when it starts.'
      : table(
          ['account', 'balance', 'reserved', 'spent today', 'state', ...(several ? ['ledger'] : [])],
          accounts.map(({ account, balance, reserved, spentToday, present, ledger, ...rest }) => [
            ...[account, balance ?? null, reserved, spentToday],
            present ? describeState(rest) : 'an earlier user',
            ...(several ? [ledger] : []),
          ]),
        ),
    ...(silent > 0 ? [`${silent} ledgers do not answer: no worker is running.`] : []),
    ...holds.map((hold) => styled('yellow', hold)),
    ...accounts
      .filter(({ present }) => present)
      .flatMap(({ account, budget, dearer }) => [
        ...dearer.map((price) => styled('yellow', `${account}: ${describeDearer(price)}`)),
        `${account}: ${describeBudget(budget).join('; ')}`,
      ]),
    table(
      ['queue', 'backlog', 'workers', 'a minute'],
      queues.map(({ queue, backlog, workers, perMinute }) => [queue, backlog, workers, perMinute ?? null]),
    ),
    ...(unserved.length > 0
      ? [
          styled('red', `No worker takes from ${unserved.map(({ queue }) => queue).join(', ')}`) +
            `${tasks > 0 ? ` (tasks that wait: ${number(tasks)})` : ''}; start one: audit-runner worker`,
        ]
      : []),
    `Runs under way: ${
      Object.entries(runs)
        .map(([type, count]) => `${number(count)} ${type}`)
        .join(', ') || 'none'
    }`,
    needsPerson.length === 0
      ? 'Nothing waits for a person.'
      : `${styled('bold', 'Waiting for a person')}\n${table(
          ['run', 'type', 'at', 'begun (UTC)'],
          needsPerson.map(({ workflowId, type, stage, since }) => [workflowId, type, stage, since.slice(0, 19)]),
        )}`,
  ].join('\n\n');
}
