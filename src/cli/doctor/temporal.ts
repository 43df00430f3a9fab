/** What `doctor` sees of the Temporal server: that it answers, its settings, and who works there. */

import { temporal } from '@temporalio/proto';
import { queueClasses } from '../../agent-api/rate-class';
import { type Account, ConfigError } from '../../config';
import { rootMessage } from '../../root-cause';
import { type Connected, type ConnectionConfig, connectClient, TemporalUnreachable } from '../../temporal/connect';
import { encryptionKeyIds } from '../../temporal/encryption';
import { describeFailing, findFailing } from '../../temporal/failing-tasks';
import { fleetRequirement, unlikeFleet } from '../../temporal/fleet-keys';
import { isRefusal } from '../../temporal/grpc-status';
import { keysInUse } from '../../temporal/keys-in-use';
import { MORE_POLLS, tryPolls } from '../../temporal/pollers';
import { partitionsOf, wantedRates } from '../../temporal/queue-limits';
import { queueState } from '../../temporal/queue-workers';
import { controlQueueName, queueName, WORKFLOW_QUEUE } from '../../temporal/queues';
import { lackingAttributes } from '../../temporal/search-attributes';
import { TESTED_SERVERS, untestedServer } from '../../temporal/tested-servers';
import { bareWords, permission } from '../../temporal/unreachable';
import { PROGRAM } from '../../text/command';
import { utc } from '../../time/utc';
import { area, type Check } from './check';
import { TooLate, within } from './limit';
import { describeOlderKeys } from './older-keys';
import { queueLimit } from './queue-limit';
import { checkBuilds, checkOtherAccounts } from './without-workers';

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
const { ok, warning, wrong, unknown } = area('Temporal');

const MAY_WORK =
  'give workers a key or certificate that may write in this namespace; one that may only read is for looking, as here';
const START_WORKER = `start one: \`${PROGRAM} worker\``;
const SETTINGS =
  'start the server with matching.numTaskqueueReadPartitions=1, matching.numTaskqueueWritePartitions=1, ' +
  `matching.useNewMatcher=true, matching.enableFairness=true and history.maxInFlightUpdates=1000, as docker-compose.yml and \`${PROGRAM} dev\` do`;

export async function checkTemporal(
  config: ConnectionConfig,
  accounts: readonly Account[],
  limit: AbortSignal,
): Promise<Check[]> {
  let connected: Connected;
  try {
    connected = await within(limit, () => connectClient({ config }));
  } catch (error) {
    return [unusable(error)];
  }
  /** A server may refuse or not know a question; that is an answer, too. */
  const attempt = (name: string, look: () => Promise<Check>): Promise<Check> =>
    within(limit, look).catch((error: unknown) =>
      unknown(name, error instanceof TooLate ? error.message : `the server does not say: ${rootMessage(error)}`),
    );
  try {
    return [
      await attempt('server', () => server(connected, config)),
      await attempt('encryption', () => encryption(connected)),
      await attempt('search attributes', () => searchAttributes(connected)),
      await attempt('matching settings', () => matching(connected, accounts)),
      await attempt('workflow tasks', () => tasks(connected)),
      await attempt('workers', () => workers(connected, WORKFLOW_QUEUE, TASK_QUEUE_TYPE_WORKFLOW, 'workers')),
      await attempt('builds', () => checkBuilds(connected)),
      await attempt('polls', () => polls(connected)),
      ...(await Promise.all(accounts.flatMap((account) => queues(connected, account, attempt)))),
      await attempt('other accounts', () => checkOtherAccounts(connected, accounts)),
    ];
  } finally {
    await connected.close();
  }
}

/** Runs whose workflow tasks fail again and again say nothing themselves. */
async function tasks({ client }: Connected): Promise<Check> {
  const { failing, looked } = await findFailing(client);
  if (failing.length === 0) return ok('workflow tasks', `none fails of the open runs looked at (${looked})`);
  const mends = failing.map(({ workflowId, mend }) => (failing.length === 1 ? mend : `${workflowId}: ${mend}`));
  return wrong('workflow tasks', failing.map(describeFailing).join('; '), mends.join('; '));
}

type Attempt = (name: string, look: () => Promise<Check>) => Promise<Check>;

const ELSEWHERE = `start a server (docker compose up, or \`${PROGRAM} dev --real\`)`;

/** No configured account works there. */
export const SANDBOX_RUNS = wrong(
  'server',
  `that of the sandbox which \`${PROGRAM} dev\` runs in this folder`,
  `end it, and start \`${PROGRAM} dev --real\`; or name another server with TEMPORAL_ADDRESS`,
);

/** @param error of the connection, or of its configuration */
export function unusable(error: unknown): Check {
  if (error instanceof TemporalUnreachable) return wrong('server', error.found, error.mend);
  if (error instanceof ConfigError) return wrong('server', error.problems.join('; '), 'correct it, or unset it');
  return error instanceof TooLate ? unknown('server', error.message) : wrong('server', rootMessage(error), ELSEWHERE);
}

