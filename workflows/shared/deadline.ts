/** Waiting for something that takes hours or days, without history events, until it is there or the deadline passes. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import { retryUntilAnswered } from './calls';
import { isLacking } from './patient-calls';
import type { Status } from './status';

/**
 * @param why what is waited for, and what ends it: shown in the details meanwhile (S7)
 * @param wait an activity that Temporal repeats until it returns, given the milliseconds that are left
 * @param freshUntil as in `retryUntilAnswered`
 */
export async function waitUntil<T>(
  status: Status,
  facts: AccountFacts,
  account: string,
  deadlineAt: number,
  why: string,
  wait: (leftMs: number) => Promise<T>,
  freshUntil = 0,
): Promise<T | 'late'> {
  try {
    const ask = () => {
      status.waits(why);
      return wait(deadlineAt - Date.now());
    };
    return await retryUntilAnswered(status, facts, account, ask, freshUntil);
  } catch (error) {
    if (isTimeout(error) || isLacking(error)) return 'late';
    throw error;
  }
}

/** The time for all tries is over; or the next one would come too late, of which the server tells at once. */
const isTimeout = (error: unknown): boolean =>
  error instanceof ActivityFailure && (error.cause instanceof TimeoutFailure || error.retryState === 'TIMEOUT');
