/**
 * The keys that the workers of a namespace have: a worker that lacks one must not take its tasks, since it would read marks
 * where the others read data. They are kept on the server, by their IDs, in the note of a schedule that never runs
 * anything: that needs no worker, is there for all to see, and outlives every run.
 */
import { type Client, ScheduleAlreadyRunning, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { ConfigError } from '../config/problems';
import { PROGRAM } from '../text/command';
import { encryptionCodec } from './encryption';
import { ENCRYPTION_VARIABLE } from './encryption-keys';
import type { Env } from './environment';
import { ledgerKeysInUse } from './keys-in-use';
import { plainClient } from './plain-client';
import { WORKFLOW_QUEUE } from './queues';

/** The schedule's ID; no pipeline's is like it. */
export const FLEET_KEYS = 'audit-runner-encryption-keys';

const NOTE = `Starts nothing. It holds the IDs of the keys in ${ENCRYPTION_VARIABLE} that the workers of this namespace have:`;
const KEY_ID = /\b[0-9a-f]{16}\b/g;

const idsIn = (note = ''): string[] => note.match(KEY_ID) ?? [];

const handleOf = (client: Client): ScheduleHandle => plainClient(client).schedule.getHandle(FLEET_KEYS);

/** The IDs of all keys that some worker has; undefined where no worker with a key has started yet. */
export async function fleetKeys(client: Client): Promise<string[] | undefined> {
  try {
    return idsIn((await handleOf(client).describe()).state.note);
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

export const isFleetKey = async (client: Client, keyId: string): Promise<boolean> =>
  (await fleetKeys(client))?.includes(keyId) === true;

/**
 * Why a command cannot work beside the workers: it could not read what they wrote and would write what all can read, or
 * they could not read what it writes. undefined: it can.
 */
export async function unlikeFleet(client: Client, env: Env): Promise<string | undefined> {
  const known = await fleetKeys(client);
  if (known === undefined) return undefined;
  const own = encryptionCodec(env)?.keyIds ?? [];
  const missing = known.filter((id) => !own.includes(id));
  if (missing.length > 0)
    return `${ENCRYPTION_VARIABLE}: the workers of this namespace have keys that are missing here: ${missing.join(' and ')}. Set the variable as the workers have it.`;
  const [first = ''] = own;
  if (known.includes(first)) return undefined;
  return `${ENCRYPTION_VARIABLE}: the workers of this namespace lack the key ${first}, and could not read what is encrypted with it here. Give it to them first, behind the old one.`;
}

/**
 * Before a worker takes its first task: it has every key that the others have, and they learn of those that it has besides.
 * @param own the IDs of its keys
 * @throws ConfigError where it lacks one
 */
export async function joinFleet(client: Client, own: readonly string[]): Promise<void> {
  const found = await fleetKeys(client);
  const known = found ?? [];
  const missing = known.filter((id) => !own.includes(id));
  if (missing.length > 0)
    throw new ConfigError([
      `${ENCRYPTION_VARIABLE}: other workers of this namespace have the key ${missing.join(' and ')}, and this one does not: it could not read what they wrote. Add it, behind a comma. Where nothing is encrypted with it any more (\`${PROGRAM} doctor\` says so), delete the schedule ${FLEET_KEYS}; workers that start write it anew.`,
    ]);
  if (found === undefined) await requireLedgerKeys(client, own);
  if (own.every((id) => known.includes(id))) return;
  await write(client, own);
}

/** Somebody may have deleted the schedule too early: a ledger that no worker can read stands still, and with it all that pays. */
async function requireLedgerKeys(client: Client, own: readonly string[]): Promise<void> {
  const needed = [...(await ledgerKeysInUse(client))].filter(([key]) => !own.includes(key));
  if (needed.length > 0)
    throw new ConfigError(
      needed.map(
        ([key, ledgers]) =>
          `${ENCRYPTION_VARIABLE}: ${ledgers.join(' and ')} was written with the key ${key}, which this worker does not have. Add it, behind a comma, until the ledger has begun anew.`,
      ),
    );
}

async function write(client: Client, own: readonly string[]): Promise<void> {
  const noteWith = (before: readonly string[]) => `${NOTE} ${[...new Set([...before, ...own])].join(', ')}.`;
  try {
    await plainClient(client).schedule.create({
      ...{ scheduleId: FLEET_KEYS, spec: {}, state: { paused: true, note: noteWith([]) } },
      action: { type: 'startWorkflow', workflowType: 'startHere', taskQueue: WORKFLOW_QUEUE },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await handleOf(client).update(({ state, ...rest }) => ({
      ...{ ...rest, state: { ...state, paused: true, note: noteWith(idsIn(state.note)) } },
    }));
  }
}
