/** What histories weigh, asked from the server. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

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
