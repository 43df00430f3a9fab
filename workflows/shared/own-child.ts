/** Children that a run had begun after the moment to which a person has reset it: it knows nothing of them any more. */
import { ChildWorkflowFailure } from '@temporalio/common';
import { patched } from '@temporalio/workflow';
import { control } from './calls';

/** As much of a child as its parent goes on with. */
export interface OwnChild<R> {
  readonly firstExecutionRunId: string;
  /** When it was asked for. */
  readonly isRunning: boolean;
  /** Looks again and again, ever more seldom. @throws ChildWorkflowFailure when it has no result */
  result(): Promise<R>;
}

/** Runs of before take such a child for another's. */
export const knowsOwnChildren = (): boolean => patched('knowsOwnChildren');

/**
 * @param workflowId of a child that cannot be begun, for a run of that ID is there
 * @returns that run, if this one has begun it; undefined where it is another's
 */
export async function ownChild<R>(workflowId: string): Promise<OwnChild<R> | undefined> {
  const child = await control.ownChild({ workflowId });
  if (!child) return undefined;
  const { runId, isRunning } = child;
  return { firstExecutionRunId: runId, isRunning, result: async () => (await resultOf(workflowId, runId)) as R };
}

/** @throws ChildWorkflowFailure when it was ended by hand or failed: who waits for it finds out what it did (S6) */
export async function resultOf(workflowId: string, runId: string, type = 'child'): Promise<unknown> {
  const { result } = await control.awaitRun({ workflowId, runId });
  if (result !== undefined) return result;
  throw new ChildWorkflowFailure(undefined, { workflowId, runId }, type, 'NON_RETRYABLE_FAILURE');
}
