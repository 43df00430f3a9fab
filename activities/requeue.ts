import { ApplicationFailure } from '@temporalio/common';
import { FailureType } from '../src/runs/failure-types';

/** Back to the queue: Temporal tries again after the delay, without history events. */
export const requeueAfter = (message: string, delayMs: number) =>
  ApplicationFailure.create({
    message,
    type: FailureType.waiting,
    nextRetryDelay: Math.max(1, Math.ceil(delayMs)),
    category: 'BENIGN',
  });
