/**
 * The keys that the workers of a namespace have: a worker that lacks one must not take its tasks, since it would read marks
 * where the others read data. Nor must one that has a key join those that have none, or one that requires encryption those
 * that do not: they would come to different things of the same history.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { ConfigError } from '../config/problems';
import { rootMessage } from '../root-cause';
import { GRACE_MS, type Requirement } from '../runs/origins';
import { PROGRAM } from '../text/command';
import { dataConverter, encryptionCodec, encryptionKeyIds } from './encryption';
import { KEYS_ARE_IN } from './encryption-keys';
import type { Env, Log } from './environment';
import { FLEET_KEYS, fleetKeys, noteKeys, requiredSince, requireEncryption, requireNoMore } from './fleet-record';
import { grpcStatus, serverWords } from './grpc-status';
import { inputKeysOf, type KeysInUse, ledgerKeysInUse } from './keys-in-use';
import { queueState } from './queue-workers';
import { WORKFLOW_QUEUE } from './queues';
import { TolerantCodec } from './tolerant';
import { TemporalUnreachable } from './unreachable';

/** The server lists a worker for so long after its last request. */
const OTHERS_GONE_AFTER_MS = 75_000;
const LOOK_EVERY_MS = 1_000;

/** What a worker has of encryption. */
export interface Keyed {
  /** The IDs of its keys, newest first; none without encryption. */
  own: readonly string[];
  requires: boolean;
}

/** As what a worker asks for work: who joins sees by it whether they read alike. Without keys it is the SDK's own. */
export const workerIdentity = ({ own, requires }: Keyed): string =>
  `${process.pid}@${hostname()}${own.length > 0 ? ` keys:${own.join('+')}${requires ? ' required' : ''}` : ''}`;

const KEYED = / keys:[0-9a-f+]+( required)?$/;
/** What an identity says of a worker's encryption; another version says nothing. */
function keyedOf(identity: string): 'none' | 'keyed' | 'required' {
  const found = KEYED.exec(identity);
  return found ? (found[1] ? 'required' : 'keyed') : 'none';
}

/** Since when encryption is required, and until when what is older is read; undefined where it is not. */
export async function fleetRequirement(client: Client): Promise<Requirement | undefined> {
  const since = await requiredSince(client);
  return since === undefined ? undefined : requirement(since);
}

const requirement = (since: number): Requirement => ({ since, until: since + GRACE_MS });

/**
 * How the workers of a namespace read. @param requires whether encryption is required there
 * @returns undefined where nothing needs converting
 */
export const workersConverter = (client: Client, namespace: string, requires: boolean, env: Env = process.env) =>
  dataConverter(
    env,
    namespace,
    new TolerantCodec(encryptionCodec(env, namespace), { isFleets: (keyId) => isFleetKey(client, keyId), requires }),
  );

export const isFleetKey = async (client: Client, keyId: string): Promise<boolean> =>
  (await fleetKeys(client))?.includes(keyId) === true;

/**
 * Why a command cannot work beside the workers: it could not read what they wrote and would write what all can read, or
 * they could not read what it writes. undefined: it can.
 */
export async function unlikeFleet(client: Client, env: Env): Promise<string | undefined> {
  const known = await fleetKeys(client);
  if (known === undefined) return undefined;
  const own = encryptionKeyIds(env);
  const missing = known.filter((id) => !own.includes(id));
  if (missing.length > 0)
    return `${KEYS_ARE_IN}: the workers of this namespace have keys that are missing here: ${missing.join(' and ')}. Set the variable as the workers have it.`;
  const [first = ''] = own;
  if (known.includes(first)) return undefined;
  return `${KEYS_ARE_IN}: the workers of this namespace lack the key ${first}, and could not read what is encrypted with it here. Give it to them first, behind the old one.`;
}

/** A worker that is about to begin. */
export interface Joining extends Keyed {
  /** The workflow IDs of the ledgers that the worker works for. Asked only where one may be in a key that it lacks. */
  ledgers(): Promise<ReadonlySet<string>>;
  log?: Log;
  /** How long it waits until workers that are not alike have gone, milliseconds. @default 75,000 */
  patienceMs?: number;
}

/**
 * Before a worker takes its first task: it has every key that the others have, they learn of those that it has besides, and
 * all of them require encryption or none.
 * @returns what is required from then on, if anything
 * @throws ConfigError where it lacks a key, or others work that are not alike
 */
