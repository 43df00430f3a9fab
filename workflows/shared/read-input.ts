import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';
import { InputError, parseInput, refuseTooDeep } from '../../src/inputs/parse-input';
import { FailureType } from '../../src/runs/failure-types';

const badInput = (error: InputError) =>
  ApplicationFailure.nonRetryable(error.message, FailureType.badInput, error.problems);

/** Checks a workflow's input; a wrong field fails the run at once, before any call, with sentences (type `BadInput`). */
export function readInput<S extends z.ZodType>(schema: S, raw: unknown, workflowType: string): z.output<S> {
  try {
    return parseInput(schema, raw, workflowType);
  } catch (error) {
    if (error instanceof InputError) throw badInput(error);
    throw error;
  }
}

/**
 * Like {@link readInput}, with a look at what the input names (files of the storage). All that is wrong is told at once,
 * also where a field is wrong as well, and before anything is spent.
 */
export async function readInputWith<S extends z.ZodType>(
  schema: S,
  raw: unknown,
  workflowType: string,
  look: () => Promise<string[]>,
): Promise<z.output<S>> {
  let found: string[] = [];
  try {
    refuseTooDeep(raw, workflowType);
    found = await look();
    const input = parseInput(schema, raw, workflowType);
    if (found.length === 0) return input;
  } catch (error) {
    if (error instanceof InputError) throw badInput(new InputError(workflowType, [...error.problems, ...found]));
    throw error;
  }
  throw badInput(new InputError(workflowType, found));
}

/** For what only an activity can see to be wrong: the run fails with its sentences, as if the field itself were wrong. */
export async function asInput<T>(look: Promise<T>): Promise<T> {
  try {
    return await look;
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    throw cause instanceof ApplicationFailure && cause.type === FailureType.badInput
      ? ApplicationFailure.nonRetryable(cause.message, FailureType.badInput, ...(cause.details ?? []))
      : error;
  }
}
