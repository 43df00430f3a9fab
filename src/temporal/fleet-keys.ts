/**
 * The keys that the workers of a namespace have: a worker that lacks one must not take its tasks, since it would read marks
 * where the others read data. They are kept on the server, by their IDs, in the note of a schedule that never runs
 * anything: that needs no worker, is there for all to see, and outlives every run.
 */
import { type Client, ScheduleAlreadyRunning, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { ConfigError } from '../config/problems';
import { ENCRYPTION_VARIABLE } from './encryption';
import { plainClient } from './plain-client';
import { WORKFLOW_QUEUE } from './queues';

/** The schedule's ID; no pipeline's is like it. */
export const FLEET_KEYS = 'audit-runner-encryption-keys';

const NOTE = `Starts nothing. It holds the IDs of the keys in ${ENCRYPTION_VARIABLE} that the workers of this namespace have:`;
const KEY_ID = /\b[0-9a-f]{16}\b/g;

const idsIn = (note = ''): string[] => note.match(KEY_ID) ?? [];

const handleOf = (client: Client): ScheduleHandle => plainClient(client).schedule.getHandle(FLEET_KEYS);

/** The IDs of all keys that some worker has. */
async function fleetKeys(client: Client): Promise<string[]> {
  try {
    return idsIn((await handleOf(client).describe()).state.note);
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return [];
    throw error;
  }
}

export const isFleetKey = async (client: Client, keyId: string): Promise<boolean> =>
  (await fleetKeys(client)).includes(keyId);

/**
 * Before a worker takes its first task: it has every key that the others have, and they learn of those that it has besides.
 * @param own the IDs of its keys
 * @throws ConfigError where it lacks one
 */
export async function joinFleet(client: Client, own: readonly string[]): Promise<void> {
  const known = await fleetKeys(client);
  const missing = known.filter((id) => !own.includes(id));
  if (missing.length > 0)
    throw new ConfigError([
      `${ENCRYPTION_VARIABLE}: other workers of this namespace have the key ${missing.join(' and ')}, and this one does not: it could not read what they wrote. Add it, behind a comma. Where nothing is encrypted with it any more, delete the schedule ${FLEET_KEYS}; workers that start write it anew.`,
    ]);
  if (own.every((id) => known.includes(id))) return;
  await write(client, own);
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
