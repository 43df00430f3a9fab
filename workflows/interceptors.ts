/** Around every run: one that nobody watches, and that does not end well, is told to people. */
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { ApplicationFailure, isCancellation, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import { FAILED_OUTCOMES } from '../src/runs/failed-outcomes';
import { FailureType } from '../src/runs/failure-types';
import { failureText, failureType } from './shared/failures';
import { keepsActs } from './shared/kept-acts';
import { refusalsWakeNobody } from './shared/refusals';
import { ownStatus, Status } from './shared/status';
import { runKind, TELL_WITHIN_MS, tell } from './shared/tell';
import { failsUnreadable, refusesUnreadable } from './shared/unreadable';
import { asksForUntold } from './shared/untold';

/** The word by which a result says that it did not end well. */
function unwell(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const words = [Reflect.get(result, 'ended'), Reflect.get(result, 'outcome')];
  return words.find((word): word is string => FAILED_OUTCOMES.includes(word));
}

/** Runs die of failures of their own, and of those of the calls that they made. */
const codeOf = (error: TemporalFailure): string =>
  (error instanceof ApplicationFailure ? error.type : failureType(error)) ?? 'Failed';

/** A batch runs for days, whoever started it; but who gives it a wrong input is told at once. */
const isWatched = (code: string): boolean =>
  runKind() !== 'schedule' && (workflowInfo().workflowType !== 'backfill' || code === FailureType.badInput);

/** What the run ends with, on its page: also where it ends before it has said anything. */
const showFailed = (error: TemporalFailure): void => (ownStatus() ?? new Status()).failed(failureText(error));

const accountOf = (input: unknown): string => {
  const account = typeof input === 'object' && input !== null ? Reflect.get(input, 'account') : undefined;
  return typeof account === 'string' && /^[a-z0-9-]{1,40}$/.test(account) ? account : 'default';
};

export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        const failed = (what: string) =>
          tell({ kind: 'runFailed', account: accountOf(input.args[0]), what, nth: 1 }, TELL_WITHIN_MS);
        try {
          const result = await next(input);
          const what = unwell(result);
          if (what !== undefined && runKind() === 'schedule') await failed(what);
          return result;
        } catch (error) {
          if (isCancellation(error)) ownStatus()?.endedCancelled();
          else if (error instanceof TemporalFailure) showFailed(error);
          // Continuing as new is no failure, and who cancels knows.
          if (error instanceof TemporalFailure && !isCancellation(error) && !isWatched(codeOf(error)))
            await failed(codeOf(error));
          throw error;
        }
      },
    },
    refusesUnreadable,
    keepsActs,
  ],
  outbound: [failsUnreadable, asksForUntold],
  internals: [refusalsWakeNobody],
});
