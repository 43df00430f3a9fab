/** `audit-runner status`: accounts, queues and runs at one glance; what stands still, and for whom. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { routes } from '../agent-api/routes';
import type { Config } from '../config';
import { describeHold } from '../ledger/describe-holds';
import { describeBudget, describeDearer, describePatience, describeState } from '../ledger/details';
import { type LedgerStatus, obstacleQuery } from '../ledger/messages';
import { describeShortage } from '../ledger/shortage';
import { leadSubject } from '../paying/subject';
import { BUDGET_STAGE } from '../runs/stages';
import { WORKFLOW_TYPES } from '../runs/workflow-types';
import { otherAccounts } from '../temporal/accounts-of-runs';
import { type DeploymentState, describeDeployment, readDeployments } from '../temporal/deployment';
import { describeMend, type FailingRun, findFailing } from '../temporal/failing-tasks';
import { MORE_POLLS, pollsRefused } from '../temporal/pollers';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { type StandingBuild, standingBuilds } from '../temporal/standing-builds';
import { quoted } from '../text/list-filter';
import { EXIT, Exit } from './exit';
import { findLedgers, readBooks } from './ledgers';
import { clearScreen, number, print, printJson, styled, table, tell } from './output';
import { accountQueues, describeUnattended, type QueueStatus, sharedQueue, unattended } from './queue-status';
import { configHere, type Reached, withServer } from './server';
import { EndSignals } from './signals';
import { describeWaiting, type WaitingRun, waitingRuns } from './waiting-runs';

export interface StatusOptions {
  json?: boolean;
  /** Again and again, until Ctrl-C. */
  watch?: boolean;
  config?: string;
}

/** One ledger; an account whose token became another user's has several. */
interface AccountStatus extends LedgerStatus {
  ledger: string;
  /** It is that of the user whom the workers work for. */
  present: boolean;
  /** Why credits cannot be spent now, and how many runs wait for that; absent where they can. */
  short?: { why: string; runs: number };
}

interface Status {
  accounts: AccountStatus[];
  queues: QueueStatus[];
  /** Runs under way, by type. */
  runs: Record<string, number>;
  /** Those that wait for a person, the longest first. */
  needsPerson: WaitingRun[];
  /** Those whose workflow tasks fail, the longest first. */
  failing: FailingRun[];
  /** Where workers are versioned: which build gets new runs, and which may end. */
  deployments: DeploymentState[];
  /** Builds that have something to do, and no worker. */
  standing: StandingBuild[];
  /** Why the server refuses workers that ask for work, in its words. */
  pollsRefused?: string;
}

const QUERY_MS = 20_000;
/** Between two looks of `--watch`. */
const WATCH_MS = 5_000;

export async function statusCommand({ watch, ...options }: StatusOptions): Promise<number> {
  const { accounts } = await configHere(options.config);
  return withServer('reads', async (connected) => {
    if (!watch) return look(connected, accounts, options.json);
    const signals = new EndSignals();
    while (!signals.aborted.aborted) {
      await look(connected, accounts, options.json, true).catch((error: unknown) =>
        tell(`This look failed; the next one is in a moment: ${error instanceof Error ? error.message : error}`),
      );
      await sleep(WATCH_MS, undefined, { signal: signals.aborted }).catch(() => undefined);
    }
    return EXIT.done;
  });
}

/** @returns what stands still, as an exit code */
async function look(
  connected: Reached,
  accounts: Config['accounts'],
  json: boolean | undefined,
  again = false,
): Promise<number> {
  const { client } = connected;
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
  const configured = Object.keys(accounts);
  const kept = [...new Set([...configured, ...ledgers.flatMap((ledger) => ledger?.account ?? [])])];
  const names = [...kept, ...(await otherAccounts(client, kept))];
  const refused = await pollsRefused(connected);
  const deployments = await readDeployments(client);
  const status: Status = {
    accounts: await Promise.all(
      withPresent(ledgers.flatMap((ledger) => ledger ?? [])).map((one) => withShortage(client, one, accounts)),
    ),
    queues: [await sharedQueue(connected), ...(await accountQueues(connected, names, configured))],
    runs: await runsOf(client),
    needsPerson: await waitingRuns(connected),
    failing: (await findFailing(client)).failing,
    deployments,
    standing: await standingBuilds(connected, deployments),
    ...(refused !== undefined && { pollsRefused: refused }),
  };
  // At a terminal each look takes the place of the one before.
  if (again && !json) clearScreen();
  if (json) printJson(status);
  else print(show(status, ledgers.length));
  const still =
    status.needsPerson.length > 0 ||
    status.failing.length > 0 ||
    status.standing.length > 0 ||
    status.accounts.some(
      ({ present, holds, short, booksTrouble, patientUntil }) =>
        present &&
        (holds.length > 0 || (short?.runs ?? 0) > 0 || booksTrouble !== undefined || patientUntil !== undefined),
    );
  return still || refused !== undefined || status.queues.some(unattended) ? EXIT.notAllDone : EXIT.done;
}

function withPresent(ledgers: readonly Omit<AccountStatus, 'present'>[]): AccountStatus[] {
  const latest = (account: string) =>
    Math.max(...ledgers.filter((one) => one.account === account).map(({ configuredAt = 0 }) => configuredAt));
  return ledgers.map((one) => ({ ...one, present: (one.configuredAt ?? 0) === latest(one.account) }));
}

