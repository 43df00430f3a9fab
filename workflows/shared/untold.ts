/**
 * A run may be ended by hand, and reset later. It is then never told of a child that ended in between, when nobody
 * waited for it. So a run that finds itself reset also asks about the children that it had begun before.
 */
import { ChildWorkflowFailure } from '@temporalio/common';
import type { WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import { CancellationScope, condition, patched } from '@temporalio/workflow';
import { control } from './calls';
import { epoch } from './reset';

/** What the server tells once more, it tells at once. */
const TOLD_WITHIN_MS = 10_000;

export const asksForUntold: WorkflowOutboundCallsInterceptor = {
  async startChildWorkflowExecution(input, next) {
    const begunIn = epoch();
    const [started, told] = await next(input);
    const { workflowId } = input.options;
    let isTold = false;
    const heard = () => {
      isTold = true;
    };
    told.then(heard, heard);
    const asked = CancellationScope.nonCancellable(async () => {
      const runId = await started;
      await condition(() => epoch() !== begunIn);
      // One that was reset before this was built goes on as it was.
      if (!patched('asksForUntold') || (await condition(() => isTold, TOLD_WITHIN_MS))) return told;
      const { result } = await control.awaitRun({ workflowId, runId });
      if (result !== undefined) return result;
      // Ended by hand or failed: who waits for it finds out what it did (S6).
      throw new ChildWorkflowFailure(undefined, { workflowId, runId }, input.workflowType, 'NON_RETRYABLE_FAILURE');
    });
    return [started, Promise.race([told, asked])];
  },
};
