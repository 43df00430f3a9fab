/** A lead whose run is gone. S6: whether it was paid for is asked, never assumed. */
import { isCancellation, patched, workflowInfo } from '@temporalio/workflow';
import { leadSubject } from '../../src/paying/subject';
import { control, reads, retryUntilAnswered, runKey } from '../shared/calls';
import { settle } from './booking';
import type { Wanting } from './walk';

/**
 * What became of the lead: the API's word if it says converted, else once nothing can be under way any more.
 * @returns `isOwn`: by the books it was paid for out of the budget of the asking run; `credits`: 0 where it was not;
 * `isOpen`: nobody can tell whether it was
 */
export async function findOut({ account, facts, status }: Omit<Wanting, 'place'>, leadId: string) {
  const subject = leadSubject(leadId);
  /** @returns undefined where the API does not say it */
  const isConverted = async (): Promise<boolean | undefined> => {
    try {
      const seen = await retryUntilAnswered(status, facts, account, () =>
        reads(account, { priorityKey: 3 }, `Look at lead ${leadId}`).lookAtLead({ account, leadId }),
      );
      return seen.surveyStatus === 'converted';
    } catch (error) {
      // One lead that is gone or cannot be read does not end the run of all others; the books tell what was paid (S6).
      if (isCancellation(error)) throw error;
      return undefined;
    }
  };
  let seen = await isConverted();
  let lookedAt = Number.NEGATIVE_INFINITY;
  if (!seen) {
    await untilSettled(account, subject);
    lookedAt = Date.now();
    seen = await isConverted();
  }
  if (seen) await settle({ account, subject, run: { key: workflowInfo().workflowId } }, { kind: 'foundPaid' });
  const { open, settled } = await control.subjectState({ account, subject });
  const paid = settled?.credits ?? 0;
  const isOwn = paid > 0 && settled?.run === runKey();
  // Runs from before this patch counted what another run had paid as well.
  const credits = isOwn || (paid > 0 && !patched('countsOwnPayments')) ? paid : 0;
  const converted = seen === true || paid > 0;
  // A look is believed that was asked for when no call could be under way any more: the ledger will find the same.
  const isUntold = open !== undefined && (seen === undefined || lookedAt <= open.overAt);
  const isOpen = !converted && isUntold && mindsLostRuns();
  return { converted, isOpen, credits, isOwn, ...(settled?.ref && { projectId: settled.ref }) };
}

/** Runs from before this patch wait for ever for what nobody can tell. */
export const mindsLostRuns = (): boolean => patched('mindsLostRuns');

/**
 * Waits until the ledger knows what became of the calls of runs that are gone, which it looks up itself, or has looked in
 * vain for long: then the subject is still open.
 */
export const untilSettled = (account: string, subject: string): Promise<void> =>
  control.awaitSettled({ account, subject, ...(mindsLostRuns() && { givesUp: true }) });
