/** Who asks a task queue for work, and how much of it waits. */
import type { ConnectionLike } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** A worker asks at least once a minute; the server lists it for minutes after its end. */
const POLLED_WITHIN_S = 70;
/** The server forgets who has not asked for so long; whoever it lists and seems older shows that this clock is wrong. */
const FORGOTTEN_AFTER_S = 330;

export interface QueueState {
  /** Identities of the workers that have asked lately, one for each poller. */
  identities: string[];
  /** Tasks that wait, about. */
  backlog: number;
}

/** @param now the server's time, where it is known */
export async function queueState(
  { connection, namespace }: { connection: ConnectionLike; namespace: string },
  queue: string,
  taskQueueType: temporal.api.enums.v1.TaskQueueType,
  now = Date.now(),
): Promise<QueueState> {
  const { pollers, stats } = await connection.workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue }, taskQueueType },
    ...{ reportPollers: true, reportStats: true },
  });
  const seen = ({ lastAccessTime }: temporal.api.taskqueue.v1.IPollerInfo) => Number(lastAccessTime?.seconds ?? 0);
  const latest = Math.max(...(pollers ?? []).map(seen));
  const off = now / 1_000 - latest;
  const since = (off < 0 || off > FORGOTTEN_AFTER_S ? latest : now / 1_000) - POLLED_WITHIN_S;
  const active = (pollers ?? []).filter((poller) => seen(poller) > since);
  return {
    identities: active.flatMap(({ identity }) => identity ?? []),
    backlog: Number(stats?.approximateBacklogCount ?? 0),
  };
}
