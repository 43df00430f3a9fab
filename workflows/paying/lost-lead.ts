/** A lead whose run is gone. S6: whether it was paid for is asked, never assumed. */
import { isCancellation, patched, workflowInfo } from '@temporalio/workflow';
import { leadSubject } from '../../src/paying/subject';
import { control, reads, retryUntilAnswered, runKey } from '../shared/calls';
import { settle } from './booking';
import type { Wanting } from './walk';

/**
 * What became of the lead: the API's word if it says converted, else once nothing can be under way any more.
 * @returns `isOwn`: by the books it was paid for out of the budget of the asking run; `credits`: 0 where it was not
 */
export async function findOut({ account, facts, status }: Omit<Wanting, 'place'>, leadId: string) {
  const subject = leadSubject(leadId);
  const isConverted = async () => {
    try {
      const seen = await retryUntilAnswered(status, facts, account, () =>
        reads(account, { priorityKey: 3 }, `Look at lead ${leadId}`).lookAtLead({ account, leadId }),
      );
      return seen.surveyStatus === 'converted';
    } catch (error) {
      // One lead that is gone or cannot be read does not end the run of all others; the books tell what was paid (S6).
      if (isCancellation(error)) throw error;
      return false;
    }
  };
  let converted = await isConverted();
  if (!converted) {
    await control.awaitSettled({ account, subject });
    converted = await isConverted();
  }
  if (converted) await settle({ account, subject, run: { key: workflowInfo().workflowId } }, { kind: 'foundPaid' });
  const { settled } = await control.subjectState({ account, subject });
  const paid = settled?.credits ?? 0;
  const isOwn = paid > 0 && settled?.run === runKey();
  // Runs from before this patch counted what another run had paid as well.
  const credits = isOwn || (paid > 0 && !patched('countsOwnPayments')) ? paid : 0;
  return { converted: converted || paid > 0, credits, isOwn, ...(settled?.ref && { projectId: settled.ref }) };
}
