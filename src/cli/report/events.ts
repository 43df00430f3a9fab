/** Histories, read with a bound. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { GRPC, grpcStatus } from '../../temporal/grpc-status';

type Event = temporal.api.history.v1.IHistoryEvent;

/** When it happened, milliseconds since 1970. */
export const momentOf = ({ eventTime }: Event): number =>
  Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);

/** @param most events; those behind them are left out. @returns undefined where the server no longer has the history */
export async function eventsOf(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  most: number,
): Promise<Event[] | undefined> {
  const events: Event[] = [];
  let nextPageToken: Uint8Array | undefined;
  try {
    do {
      const page = await client.workflowService.getWorkflowExecutionHistory({
        ...{ namespace: client.options.namespace, execution: { workflowId, runId } },
        ...(nextPageToken && { nextPageToken }),
      });
      events.push(...(page.history?.events ?? []));
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
    } while (nextPageToken && events.length < most);
    return events;
  } catch (error) {
    if (grpcStatus(error) === GRPC.NOT_FOUND) return undefined;
    throw error;
  }
}
