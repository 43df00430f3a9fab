/** Replays the histories of runs with the workflows of this build, as a worker would that takes them over. */
import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { type ReplayWorkerOptions, Worker, type WorkflowBundleOption } from '@temporalio/worker';

type History = temporal.api.history.v1.IHistory;

/** A run, as `Worker.runReplayHistories` takes it. */
export interface Recorded {
  readonly workflowId: string;
  readonly history: History;
}

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;

/** Whether a worker has worked on it: the replay of one that nobody has begun never ends. */
export const isBegun = ({ events }: History): boolean =>
  (events ?? []).some(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED);

/** The history of a run as it is now. */
export const recordOf = async ({ workflow }: Client, workflowId: string, runId: string): Promise<Recorded> => ({
  workflowId,
  history: await workflow.getHandle(workflowId, runId).fetchHistory(),
});

/** How one has been replayed. */
export interface Replayed {
  readonly workflowId: string;
  readonly runId: string;
  /** The kind of failure; its text may have data of the run (S4). Absent where it went well. */
  readonly failure?: string;
}

/** How workers read the runs. */
export interface Reading {
  readonly namespace: string;
  /** With the keys by which the runs are encrypted. */
  readonly dataConverter?: DataConverter | undefined;
}

/** @param workflowBundle of this build */
export async function* replay(
  workflowBundle: WorkflowBundleOption,
  recorded: AsyncIterable<Recorded> | Iterable<Recorded>,
  reading?: Reading,
): AsyncGenerator<Replayed> {
  const results = Worker.runReplayHistories({ workflowBundle, ...(reading && optionsOf(reading)) }, recorded);
  for await (const { workflowId, runId, error } of results)
    yield { workflowId, runId, ...(error && { failure: error.name }) };
}

/**
 * Data open only in the namespace that they were encrypted for. The SDK decodes as if it were `default` unless it is told, and
 * takes the namespace, although its type leaves it out.
 */
function optionsOf({ namespace, dataConverter }: Reading): Partial<ReplayWorkerOptions> {
  const options: Partial<ReplayWorkerOptions> & { namespace: string } = {
    namespace,
    ...(dataConverter && { dataConverter }),
  };
  return options;
}
