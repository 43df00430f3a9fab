/** Around every run: a scheduled one that does not end well is told to people, since nobody watches it. */
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { UNWELL } from '../src/policy/unwell';
import { runKind, TELL_WITHIN_MS, tell } from './shared/tell';

/** The word by which a result says that it did not end well. */
function unwell(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const words = [Reflect.get(result, 'ended'), Reflect.get(result, 'outcome')];
  return words.find((word): word is string => UNWELL.includes(word));
}

const accountOf = (input: unknown): string => {
  const account = typeof input === 'object' && input !== null ? Reflect.get(input, 'account') : undefined;
  return typeof account === 'string' && /^[a-z0-9-]{1,40}$/.test(account) ? account : 'default';
};

export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        if (runKind() !== 'schedule') return next(input);
        const failed = (what: string) =>
          tell({ kind: 'runFailed', account: accountOf(input.args[0]), what, nth: 1 }, TELL_WITHIN_MS);
        try {
          const result = await next(input);
          const what = unwell(result);
          if (what !== undefined) await failed(what);
          return result;
        } catch (error) {
          // Continuing as new is no failure, and who cancels knows.
          if (error instanceof ApplicationFailure && !isCancellation(error)) await failed(error.type ?? 'Failed');
          throw error;
        }
      },
    },
  ],
});
