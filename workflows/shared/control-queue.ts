/**
 * Control activities of a run, which make no call of the API, go to the queue of its account: a worker that lacks the account
 * could only send them back.
 */
import {
  ActivityFailure,
  type ActivityInterfaceFor,
  type ActivityOptions,
  patched,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { PLAIN_NAME } from '../../src/inputs/fields';
import { controlQueueName, WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';

/**
 * How long a name that may be mistyped, or an account that may have another name by now, waits for a worker that has it.
 * Then all workers are asked.
 */
const TAKEN_WITHIN_MS = 10_000;

/** Undefined until the run has said whose it is: with its start comes a message before that. */
export const accountOfRun = (): string | undefined =>
  workflowInfo().typedSearchAttributes.get(searchAttributeKeys.account);

/** Of this run: a worker has taken something from a queue of its account. It has its modules for itself. */
let isTaken = false;

/** A worker of the account has taken a call of the API. */
export function knowsAccount(): void {
  isTaken = true;
}

/** Workers of before ask the shared queue alone: who must work beside them holds the patch. */
function controlQueue(): string {
  const account = accountOfRun();
  // Whoever starts a run may give it any attribute.
  if (account === undefined || !PLAIN_NAME.test(account) || !patched('accountQueue')) return WORKFLOW_QUEUE;
  return controlQueueName(account);
}

/** A run that another one began, or that goes on as new, has an account that was known. */
export function isKnown(): boolean {
  const { parent, continuedFromExecutionRunId } = workflowInfo();
  return isTaken || (parent ?? continuedFromExecutionRunId) !== undefined;
}

/**
 * Control activities of the account that the run has when it calls them.
 * @param mayBeRenamed asks all workers each time that none of the account takes it, and not only until one has taken any
 */
export function onControlQueue<T extends object>(
  options: Omit<ActivityOptions, 'taskQueue'>,
  mayBeRenamed = false,
): ActivityInterfaceFor<T> {
  const on = (taskQueue: string, more?: ActivityOptions) => proxyActivities<T>({ ...options, ...more, taskQueue });
  return new Proxy({} as ActivityInterfaceFor<T>, {
    get:
      (_, name) =>
      (...args: readonly unknown[]): Promise<unknown> => {
        const run = (activities: object): Promise<unknown> => Reflect.get(activities, name)(...args);
        const queue = controlQueue();
        // The promise itself: a run of before goes on in the same order.
        if (queue === WORKFLOW_QUEUE || (isKnown() && !mayBeRenamed)) return run(on(queue));
        return run(on(queue, { scheduleToStartTimeout: TAKEN_WITHIN_MS })).then(
          (answer) => {
            isTaken = true;
            return answer;
          },
          (error: unknown) => {
            if (isUntaken(error)) return run(on(WORKFLOW_QUEUE));
            isTaken = true;
            throw error;
          },
        );
      },
  });
}

/** No worker has taken the activity in the time for that: it was never begun, unless it had been tried before. */
export const isUntaken = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';
