/** The Temporal Schedules of pipelines: found, read and written. Only those that carry our mark are touched. */
import { type Client, type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { z } from 'zod';
import { EncryptionCodec } from './encryption';
import { ENCRYPTION_VARIABLE } from './encryption-keys';
import { grpcStatus } from './grpc-status';
import { type Applied, fingerprint, type ScheduleDefinition, toDefinition, toOptions } from './schedule-definition';

const OWNER = 'audit-runner';

/** The ID of a pipeline's schedule. */
export const scheduleId = (pipeline: string): string => `${OWNER}.${pipeline}`;

/** The pipeline of a schedule, by its ID; of somebody else's schedule the ID itself. */
export const pipelineOf = (id: string): string => (id.startsWith(`${OWNER}.`) ? id.slice(OWNER.length + 1) : id);

/** The mark in a schedule's memo: it never changes. */
const Mark = z.looseObject({ owner: z.literal(OWNER), pipeline: z.string() });
const AppliedMemo = z.looseObject({ pipeline: z.string(), fingerprint: z.string(), pausedInFile: z.boolean() });

/** A schedule of ours, as it is on the server. */
export interface StoredSchedule {
  pipeline: string;
  definition: ScheduleDefinition;
  paused: boolean;
  note: string;
  /** Absent when somebody else removed it. */
  applied?: Applied;
  /** Somebody else has changed it since it was last applied. */
  changedElsewhere: boolean;
  /** What its runs are given is encrypted with another key than the first, or by an earlier version. */
  isStale: boolean;
  info: ScheduleDescription['info'];
}

/** A schedule that cannot be decrypted or decoded here. */
export class UnreadableSchedule extends Error {
  override readonly name = 'UnreadableSchedule';
}

export const scheduleHandle = (client: Client, pipeline: string): ScheduleHandle =>
  client.schedule.getHandle(scheduleId(pipeline));

/** The pipeline's schedule: ours, somebody else's under the same ID, or none. @throws UnreadableSchedule */
export async function readSchedule(client: Client, pipeline: string): Promise<StoredSchedule | 'foreign' | undefined> {
  const id = scheduleId(pipeline);
  try {
    return toStored(client, await scheduleHandle(client, pipeline).describe()) ?? 'foreign';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw unreadable(error, `the schedule ${id} cannot be read`);
  }
}

function toStored(client: Client, description: ScheduleDescription): StoredSchedule | undefined {
  const mark = Mark.safeParse(description.memo);
  if (!mark.success) return undefined;
  const { state, info, action } = description;
  const definition = toDefinition(description);
  const applied = AppliedMemo.safeParse(action.memo).data;
  return {
    ...{ pipeline: mark.data.pipeline, definition, paused: state.paused, note: state.note ?? '', info },
    ...(applied && { applied }),
    changedElsewhere: applied?.fingerprint !== fingerprint(definition),
    isStale: isStale(client, description),
  };
}

function isStale({ options }: Client, { raw }: ScheduleDescription): boolean {
  const codec = options.loadedDataConverter.payloadCodecs.find((one) => one instanceof EncryptionCodec);
  const payloads = raw.schedule?.action?.startWorkflow?.input?.payloads ?? [];
  return codec !== undefined && !payloads.every((payload) => codec.isPresent(payload));
}

/** What the SDK cannot decode it reports without any status of the server. */
function unreadable(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || grpcStatus(error) !== undefined) return error;
  return new UnreadableSchedule(
    `${what}: ${error.message}. Is ${ENCRYPTION_VARIABLE} set here as it was where the schedule was applied?`,
    { cause: error },
  );
}

/**
 * The pipelines that have a schedule of ours, sorted. The server's list is a second or so behind.
 * @throws UnreadableSchedule
 */
export async function ownedPipelines(client: Client): Promise<string[]> {
  const names = new Set<string>();
  try {
    // By the ID first: the memos of others' schedules may not be readable here.
    for await (const { memo } of client.schedule.list({ query: `ScheduleId STARTS_WITH '${OWNER}.'` })) {
      const mark = Mark.safeParse(memo);
      if (mark.success) names.add(mark.data.pipeline);
    }
  } catch (error) {
    throw unreadable(error, 'the schedules cannot be read');
  }
  return [...names].sort();
}

const appliedNow = (pipeline: string, definition: ScheduleDefinition, pausedInFile: boolean): Applied => ({
  pipeline,
  fingerprint: fingerprint(definition),
  pausedInFile,
});

const pauseNote = (paused: boolean) => (paused ? { note: 'paused in the configuration' } : {});

export async function createSchedule(
  client: Client,
  pipeline: string,
  definition: ScheduleDefinition,
  paused: boolean,
): Promise<void> {
  await client.schedule.create({
    ...toOptions(definition, appliedNow(pipeline, definition, paused)),
    scheduleId: scheduleId(pipeline),
    memo: { owner: OWNER, pipeline } satisfies z.infer<typeof Mark>,
    state: { paused, ...pauseNote(paused) },
  });
}

/** Also paused or resumed, but only where the file says something else than when it was last applied. */
export async function updateSchedule(
  client: Client,
  pipeline: string,
  definition: ScheduleDefinition,
  paused: boolean,
): Promise<void> {
  await scheduleHandle(client, pipeline).update((previous) => {
    const stored = toStored(client, previous);
    if (!stored) throw new Error(`the schedule ${scheduleId(pipeline)} has become somebody else's`);
    const { applied, note } = stored;
    const changes = applied !== undefined && applied.pausedInFile !== paused;
    return {
      ...toOptions(definition, appliedNow(pipeline, definition, paused)),
      state: changes ? { paused, ...pauseNote(paused) } : { paused: stored.paused, ...(note && { note }) },
    };
  });
}

/** The times from `from` to `to`, both included, at which the schedule starts a run, without its jitter. */
export async function matchingTimes(client: Client, pipeline: string, from: Date, to: Date): Promise<Date[]> {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId: scheduleId(pipeline),
    // The server leaves out the first moment itself.
    startTime: msToTs(from.getTime() - 1),
    endTime: msToTs(to.getTime()),
  });
  return startTime.map((time) => new Date(tsToMs(time)));
}
