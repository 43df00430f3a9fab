/** A Temporal server whose lists are away, as when the database of its visibility is: all else of it is well. */
import type { ConnectionLike } from '@temporalio/client';

export const LISTS_AWAY = 'ListWorkflowExecutions operation failed. Select failed: connection refused';

const away = () =>
  Promise.reject(
    Object.assign(new Error(`14 UNAVAILABLE: ${LISTS_AWAY}`), {
      code: 14,
      details: LISTS_AWAY,
      metadata: { get: () => [] },
    }),
  );

/** What this connection asks of lists fails from now on. */
export function takeListsAway({ workflowService }: ConnectionLike): void {
  Object.assign(workflowService, { countWorkflowExecutions: away, listWorkflowExecutions: away });
}
