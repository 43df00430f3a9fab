/** Runs that another run waits for, and that nobody tells it of. */
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { isOpen } from '../src/runs/is-open';

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
    if (isOpen(run.status)) return undefined;
    if (status !== 'COMPLETED') return { status };
    return { status, result: await client.workflow.getHandle(workflowId, run.runId).result() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { status: 'NOT_FOUND' };
    throw error;
  }
}

export interface OwnChild {
  /** Its first run. */
  runId: string;
  isRunning: boolean;
}

/**
 * A child that a run has begun itself, as its history knew before it was reset.
 * @returns undefined where another run has begun it, or that is not known any more
 */
export async function ownChild(client: Client, workflowId: string, of: FollowedRun): Promise<OwnChild | undefined> {
  const look = async (run: FollowedRun) => {
    const { raw, status } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
    return { ...raw.workflowExecutionInfo, isRunning: isOpen(status) };
  };
  try {
    const { firstRunId: runId, parentExecution, isRunning } = await look({ workflowId });
    if (!runId || !parentExecution?.runId || parentExecution.workflowId !== of.workflowId) return undefined;
    // Also where that run is not known any more.
    if (parentExecution.runId === of.runId) return { runId, isRunning };
    const [begunBy, own] = await Promise.all([look({ ...of, runId: parentExecution.runId }), look(of)]);
    return own.firstRunId && begunBy.firstRunId === own.firstRunId ? { runId, isRunning } : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The run that asks. */
export function askingRun(): FollowedRun {
  const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
  return { workflowId, runId };
}

/** How long until a run that is still under way is asked for again: soon at first, then every half minute. */
export const followDelay = (attempt: number): number => Math.min(30_000, 250 * 2 ** Math.min(attempt, 7));
