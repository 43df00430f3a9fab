/**
 * Data that cannot be read are refused where they arrive: a message is not taken, a run ends with a sentence, a call has
 * failed. Nothing of it reaches the code of a workflow.
 */
import { ChildWorkflowFailure } from '@temporalio/common';
import type { WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import { ApplicationFailure, log } from '@temporalio/workflow';
import { FailureType } from '../../src/runs/failure-types';
import { whyUnreadable } from '../../src/runs/unreadable-data';

/** @throws ApplicationFailure where one of them cannot be read */
function readable(what: string, values: readonly unknown[], type: string = FailureType.illegible): void {
  const why = values.map(whyUnreadable).find((one) => one !== undefined);
  if (why !== undefined) throw ApplicationFailure.nonRetryable(`${what} cannot be read: ${why}`, type);
}

export const refusesUnreadable: WorkflowInboundCallsInterceptor = {
  async execute(input, next) {
    readable('the input of this run', input.args, FailureType.badInput);
    return next(input);
  },
  async handleSignal(input, next) {
    try {
      readable(`the signal ${input.signalName}`, input.args);
    } catch (error) {
      // Who sends a signal hears nothing.
      log.warn('a signal was not taken', { error });
      return;
    }
    return next(input);
  },
  validateUpdate(input, next) {
    readable(`the update ${input.name}`, input.args);
    next(input);
  },
  async handleUpdate(input, next) {
    readable(`the update ${input.name}`, input.args);
    return next(input);
  },
  async handleQuery(input, next) {
    readable(`the query ${input.queryName}`, input.args);
    return next(input);
  },
};

export const failsUnreadable: WorkflowOutboundCallsInterceptor = {
  async scheduleActivity(input, next) {
    const result = await next(input);
    readable(`the result of ${input.activityType}`, [result]);
    return result;
  },
  async startChildWorkflowExecution(input, next) {
    const [started, result] = await next(input);
    const { workflowId } = input.options;
    const checked = result.then((value) => {
      try {
        readable(`the result of ${workflowId}`, [value]);
        return value;
      } catch (error) {
        const cause = error instanceof ApplicationFailure ? error : undefined;
        // It has ended, and what it did is asked for, as of one that failed (S6).
        throw new ChildWorkflowFailure(undefined, { workflowId }, input.workflowType, 'NON_RETRYABLE_FAILURE', cause);
      }
    });
    // Who waits for it hears of it; nobody has to.
    checked.catch(() => undefined);
    return [started, checked];
  },
};