/** Whether what a conversion costs may be spent now, and for how many runs it may not. */
async function withShortage(client: Client, one: AccountStatus, accounts: Config['accounts']): Promise<AccountStatus> {
  // Which limit leaves how much is known when a new ledger has its readings.
  if (!one.present || one.patientUntil !== undefined) return one;
  const credits = accounts[one.account]?.credits('leads.convert') ?? routes['leads.convert'].credits;
  // Its price of now, which is that of any lead.
  const asked = { credits, call: { subject: leadSubject('any'), credits } };
  const obstacle = await client
    .withDeadline(Date.now() + QUERY_MS, () => client.workflow.getHandle(one.ledger).query(obstacleQuery, asked))
    .catch(() => undefined);
  if (obstacle?.kind !== 'capped') return one;
  const waiting = `Stage = '${BUDGET_STAGE}' AND Account = ${quoted(one.account)} AND ExecutionStatus = 'Running'`;
  const { count: runs } = await client.workflow.count(waiting);
  return { ...one, short: { why: describeShortage(obstacle, obstacle.figures ?? one), runs } };
}

/** What an account's ledger lets through, and what keeps the rest. */
function stateOf(
  account: Pick<AccountStatus, 'holds' | 'restingSince' | 'booksTrouble' | 'patientUntil' | 'short'>,
): string {
  if (account.holds.length > 0) return describeState(account);
  if (account.booksTrouble !== undefined || account.patientUntil !== undefined) return 'nothing is paid';
  return account.short ? 'budget used up' : describeState(account);
}

async function runsOf(client: Client): Promise<Status['runs']> {
  const types = Object.keys(WORKFLOW_TYPES);
  const counts = await Promise.all(
    types.map((type) => client.workflow.count(`WorkflowType = '${type}' AND ExecutionStatus = 'Running'`)),
  );
  return Object.fromEntries(types.flatMap((type, i) => (counts[i]?.count ? [[type, counts[i].count]] : [])));
}

function show(
  { accounts, queues, runs, needsPerson, failing, deployments, standing, pollsRefused: refused }: Status,
  ledgers: number,
): string {
  const holds = accounts
    .filter(({ present }) => present)
    .flatMap(({ account, holds: all }) => all.map((hold) => `${account}: ${describeHold(hold)}`));
  const shortages = accounts.flatMap(({ account, short }) =>
    short ? [`${account}: ${short.why}${short.runs > 0 ? ` (runs that wait for it: ${number(short.runs)})` : ''}`] : [],
  );
  const several = accounts.some(({ present }) => !present);
  const silent = ledgers - accounts.length - failing.filter(({ type }) => type === 'accountLedger').length;
  const working = queues.some(({ queue, workers }) => queue === WORKFLOW_QUEUE && workers > 0);
  const mayBe = standing.length > 0 ? 'A build has no workers, see above.' : 'The workers may be busy.';
  const unserved = queues.filter(unattended);
  const { found, mend } = describeUnattended(unserved);
  return [
    ...failing.map((run) => styled('red', describeMend(run))),
    ...standing.map((build) => `${styled('red', build.found)}; to mend it, ${build.mend}`),
    accounts.length === 0
      ? ledgers === 0
        ? 'No account has a ledger yet: a worker opens it when it starts.'
        : 'No ledger answers.'
      : table(
          ['account', 'balance', 'reserved', 'spent today', 'state', ...(several ? ['ledger'] : [])],
          accounts.map(({ account, balance, reserved, spentToday, present, ledger, ...rest }) => [
            ...[account, balance ?? null, reserved, spentToday],
            present ? stateOf(rest) : 'an earlier user',
            ...(several ? [ledger] : []),
          ]),
        ),
    ...(silent > 0 ? [`Ledgers that do not answer: ${silent}. ${working ? mayBe : 'No worker is running.'}`] : []),
    ...[...holds, ...shortages].map((why) => styled('yellow', why)),
    ...accounts
      .filter(({ present }) => present)
      .flatMap(({ account, budget, dearer, booksTrouble, patientUntil, isComparing }) => [
        ...(patientUntil === undefined
          ? []
          : [styled('yellow', `${account}: ${describePatience(patientUntil, isComparing)}`)]),
        ...(booksTrouble === undefined ? [] : [styled('yellow', `${account}: ${booksTrouble}`)]),
        ...dearer.map((price) => styled('yellow', `${account}: ${describeDearer(price)}`)),
        `${account}: ${describeBudget(budget).join('; ')}`,
      ]),
    table(
      ['queue', 'backlog', 'workers', 'a minute'],
      queues.map(({ queue, backlog, workers, perMinute }) => [queue, backlog, workers, perMinute ?? null]),
    ),
    ...(refused === undefined
      ? []
      : [
          `${styled('red', 'The Temporal server refuses workers that ask for work')} (${refused}), so runs stand still: ${MORE_POLLS}`,
        ]),
    ...(unserved.length > 0 ? [`${styled('red', found)}; ${mend}`] : []),
    `Runs under way: ${
      Object.entries(runs)
        .map(([type, count]) => `${number(count)} ${type}`)
        .join(', ') || 'none'
    }`,
    ...deployments.map(describeDeployment),
    describeWaiting(needsPerson),
  ].join('\n\n');
}
