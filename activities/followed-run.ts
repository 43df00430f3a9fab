/** Runs that another run waits for, and that nobody tells it of. */
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';

export interface FollowedRun {
  workflowId: string;
  /**
   * The first run of those that continue each other, reset ones included, as a parent knows its child.
   * @default whichever has the ID now
   */
  runId?: string | undefined;
}

export interface EndedRun {
  /** In the server's words: `COMPLETED`, `TERMINATED`, `FAILED`…; `NOT_FOUND` where it is not known any more. */
  status: string;
  /** Of one that has completed. */
  result?: unknown;
}

/** @returns how it has ended; undefined while it is under way */
export async function endOf(client: Client, { workflowId, runId }: FollowedRun): Promise<EndedRun | undefined> {
  try {
    const latest = await client.workflow.getHandle(workflowId).describe();
    const isIt = runId === undefined || latest.raw.workflowExecutionInfo?.firstRunId === runId;
    const run = isIt ? latest : await client.workflow.getHandle(workflowId, runId).describe();
    const status = run.status.name;
    if (status === 'RUNNING') return undefined;
    if (status !== 'COMPLETED') return { status };
    return { status, result: await client.workflow.getHandle(workflowId, run.runId).result() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { status: 'NOT_FOUND' };
    throw error;
  }
}

/** How long until a run that is still under way is asked for again: soon at first, then every half minute. */
export const followDelay = (attempt: number): number => Math.min(30_000, 250 * 2 ** Math.min(attempt, 7));
