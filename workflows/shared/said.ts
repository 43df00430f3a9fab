/** Updates by people: a wrong one is answered with a sentence, and who did what is kept. */
import { allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import type { z } from 'zod';
import { InputError, parseInput } from '../../src/inputs/parse-input';
import type { PersonNote } from '../../src/inputs/person-messages';

/** What a person did, as the result of a run keeps it. */
export interface Answered {
  /** The update, and what was said with it. */
  answer: string;
  by: string;
  /** ISO 8601. */
  at: string;
}

/**
 * A validator: what it throws only refuses the message, where a handler's error would stop the whole run.
 * @param may throws when the update makes no sense at the moment
 */
export const checked =
  <S extends z.ZodType>(schema: S, update: string, may: (said: z.output<S>) => void = () => undefined) =>
  (said: unknown): void =>
    may(read(schema, update, said));

function read<S extends z.ZodType>(schema: S, update: string, said: unknown): z.output<S> {
  try {
    return parseInput(schema, said, update);
  } catch (error) {
    throw error instanceof InputError ? new Error(`${update}: ${error.problems.join(' ')}`) : error;
  }
}

export function answered(answer: string, { by = 'somebody', reason }: PersonNote = {}): Answered {
  const text = reason === undefined ? answer : `${answer} (${reason})`;
  return { answer: text, by, at: new Date().toISOString() };
}

/** The last wait before a result: who said something is answered, and a cancellation now takes no result away (S6). */
export const allAnswered = (): Promise<void> => CancellationScope.nonCancellable(() => condition(allHandlersFinished));
