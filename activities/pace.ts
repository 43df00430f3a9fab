/** The rhythm of activities that wait for something: Temporal repeats them, and the queue is the scheduler. */
import { Context } from '@temporalio/activity';
import type { AccountRuntime } from './deps';

const GROWTH = 1.3;

/**
 * The time to the next look, milliseconds: the account's `timing.pollMs` at first, then ever more seldom.
 * @param most how many times as long it becomes at most
 */
export function slower({ account }: AccountRuntime, most: number): number {
  const { attempt } = Context.current().info;
  return account.timing.pollMs * Math.min(most, GROWTH ** Math.min(attempt - 1, 40));
}

/**
 * The time to the next look for what people may take days to do, milliseconds: 12 times `pollMs` at first (a minute by
 * default), then half of the time that was waited already, up to 720 times `pollMs` (an hour).
 * @param waitedMs since the wait began, whatever interrupted it meanwhile
 */
export const seldom = (pollMs: number, waitedMs: number): number =>
  Math.min(720 * pollMs, Math.max(12 * pollMs, waitedMs / 2));
