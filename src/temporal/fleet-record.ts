/**
 * What the workers of a namespace have in common, kept on the server in two schedules that never run anything: that needs no
 * worker, is there for all to see, and outlives every run. One has the IDs of their keys as its input, which no click of the
 * Web UI changes, as one does a note. The other is there while encryption is required, and tells since when.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { isKeyId } from './encryption';
import { GRPC, grpcStatus } from './grpc-status';
import { plainClient } from './plain-client';

/** The schedules' IDs; no pipeline's is like them. */
export const FLEET_KEYS = 'audit-runner-encryption-keys';
export const FLEET_REQUIRES = 'audit-runner-encryption-required';
const NOTES = {
  [FLEET_KEYS]:
    'Starts nothing. Its input holds the IDs of the encryption keys that the workers of this namespace have.',
  [FLEET_REQUIRES]: 'Starts nothing. The workers of this namespace require encryption since it was created.',
};
/** Nobody works here, should somebody trigger one. */
const QUEUE = 'audit-runner-nobody';
const TRIES = 40;
const SPREAD_MS = 500;

const Keys = z.object({ keys: z.array(z.string().refine(isKeyId)).min(1) });
type Keys = z.output<typeof Keys>;

type Described = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

async function describe(client: Client, scheduleId: keyof typeof NOTES): Promise<Described | undefined> {
  const { namespace } = client.options;
  try {
    return await client.workflowService.describeSchedule({ namespace, scheduleId });
  } catch (error) {
    if (grpcStatus(error) === GRPC.NOT_FOUND) return undefined;
    throw error;
  }
}

/** Does nothing where it is there already. */
async function create(client: Client, scheduleId: keyof typeof NOTES, args: Keys[]): Promise<void> {
  const nothing = { type: 'startWorkflow', workflowType: 'none', taskQueue: QUEUE } as const;
  try {
    await plainClient(client).schedule.create({
      ...{ scheduleId, spec: {}, state: { paused: true, note: NOTES[scheduleId] } },
      action: { ...nothing, args, workflowRunTimeout: '1 minute' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

function keysIn({ schedule }: Described): string[] | undefined {
  const [payload] = schedule?.action?.startWorkflow?.input?.payloads ?? [];
  try {
    return payload && Keys.safeParse(defaultPayloadConverter.fromPayload(payload)).data?.keys;
  } catch {
    return undefined;
  }
}

/** The IDs of all keys that some worker has; undefined where none with a key has started yet, or somebody made it unreadable. */
export async function fleetKeys(client: Client): Promise<string[] | undefined> {
  const found = await describe(client, FLEET_KEYS);
  return found && keysIn(found);
}

/**
 * Adds to what stands there, unless that has keys that are not among these; what another process writes meanwhile is not lost. A
 * server accepts an update before it looks whether the schedule has changed since it was read, and drops it without a word if
 * so: what counts is what is read afterwards.
 * @returns the keys that stand there and are not among these; nothing is written then
 */
export async function noteKeys(client: Client, own: readonly string[]): Promise<string[]> {
  for (let tried = 0; tried < TRIES; tried++) {
    const found = await describe(client, FLEET_KEYS);
    const before = (found && keysIn(found)) ?? [];
    const lacking = before.filter((id) => !own.includes(id));
    if (lacking.length > 0 || own.every((id) => before.includes(id))) return lacking;
    const keys = { keys: [...before, ...own.filter((id) => !before.includes(id))] };
    if (found) await replace(client, found, keys);
    else await create(client, FLEET_KEYS, [keys]);
    // Processes that were at it at the same moment come back one after another.
    await sleep(Math.random() * SPREAD_MS);
  }
  throw new Error(`the schedule ${FLEET_KEYS} cannot be written: others change it all the time`);
}

/** Does nothing where it has changed since it was read, or is gone. */
async function replace(client: Client, { schedule, conflictToken }: Described, keys: Keys): Promise<void> {
  const input = { payloads: [defaultPayloadConverter.toPayload(keys)] };
  const action = { startWorkflow: { ...schedule?.action?.startWorkflow, input } };
  try {
    await client.workflowService.updateSchedule({
      ...{ namespace: client.options.namespace, scheduleId: FLEET_KEYS, schedule: { ...schedule, action } },
      ...(conflictToken && { conflictToken }),
    });
  } catch (error) {
    const status = grpcStatus(error);
    if (status !== GRPC.FAILED_PRECONDITION && status !== GRPC.NOT_FOUND) throw error;
  }
}

/** Since when encryption is required, by the server's clock, milliseconds since 1970; undefined where it is not. */
export async function requiredSince(client: Client): Promise<number | undefined> {
  const { createTime } = (await describe(client, FLEET_REQUIRES))?.info ?? {};
  return createTime ? tsToMs(createTime) : undefined;
}

/** From now on, unless it is already. @returns since when */
export async function requireEncryption(client: Client): Promise<number> {
  for (let tried = 0; tried < TRIES; tried++) {
    const since = await requiredSince(client);
    if (since !== undefined) return since;
    await create(client, FLEET_REQUIRES, []);
  }
  throw new Error(`the schedule ${FLEET_REQUIRES} cannot be written: others change it all the time`);
}

export async function requireNoMore(client: Client): Promise<void> {
  if ((await requiredSince(client)) === undefined) return;
  const handle = client.schedule.getHandle(FLEET_REQUIRES);
  await handle.delete().catch((error: unknown) => {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  });
}
