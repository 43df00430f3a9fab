/**
 * Activities touch no files but the storage's, so an error of the file system that comes out of one is the storage's. It
 * gets the type by which workflows know it, and say what to mend.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FailureType } from '../runs/failure-types';
import { passing } from '../storage/passing';

export const storageFailures: ActivityInterceptorsFactory = () => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        const failure = passing(error);
        throw failure ? ApplicationFailure.retryable(failure.message, FailureType.storage) : error;
      }
    },
  },
});
