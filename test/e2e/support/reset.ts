/** A click on *Reset* in the Web UI. */
import { randomUUID } from 'node:crypto';
import type { Stage } from '../../support/stage';

/** @param nth which one of its workflow tasks, counted as in {@link Array.at} */
const resetTo =
  (nth: number) =>
  /** @param runId default: the latest run */
  async ({ temporal }: Stage, workflowId: string, runId?: string): Promise<void> => {
    const { client, namespace } = temporal;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
    const workflowExecution = { workflowId, ...(runId !== undefined && { runId }) };
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace, workflowExecution, reason: 'test', requestId: randomUUID() },
      workflowTaskFinishEventId: tasks.at(nth)?.eventId ?? null,
    });
  };

/** To the first of its workflow tasks. */
export const resetToFirst = resetTo(0);

/** To the last of its workflow tasks. */
export const resetToLast = resetTo(-1);
