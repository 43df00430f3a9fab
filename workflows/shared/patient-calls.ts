/**
 * Calls that need the storage, the ledger or the service: while it is full, away, stuck or asks for a pause, and after somebody
 * has ended them by hand, they wait, and the run says so (S7).
 */
import { RetryState } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, patched, sleep } from '@temporalio/workflow';
import type { QueueClass } from '../../src/agent-api/rate-class';
import { FailureType } from '../../src/runs/failure-types';
import { utc, utcIn } from '../../src/time/utc';
import { failureSentence, failureText, failureType } from './failures';
import { ownStatus } from './status';

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 600_000;

/** Of a longer pause the end is asked for after this, less and less often: a person may lift it (the ledger's `release`). */
const FIRST_PARK_LOOK_MS = 15_000;
const MAX_PARK_LOOK_MS = 3_600_000;

/** What the worker cannot mend, and does not try again by itself. */
const LACKING: readonly (string | undefined)[] = [FailureType.storage, FailureType.ledger];

/**
 * The same calls, each repeated until storage and ledger take part. Less and less often: a call that stores a reply of the
 * service reads it again each time.
 * @param withinMs ends this waiting too: then the call fails with what it lacks
 * @param limit in whose queue they wait for their turn, which the run says (S7)
 */
export const onceThere = <T extends object>(calls: T, withinMs = Number.POSITIVE_INFINITY, limit?: QueueClass): T =>
  new Proxy(calls, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      return typeof call === 'function' ? (...args: unknown[]) => repeat(() => call(...args), withinMs, limit) : call;
    },
  });

async function repeat(call: () => Promise<unknown>, withinMs: number, limit?: QueueClass): Promise<unknown> {
  const deadlineAt = Date.now() + withinMs;
  /** Others may lack something at the same time. */
  const lacks = (why: string | undefined) => ownStatus()?.lacks(call, why);
  for (let failures = 0; ; failures++) {
    ownStatus()?.calling(call, limit);
    const answer = await call().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    ownStatus()?.calling(call, undefined);
    const lacked = 'error' in answer ? lackOf(answer.error, failures) : undefined;
    if (lacked !== undefined && Date.now() < deadlineAt) {
      lacks(lacked.why);
      try {
        await sleep(Math.min(lacked.waitMs, Math.max(1, deadlineAt - Date.now())));
      } catch (cancelled) {
        lacks(undefined);
        throw cancelled;
      }
      // A call that takes part again may wait for long, and answers only then.
      lacks(lacked.past?.(Date.now()));
      continue;
    }
    if (failures > 0) lacks(undefined);
    if ('error' in answer) throw answer.error;
    return answer.value;
  }
}

interface Lack {
  why: string;
  waitMs: number;
  /** What is said from the moment on at which it is tried again. */
  past?: (at: number) => string;
}

/** What a failed call has to wait for, and how long; undefined for what no waiting mends. */
function lackOf(error: unknown, failures: number): Lack | undefined {
  const parkedMs = parkedFor(error);
  if (parkedMs !== undefined) {
    return {
      why: `${failureText(error)} go on by themselves at ${utcIn(parkedMs)}.`,
      waitMs: Math.min(parkedMs, doubled(FIRST_PARK_LOOK_MS, failures, MAX_PARK_LOOK_MS)),
    };
  }
  const isByHand = isEndedByHand(error) && patched('asksAgainAfterHand');
  if (!isByHand && !LACKING.includes(failureType(error))) return undefined;
  const waitMs = doubled(FIRST_WAIT_MS, failures, MAX_WAIT_MS);
  const what = isByHand ? 'Somebody has ended a step of this run by hand, or limited its tries: ' : '';
  return {
    why: `${what}${failureSentence(error)} It is tried again at ${utcIn(waitMs)}.`,
    waitMs,
    past: (at) => triedAgain(error, at),
  };
}

/** What is said from the moment on at which a call is tried again: it may wait in its queue for long. */
export const triedAgain = (error: unknown, at: number): string =>
  `Tried again at ${utc(at)} UTC, without an answer so far; the try before failed: ${failureText(error)}`;

/**
 * Our own failures have a type, and their tries no limit: only a person ends a call otherwise (`temporal activity fail`,
 * `update-options`). To end the run there are cancel and terminate.
 */
const isEndedByHand = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  (error.retryState === RetryState.MAXIMUM_ATTEMPTS_REACHED ||
    (error.cause instanceof ApplicationFailure && !error.cause.type));

const doubled = (firstMs: number, failures: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures, 12));

/** The call failed with what it lacked when its time was over. */
export const isLacking = (error: unknown): boolean => lackOf(error, 0) !== undefined;

/** The pause that the service has asked for, milliseconds; undefined for any other failure. */
function parkedFor(error: unknown): number | undefined {
  if (failureType(error) !== FailureType.parked || !(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  const [ms] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return typeof ms === 'number' && ms > 0 ? ms : 0;
}
