import { ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';
import { FailureType } from '../../src/policy/failures';
import { InputError, parseInput } from '../../src/policy/input';

/** Checks a workflow's input; a wrong field fails the run at once, before any call, with sentences (type `BadInput`). */
export function readInput<S extends z.ZodType>(schema: S, raw: unknown, workflowType: string): z.output<S> {
  try {
    return parseInput(schema, raw, workflowType);
  } catch (error) {
    if (error instanceof InputError)
      throw ApplicationFailure.nonRetryable(error.message, FailureType.badInput, error.problems);
    throw error;
  }
}
