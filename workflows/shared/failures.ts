/** What a failed call means: its type, its words, and what the service refused. */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { refusalReason } from '../../src/ledger/account-failures';
import { FailureType, type Refusal } from '../../src/runs/failure-types';

/** The type of the application failure behind an activity's failure. */
export function failureType(error: unknown): string | undefined {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? (error.cause.type ?? undefined)
    : undefined;
}

/** What an activity failed with; in our words, without personal data. */
export function failureText(error: unknown): string {
  const cause = error instanceof ActivityFailure && error.cause ? error.cause : error;
  // That of the last try says more than that there was no time for another one.
  if (cause instanceof TimeoutFailure) return cause.cause?.message ?? timeoutText(cause);
  return cause instanceof Error ? cause.message : String(cause);
}

/** The same with its full stop, where a sentence follows it. */
export const failureSentence = (error: unknown): string => failureText(error).replace(/[.\s]*$/, '.');

function timeoutText({ timeoutType }: TimeoutFailure): string {
  return timeoutType === 'HEARTBEAT' || timeoutType === 'START_TO_CLOSE'
    ? 'the worker that had begun it has not answered in time'
    : 'no worker has answered in time (is one running that has this account?)';
}

/** What the service said no with, where it did. */
const refusalIn = (error: unknown): Refusal | undefined =>
  failureType(error) === FailureType.refused &&
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure
    ? (error.cause.details?.[0] as Refusal | undefined)
    : undefined;

/** Why a look was refused or could not be read, as a stable code; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  switch (failureType(error)) {
    case FailureType.refused:
      return refusalReason(refusalIn(error) ?? { status: 0 });
    case FailureType.unreadable:
      return 'unreadableReply';
  }
  return undefined;
}

/** The service knows nothing of this kind under the ID. */
export const isNotFound = (error: unknown): boolean => refusalIn(error)?.status === 404;
