/** How workflows call: on which queue, with which place in line, and what they do when the account or the service cannot. */

import type { Priority } from '@temporalio/common';
import { type ActivityInterfaceFor, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities';
import type { AccountFacts } from '../../activities/account';
import type { Clearance, ClearanceAsked } from '../../activities/clearance';
import type { QueueClass } from '../../src/agent-api/rate-class';
import { FailureType } from '../../src/runs/failure-types';
import { fairnessKeyOf } from '../../src/runs/fairness-key';
import { queueName } from '../../src/temporal/queues';
import { clip, oneLine } from '../../src/text/printable';
import { utc, utcIn } from '../../src/time/utc';
import { onControlQueue } from './control-queue';
import { failureSentence, failureText, failureType, isNotFound } from './failures';
import { onceThere, triedAgain } from './patient-calls';
import type { Status } from './status';

/** A worker that is gone shows after this; see src/temporal/heartbeat.ts. */
export const HEARTBEAT = '15 seconds';
/** Storage failures that Temporal must not retry silently: the first does not pass, the second is shown by the run. */
const STORAGE: string[] = ['StorageError', FailureType.storage];

/** Of a call, for lists of events, which show plain text. The server takes 400 bytes. */
export const asSummary = (text: string): string => clip(oneLine(text), 100);

/** Activities that send what costs or must not happen twice. */
export type Sends = Pick<Activities, Extract<keyof Activities, `${string}Once`>>;
/** Activities that change what the account has paid for, without a call of the API. */
export type Books = Pick<Activities, 'settleSubject'>;
/** All others: `workflows/paying` alone sends and books, so that nothing is sent that is not booked. */
type Others = Omit<Activities, keyof Sends | keyof Books>;

/** Activities that cost no call of the API. */
export const besideWorkflows = <T extends object>(): ActivityInterfaceFor<T> =>
  onceThere(
    onControlQueue<T>({
      startToCloseTimeout: '2 minutes',
      heartbeatTimeout: HEARTBEAT,
      retry: { initialInterval: '500 ms', maximumInterval: '30 seconds', nonRetryableErrorTypes: STORAGE },
      allowEagerDispatch: false,
    }),
  );

export const control = besideWorkflows<Others>();

/** What a run needs to know of its account. One that another run began, or that goes on as new, has a name that was known. */
export function factsOf(account: string): Promise<AccountFacts> {
  const { parent, continuedFromExecutionRunId } = workflowInfo();
  return control.accountFacts({ account, begun: (parent ?? continuedFromExecutionRunId) !== undefined });
}

/** Control activities that read or write a long document: they say that they are alive. */
export const streaming = (summary: string) =>
  onceThere(
    onControlQueue<Others>({
      startToCloseTimeout: '2 hours',
      heartbeatTimeout: '30 seconds',
      retry: { initialInterval: '500 ms', maximumInterval: '30 seconds', nonRetryableErrorTypes: STORAGE },
      allowEagerDispatch: false,
      summary: asSummary(summary),
    }),
  );

/**
 * Calls of one account that may be repeated, under the limit of their class. What goes back to the queue is retried by
 * Temporal without history events; every other failure comes to the workflow.
 * @param withinMs for what is waited for: after this the activity fails with a timeout
 * @param takenWithinMs after this it does so unless a worker has taken it
 */
const repeatable =
  (queueClass: QueueClass) =>
  (account: string, priority: Priority, summary: string, withinMs?: number, takenWithinMs?: number) =>
    onceThere(
      proxyActivities<Others>({
        taskQueue: queueName(account, queueClass),
        startToCloseTimeout: '2 minutes',
        heartbeatTimeout: HEARTBEAT,
        retry: { initialInterval: '1 second', maximumInterval: '10 seconds', nonRetryableErrorTypes: STORAGE },
        allowEagerDispatch: false,
        priority,
        summary: asSummary(summary),
        ...(withinMs !== undefined && { scheduleToCloseTimeout: Math.max(1_000, withinMs) }),
        ...(takenWithinMs !== undefined && { scheduleToStartTimeout: takenWithinMs }),
      }),
      withinMs,
      queueClass,
    );

export const reads = repeatable('reads');
export const writes = repeatable('writes');
/** Polls of jobs, which have a limit of their own. */
export const polls = repeatable('polls');

/** The key of this run in the ledger, whose cap its credits count against (S3): the same after it continued as new. */
export function runKey(): string {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return `${workflowId}/${firstExecutionRunId}`;
}

/** The run ID at the end of a run's key, or whatever stands there in a key that a person made up. */
export const fairnessKey = (run: string) => fairnessKeyOf(run.slice(-36));

/** Of this run; the items of a batch have their batch's, so that two batches get the same share. */
export const ownFairnessKey = () => workflowInfo().priority?.fairnessKey || fairnessKey(runKey());

/**
 * Until when a 404 proves nothing about an ID that the service itself has just given: reads may come from a copy of its
 * data that lags. Milliseconds of workflow time.
 */
export const notShownUntil = ({ timing }: AccountFacts): number => Date.now() + timing.settlingMs;

const MAX_BACKOFF_MS = 600_000;

/** Two seconds by default, and twice as long each time. */
const pauseBefore = (failures: number, { timing }: AccountFacts): number =>
  (timing.settlingMs / 150) * 2 ** Math.min(failures, 12);

/**
 * S7: waits until what the service shows late is to be looked at again, and says so.
 * @param what the sentence, up to its verb
 * @param looks how many there were before
 * @param until when it would have shown, milliseconds
 * @param part of the settling time that is waited at most: one in so many
 * @returns false at once when it would have shown by now
 */
export async function untilNextLook(
  status: Status,
  facts: AccountFacts,
  what: string,
  looks: number,
  until: number,
  part = 10,
): Promise<boolean> {
  const left = until - Date.now();
  if (left <= 0) return false;
  const wait = Math.min(left, facts.timing.settlingMs / part, pauseBefore(looks, facts));
  status.waits(`${what} again at ${utcIn(wait)}, until ${utc(until)} UTC at the latest.`);
  await sleep(wait);
  return true;
}

/**
 * S7: repeats a read until the account is off hold and the service answers, and says meanwhile what it waits for.
 * @param freshUntil until when a 404 is waited out; see {@link notShownUntil}. Default: for an ID that a person gave, never
 */
export async function retryUntilAnswered<T>(
  status: Status,
  facts: AccountFacts,
  account: string,
  call: () => Promise<T>,
  freshUntil = 0,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      const value = await call();
      status.goesOn();
      return value;
    } catch (error) {
      switch (failureType(error)) {
        case FailureType.held:
          await awaitClearance(status, account);
          break;
        case FailureType.upstream: {
          const wait = Math.min(MAX_BACKOFF_MS, pauseBefore(failures, facts));
          status.waits(`${failureText(error)}; it is tried again at ${utcIn(wait)}`);
          await sleep(wait);
          status.waits(triedAgain(error, Date.now()));
          break;
        }
        case FailureType.refused: {
          const what = `The service does not show yet something that it gave this run: ${failureSentence(error)} The run looks`;
          if (!isNotFound(error) || !(await untilNextLook(status, facts, what, failures, freshUntil, 20))) throw error;
          break;
        }
        default:
          throw error;
      }
    }
  }
}

