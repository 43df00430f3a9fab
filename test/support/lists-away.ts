/** A Temporal server whose lists are away, as when the database of its visibility is: all else of it is well. */
import type { ConnectionLike } from '@temporalio/client';

export const LISTS_AWAY = 'ListWorkflowExecutions operation failed. Select failed: connection refused';

const fails = (code: number, details: string) =>
  Promise.reject(Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: { get: () => [] } }));
const away = () => fails(14, LISTS_AWAY);
/** As a worker's connection says it. */
const notInTime = () => fails(1, 'Timeout expired');

/** What this connection asks of lists fails from now on; counts at first by the server's word, then for want of an answer. */
export function takeListsAway({ workflowService }: ConnectionLike): void {
  let counts = 0;
  const count = () => (counts++ === 0 ? away() : notInTime());
  Object.assign(workflowService, { countWorkflowExecutions: count, listWorkflowExecutions: away });
}
