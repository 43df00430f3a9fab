/** What histories weigh, asked from the server. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { until } from './until';

export interface Weight {
  type: string;
  runs: number;
  /** Largest of one run. */
  events: number;
  bytes: number;
}

/** The largest history of each workflow type, over all runs of the namespace, continued ones too. */
export async function weighHistories(client: Client): Promise<Weight[]> {
  const weights = new Map<string, Weight>();
  for await (const { type, workflowId, runId } of client.workflow.list()) {
    const { historyLength, historySize = 0 } = await client.workflow.getHandle(workflowId, runId).describe();
    const { runs, events, bytes } = weights.get(type) ?? { runs: 0, events: 0, bytes: 0 };
    weights.set(type, {
      type,
      runs: runs + 1,
      events: Math.max(events, historyLength),
      bytes: Math.max(bytes, historySize),
    });
  }
  return [...weights.values()];
}

/** Events of one run by their type. */
export async function countEvents(client: Client, workflowId: string): Promise<Record<string, number>> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const counts: Record<string, number> = {};
  for (const { eventType } of events ?? []) {
    const name = temporal.api.enums.v1.EventType[eventType ?? 0]?.replace('EVENT_TYPE_', '') ?? 'UNKNOWN';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** When the first workflow task of a run was completed, wall-clock milliseconds by the server on this machine. */
export async function firstTaskAt(handle: WorkflowHandle): Promise<number> {
  let at: number | undefined;
  await until('the first workflow task is completed', 60_000, async () => {
    const { events } = await handle.fetchHistory();
    const completed = events?.find(
      ({ eventType }) => eventType === temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
    );
    if (completed?.eventTime)
      at = Number(completed.eventTime.seconds) * 1_000 + (completed.eventTime.nanos ?? 0) / 1_000_000;
    return at !== undefined;
  });
  return at ?? Number.NaN;
}

/** Events from the first schedule of an activity to its last completion: what waiting by it adds to a history. */
export async function eventsOfActivity(client: Client, workflowId: string, activityType: string): Promise<number> {
  const events = (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  const isOurs = (index: number) =>
    events[index]?.activityTaskScheduledEventAttributes?.activityType?.name === activityType;
  const first = events.findIndex((_, index) => isOurs(index));
  const last = events.findLastIndex(({ activityTaskCompletedEventAttributes: completed }) =>
    // Events are numbered from 1.
    completed ? isOurs(Number(completed.scheduledEventId) - 1) : false,
  );
  return first < 0 || last < 0 ? Number.NaN : last - first + 1;
}