async function server({ connection }: Connected, { address, namespace }: ConnectionConfig): Promise<Check> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  return serverCheck(`${address}, namespace ${namespace}`, serverVersion);
}

/** A version that is not tested is no failure: most of them will do. */
export function serverCheck(where: string, version: string): Check {
  const found = `${where}, version ${version || '(it does not say)'}`;
  const words = untestedServer(version);
  if (words === undefined) return ok('server', found);
  return warning('server', `${found}, ${words}`, `use a server of ${TESTED_SERVERS}, or try it with the sandbox first`);
}

/** Beside the key that encrypts, whether the older ones can go. */
export async function encryption({ client }: Pick<Connected, 'client'>): Promise<Check> {
  let unlike: string | undefined;
  try {
    unlike = await unlikeFleet(client, process.env);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const found = `the server does not let us see which keys the workers have (${bareWords(error)}): no worker starts`;
    return wrong('encryption', found, permission(error));
  }
  if (unlike !== undefined) return wrong('encryption', unlike, 'see "Encrypt" in docs/administrators.md');
  const [first, ...older] = encryptionKeyIds(process.env);
  if (first === undefined) return ok('encryption', 'off: whoever can open a run can read its input');
  const needed = older.length > 0 ? describeOlderKeys(older, await keysInUse(client)) : { words: '', isKnown: true };
  const required = await fleetRequirement(client);
  const since = required
    ? `; required since ${utc(required.since)} UTC (what runs that were open then had under way is read until ${utc(required.until)} UTC)`
    : '; not required: workers take what is not encrypted, too';
  return (needed.isKnown ? ok : unknown)('encryption', `on, with the key ${first}${needed.words}${since}`);
}

async function searchAttributes({ connection, namespace }: Connected): Promise<Check> {
  const { listed, lacking } = await lackingAttributes(connection, namespace);
  if (lacking.length === 0) return ok('search attributes', 'all registered');
  const names = lacking.map(({ name, type }) => `${name} (${type})`).join(', ');
  return wrong(
    'search attributes',
    `${listed ? 'missing' : 'one or more are missing of'}: ${names}`,
    `\`${PROGRAM} setup\` registers them; in managed Temporal, add them to the namespace`,
  );
}

/** The partitions that are written to are seen from outside; how many are read from, and which matcher works on them, is not. */
export async function matching(
  { connection, namespace }: Pick<Connected, 'connection' | 'namespace'>,
  [account]: readonly Account[],
): Promise<Check> {
  const queue = account ? queueName(account.name, 'writes') : WORKFLOW_QUEUE;
  const partitions = await partitionsOf(connection, namespace, queue);
  if (partitions > 1)
    return warning(
      'matching settings',
      `${partitions} partitions in each queue: reads and polls come in bursts of that many`,
      `${SETTINGS}; on a server of others leave it so: the limits hold all the same`,
    );
  return ok(
    'matching settings',
    '1 partition is written to in each queue; from how many it is read cannot be seen from outside (it must be as many), nor can ' +
      'useNewMatcher and enableFairness (without them priority and fairness keys are ignored)',
  );
}

function queues(connected: Connected, account: Account, attempt: Attempt): Promise<Check>[] {
  const served = (queue: string) =>
    attempt(`workers on ${queue}`, () => workers(connected, queue, TASK_QUEUE_TYPE_ACTIVITY, `workers on ${queue}`));
  const limited = queueClasses.flatMap((rateClass) => {
    const queue = queueName(account.name, rateClass);
    const { connection, namespace } = connected;
    const limit = async () =>
      queueLimit(
        connected,
        account.name,
        rateClass,
        await wantedRates(connection, namespace, account.name, rateClass, account.limits[rateClass]),
      );
    return [attempt(`limit of ${queue}`, limit), served(queue)];
  });
  return [served(controlQueueName(account.name)), ...limited];
}

export async function polls(connected: Connected): Promise<Check> {
  const refused = await tryPolls(connected);
  if (!refused) return ok('polls', 'the server lets workers ask for work');
  const { words, isFull } = refused;
  return isFull
    ? wrong('polls', `the server refuses workers that ask for work (${words}), so runs stand still`, MORE_POLLS)
    : wrong('polls', `the server refuses a worker with the key or certificate of here (${words})`, MAY_WORK);
}

async function workers(
  connected: Connected,
  queue: string,
  taskQueueType: temporal.api.enums.v1.TaskQueueType,
  name: string,
): Promise<Check> {
  const { identities } = await queueState(connected, queue, taskQueueType);
  if (identities.length > 0) return ok(name, `${identities.length} on ${queue}: ${identities.join(', ')}`);
  return wrong(name, `none has asked ${queue} for work in the last minute`, START_WORKER);
}
