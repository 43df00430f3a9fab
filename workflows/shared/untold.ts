/**
 * Children of whose end a run is never told: those that ended between the end of the run, by hand, and its reset, when nobody
 * waited for them; and those that were ended because somebody reset an earlier run of the same ID. Of a batch that went on as
 * new, the server tells a reset run what became of children of later runs, as if they were its own. So a run that finds
 * itself reset asks about the children that it had begun before, and one that sees a child closed asks about that one.
 */
import type { WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import { CancellationScope, condition, patched } from '@temporalio/workflow';
import { resultOf } from './own-child';
import { epoch } from './reset';

/** What the server tells once more, it tells at once. */
const TOLD_WITHIN_MS = 10_000;

/** Of this run: children that were seen closed. It has its modules for itself. */
const seenClosed = new Set<string>();

/** @param workflowIds runs that are closed, as somebody has looked: what this run was not told of them it asks for */
export function sawClosed(workflowIds: readonly string[] = []): void {
  for (const workflowId of workflowIds) seenClosed.add(workflowId);
}

export const asksForUntold: WorkflowOutboundCallsInterceptor = {
  async startChildWorkflowExecution(input, next) {
    const begunIn = epoch();
    const { workflowId } = input.options;
    // Of an earlier child of the same ID.
    seenClosed.delete(workflowId);
    const [started, told] = await next(input);
    let isTold = false;
    const heard = () => {
      isTold = true;
    };
    told.then(heard, heard);
    // One that was reset before this was built goes on as it was.
    const mayBeAnothers = () => epoch() !== begunIn && patched('asksWhoseEnd');
    const asked = CancellationScope.nonCancellable(async () => {
      const runId = await started;
      await condition(() => epoch() !== begunIn || seenClosed.has(workflowId));
      if (!patched('asksForUntold')) return told;
      if (!mayBeAnothers() && (await condition(() => isTold, TOLD_WITHIN_MS))) return told;
      return resultOf(workflowId, runId, input.workflowType);
    });
    // As `Promise.race`, in as many turns of the event loop: they decide what a run does first.
    const end = new Promise<unknown>((resolve, reject) => {
      told.then(
        (result) => mayBeAnothers() || resolve(result),
        (error) => mayBeAnothers() || reject(error),
      );
      asked.then(resolve, reject);
    });
    return [started, end];
  },
};
