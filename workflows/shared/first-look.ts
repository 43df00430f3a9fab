/** The look with which a conversion begins: what the run needs to know of its account comes with it, in one call instead of two. */
import type { Priority } from '@temporalio/common';
import { CancellationScope, isCancellation, patched } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadSeen } from '../../activities/leads';
import { factsOf, reads } from './calls';
import { isKnown, isUntaken, knowsAccount } from './control-queue';
import { ownStatus } from './status';
import { ASKS_BOOKS, isWithdrawal } from './withdraw';

/**
 * How long it waits for a worker where the account's name may be mistyped. Then the facts are asked for by themselves: that
 * way a run hears that there is no such account, or has its facts while many reads wait.
 */
const TAKEN_WITHIN_MS = 3_000;

export interface FirstLook {
  facts: AccountFacts;
  /** What was seen, and when it was asked for (S2). */
  looked?: { askedAt: number; seen: LeadSeen };
  /** Why nothing was, where a worker has tried. */
  failed?: unknown;
}

export async function firstLook(account: string, leadId: string, place: Priority): Promise<FirstLook> {
  const askedAt = Date.now();
  const takenWithinMs = isKnown() ? undefined : TAKEN_WITHIN_MS;
  const answer = await reads(account, place, `Look at lead ${leadId}`, undefined, takenWithinMs)
    .lookAtLead({ account, leadId, facts: true })
    .then(
      (value) => ({ value }),
      (failed: unknown) => ({ failed }),
    );
  if ('value' in answer) knowsAccount();
  else if (isCancellation(answer.failed) && !asksBooks(answer.failed)) throw answer.failed;
  let failed = 'failed' in answer && !isUntaken(answer.failed) ? answer.failed : undefined;
  let facts = 'value' in answer ? answer.value.facts : undefined;
  try {
    facts ??= await factsOf(account);
  } catch (error) {
    if (!asksBooks(error)) throw error;
    ownStatus()?.waits(ASKS_BOOKS);
    facts = await CancellationScope.nonCancellable(() => factsOf(account));
    failed = error;
  }
  if ('failed' in answer) return { facts, ...(failed !== undefined && { failed }) };
  const { facts: _, ...seen } = answer.value;
  return { facts, looked: { askedAt, seen } };
}

/** Whoever is withdrawn asks the books whether it has paid (S6), for which it needs the facts. */
const asksBooks = (failed: unknown): boolean => isWithdrawal(failed) && patched('asksWhenWithdrawn');