/**
 * Waits until the ledger lets the account go on; says why it does not.
 * @param spending what is about to be spent, on what, and by which run: when that is over, nothing is waited for.
 * Default: nothing, and a lack of credits does not keep it
 */
export async function awaitClearance(
  status: Status,
  account: string,
  spending: Omit<ClearanceAsked, 'account'> = { credits: 0 },
): Promise<void> {
  const asked = { account, ...spending };
  if (!(await untilClear(asked, (why) => status.waits(`The account is not free to go on: ${why}`)))) return;
  status.goesOn();
}

/** What keeps a run, as it is asked about again: it hears once that is something else. */
export const reasonOf = ({ what, until }: Clearance): Pick<Clearance, 'what' | 'until'> => ({
  ...(what !== undefined && { what }),
  ...(until !== undefined && { until }),
});

/**
 * Waits until nothing keeps the account.
 * @param say told what does, and each time that it is something else (S7)
 * @returns whether anything did
 */
export async function untilClear(asked: ClearanceAsked, say: (why: string) => void): Promise<boolean> {
  let found: Clearance | undefined = await control.clearance(asked);
  if (found.clear) return false;
  while (found) {
    say(found.why ?? 'on hold');
    found = await control.awaitClearance({ ...asked, ...reasonOf(found) });
  }
  return true;
}
