/** A click on *Reset* in the Web UI. */
import { randomUUID } from 'node:crypto';
import type { Stage } from '../../support/stage';

/** To the first of its workflow tasks. @param runId default: the latest run */
export const resetToFirst = (stage: Stage, workflowId: string, runId?: string): Promise<void> =>
  resetTo(stage, { workflowId, ...(runId !== undefined && { runId }) }, 0);

/** To the last of its workflow tasks. @param runId default: the latest run */
export const resetToLast = (stage: Stage, workflowId: string, runId?: string): Promise<void> =>
  resetTo(stage, { workflowId, ...(runId !== undefined && { runId }) }, -1);

/** @param nth which one of its workflow tasks, counted as in {@link Array.at} */
async function resetTo({ temporal }: Stage, run: { workflowId: string; runId?: string }, nth: number): Promise<void> {
  const { client, namespace } = temporal;
  const { events } = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  await client.workflowService.resetWorkflowExecution({
    ...{ namespace, workflowExecution: run, reason: 'test', requestId: randomUUID() },
    workflowTaskFinishEventId: tasks.at(nth)?.eventId ?? null,
  });
}
