/** A call that may be repeated: reads, and writes that change nothing the second time. */

import { FailureType } from '../../src/runs/failure-types';
import { reasonInWords } from '../../src/runs/reason-words';
import { polls, reads, retryUntilAnswered, writes } from '../shared/calls';
import { failureType } from '../shared/failures';
import type { CallRun, End } from './call-run';

const QUEUES = { reads, writes, polls };

export async function callRepeatable(at: CallRun): Promise<End> {
  const { input, plan, facts, status, place, name } = at;
  status.step(plan.method === 'GET' ? 'looking' : 'calling', `Calling ${name}`);
  let mayHaveArrived = false;
  const outcome = await retryUntilAnswered(status, facts, input.account, async () => {
    try {
      return await QUEUES[plan.queue](input.account, place, `Call ${name}`).callAny();
    } catch (error) {
      mayHaveArrived ||= failureType(error) === FailureType.upstream;
      throw error;
    }
  });
  switch (outcome.kind) {
    case 'done': {
      const { kind: _, ...replied } = outcome;
      if (outcome.lost)
        return end('done', 'replyNotStored', `${name} is done; its reply could not be stored.`, { replied });
      return { outcome: 'done', sentence: `${name} is done.`, credits: 0, replied };
    }
    case 'unreadable':
      // A write that was answered 2xx has had its effect; a read without its reply has had none.
      if (plan.method !== 'GET') return end('done', 'unreadableReply', `${name} is done; ${outcome.problem}.`);
      return end('unresolved', 'unreadableReply', `${outcome.problem}.`);
    case 'refused': {
      const { reason, repeated } = outcome;
      const more = { ...(outcome.status > 0 && { status: outcome.status }) };
      if (plan.method === 'DELETE' && outcome.status === 404 && (mayHaveArrived || repeated))
        return end(
          'done',
          'alreadyGone',
          `${name}: the record is not there; an earlier try may have deleted it.`,
          more,
        );
      return end('refused', reason, `The service refused ${name}: ${reasonInWords(reason)}.`, more);
    }
  }
}

const end = (outcome: End['outcome'], reason: string, sentence: string, more: Partial<End> = {}): End => ({
  ...{ outcome, reason, sentence, credits: 0 },
  ...more,
});