export async function joinFleet(client: Client, joining: Joining): Promise<Requirement | undefined> {
  const { own, requires } = joining;
  const known = await fleetKeys(client);
  requireNone((known ?? []).filter((id) => !own.includes(id)));
  if (known === undefined) await requireLedgerKeys(client, joining);
  await untilAlike(client, joining);
  // Others may have begun at the same moment.
  if (own.length > 0) requireNone(await noteKeys(client, own));
  if (requires) return requirement(await requireEncryption(client));
  await requireNoMore(client);
  return undefined;
}

function requireNone(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new ConfigError([
    `${KEYS_ARE_IN}: other workers of this namespace have the key ${missing.join(' and ')}, and this one does not: it could not read what they wrote. Add it, behind a comma. Where nothing is encrypted with it any more (\`${PROGRAM} doctor\` says so), delete the schedule ${FLEET_KEYS}; workers that start write it anew.`,
  ]);
}

/** Somebody may have deleted the schedule too early: a ledger that no worker can read stands still, and with it all that pays. */
async function requireLedgerKeys(client: Client, { own, ledgers }: Joining): Promise<void> {
  const inUse = await ledgerKeysInUse(client).catch((error: unknown) => withoutLists(client, ledgers, error));
  const lacking = [...inUse].filter(([key]) => !own.includes(key));
  if (lacking.length === 0) return;
  // Anybody can start a run that is called like a ledger.
  const ours = await ledgers().catch((error: unknown) => {
    const keys = lacking.map(([key]) => key).join(' and ');
    throw new ConfigError([
      `${KEYS_ARE_IN}: a ledger was written with the key ${keys}, which this worker does not have, and it cannot find out whether it is its own: ${rootMessage(error)}`,
    ]);
  });
  const needed = lacking.flatMap(([key, all]) => {
    const mine = all.filter((ledger) => ours.has(ledger));
    return mine.length > 0 ? [`${mine.join(' and ')} was written with the key ${key}`] : [];
  });
  if (needed.length > 0)
    throw new ConfigError(
      needed.map(
        (what) =>
          `${KEYS_ARE_IN}: ${what}, which this worker does not have. Add it, behind a comma, until the ledger has begun anew.`,
      ),
    );
}

/**
 * Runs go on without the server's lists, and so do workers, be the lists away or refused to us: whose ledgers are theirs, the
 * service can tell as well.
 */
async function withoutLists(client: Client, ledgers: Joining['ledgers'], error: unknown): Promise<KeysInUse> {
  if (grpcStatus(error) === undefined) throw error;
  const ours = await ledgers().catch((cause: unknown) => {
    throw new TemporalUnreachable(
      `the lists of the Temporal server do not answer (${serverWords(error)}), so it is not known whether a ledger needs an encryption key that this worker lacks`,
      `without them a worker begins only where the service tells whose its token is: ${rootMessage(cause)}`,
      { cause: error },
    );
  });
  return inputKeysOf(client, ours);
}

const LIKE = { none: 'without a key', keyed: 'with a key', required: 'with encryption.require' };

/** A worker that has just ended is still listed for a while. */
async function untilAlike(client: Client, joining: Joining): Promise<void> {
  const { own, requires, log, patienceMs = OTHERS_GONE_AFTER_MS } = joining;
  const wanted = own.length === 0 ? 'none' : requires ? 'required' : 'keyed';
  const { connection, options } = client;
  const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
  const until = performance.now() + patienceMs;
  for (let looks = 0; ; looks++) {
    const { identities } = await queueState(
      { connection, namespace: options.namespace },
      WORKFLOW_QUEUE,
      TASK_QUEUE_TYPE_WORKFLOW,
    );
    const others = [...new Set(identities.filter((identity) => keyedOf(identity) !== wanted))];
    if (others.length === 0) return;
    const who = `workers that are not ${LIKE[wanted]}, as this one is, or of an earlier version, work in this namespace: ${others.slice(0, 3).join(', ')}`;
    if (performance.now() >= until)
      throw new ConfigError([`${who}. They would read the same runs otherwise. End all of them, then start this one.`]);
    if (looks === 0) log?.(`${who}; waiting until they have ended, ${Math.round(patienceMs / 1_000)} s at most`);
    await sleep(LOOK_EVERY_MS);
  }
}
