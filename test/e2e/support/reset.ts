/** A click on *Reset* in the Web UI. */
import { randomUUID } from 'node:crypto';
import type { Stage } from '../../support/stage';

/** To the last of its workflow tasks. */
export async function resetToLast({ temporal }: Stage, workflowId: string): Promise<void> {
  const { client, namespace } = temporal;
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  await client.workflowService.resetWorkflowExecution({
    ...{ namespace, workflowExecution: { workflowId }, reason: 'test', requestId: randomUUID() },
    workflowTaskFinishEventId: tasks.at(-1)?.eventId ?? null,
  });
}
