/**
 * What an activity is given is judged before it does anything: whoever reaches Temporal can answer a workflow task as a worker of
 * their own, and ask for a call with arguments that are not encrypted, or are those of another one.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FailureType } from '../runs/failure-types';
import { apart, type Requirement, refusal } from '../runs/origins';
import { whyUnreadable } from '../runs/unreadable-data';

/** @param required absent: all that can be read is taken */
export const judgedArguments =
  (required: Requirement | undefined): ActivityInterceptorsFactory =>
  ({ info }) => {
    const { activityType: name, workflowExecution, scheduledTimestampMs: startedAt } = info;
    const { workflowId = '' } = workflowExecution ?? {};
    const judged = (data: unknown): unknown => {
      const { value, origin } = required ? apart(data) : { value: data };
      const arrival = { what: 'arguments', name, workflowId, startedAt, now: Date.now() } as const;
      const why = whyUnreadable(value) ?? (origin && required && refusal(origin, arrival, required));
      if (why === undefined) return value;
      throw ApplicationFailure.nonRetryable(`the arguments of ${name} cannot be read: ${why}`, FailureType.illegible);
    };
    return {
      inbound: {
        async execute(input, next) {
          return next({ ...input, args: input.args.map(judged) });
        },
      },
    };
  };
