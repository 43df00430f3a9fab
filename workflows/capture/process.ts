/** Follows a capture until it is processed: failures are extracted again, and a review waits for a person. */

import { sleep } from '@temporalio/workflow';
import type { CaptureSeen } from '../../activities/capture-poll';
import { captureSubject } from '../../src/paying/subject';
import { reasonInWords } from '../../src/runs/reason-words';
import { utc, utcIn } from '../../src/time/utc';
import { type Purchase, payOnce } from '../paying/pay-once';
import { WHY } from '../shared/asker';
import { reads, retryUntilAnswered } from '../shared/calls';
import { waitUntil } from '../shared/deadline';
import { isNotFound, refusalOf } from '../shared/failures';
import { Stop } from '../shared/stop';
import type { Ingestion } from './ingestion';
import { Review } from './review';

/** The ledger trusts no look made sooner than this after the last settlement (the clocks' tolerance). */
const LEAST_WAIT_MS = 2_500;

/** @returns how it ended well */
export async function processCapture(at: Ingestion, captureId: string): Promise<'processed' | 'accepted'> {
  const { account, facts, status, place, input, soFar } = at;
  const review = new Review(at, captureId);
  const deadlineFromNow = () => Date.now() + input.processingDeadline;
  let deadlineAt = deadlineFromNow();
  let fresh = false;
  let { again } = input;
  for (;;) {
    status.step('processing', `Capture ${captureId} is being processed`);
    const why = `The service is extracting its items; the run checks it at least once a minute, until ${utc(deadlineAt)} UTC.`;
    const priority = { ...place, priorityKey: Math.min(5, input.priority + 1) };
    const seen = await waitUntil(
      status,
      facts,
      account,
      deadlineAt,
      why,
      (left) =>
        reads(account, priority, `Wait for capture ${captureId}`, left).awaitCapture({ account, captureId, fresh }),
      soFar.freshUntil,
    ).catch(refusedToStop(at, captureId));
    if (seen === 'late')
      throw new Stop('expired', 'processingDeadline', `Capture ${captureId} was not processed in time.`);
    soFar.stored = seen;
    if (again) {
      again = false;
      await reprocess(at, captureId, seen);
      fresh = true;
      continue;
    }
    if (seen.status === 'processed') return 'processed';
    if (seen.status === 'needs_review') {
      const decision = await review.decide(seen);
      if (decision === 'accept') return 'accepted';
      if (decision === 'reprocess') await reprocess(at, captureId, seen);
      deadlineAt = deadlineFromNow();
      fresh = true;
      continue;
    }
    if (soFar.reprocesses >= input.maxReprocesses)
      throw new Stop(
        'failed',
        'extractionFailed',
        `The extraction of capture ${captureId} failed${times(soFar.reprocesses)}.`,
      );
    const wait = Math.max(LEAST_WAIT_MS, (facts.timing.settlingMs / 10) * 2 ** soFar.reprocesses);
    status.waits(
      `The extraction failed; it is run again at ${utcIn(wait)} (${soFar.reprocesses + 1} of ${input.maxReprocesses}).`,
    );
    await sleep(wait);
    await reprocess(at, captureId, seen);
    fresh = true;
  }
}

const times = (again: number) => (again === 0 ? '' : `, and ${again} times more when it was run again`);

/** Has the capture extracted again, once (S1), unless somebody else has. */
async function reprocess(at: Ingestion, captureId: string, was: CaptureSeen): Promise<void> {
  const { account, facts, status, place, asker, run, soFar } = at;
  status.step('reprocessing', `Capture ${captureId} is extracted again`);
  const extraction: Purchase = {
    ...{ subject: captureSubject(captureId), price: 0, run: { key: run, maxCredits: 0 } },
    summary: `Extract capture ${captureId} again`,
    async look() {
      const see = () => reads(account, place, `Look at capture ${captureId}`).lookAtCapture({ account, captureId });
      const now = await retryUntilAnswered(status, facts, account, see, soFar.freshUntil);
      return now.status === was.status && now.updatedAt === was.updatedAt ? 'notFound' : 'found';
    },
    send: (calls, { lookedAt }) => calls.reprocessOnce({ account, captureId, lookedAt }),
    ask: (why, doubt) =>
      asker.decide(`${WHY[why]}${doubt} Look in the web app whether capture ${captureId} is being extracted again.`, 0),
  };
  await payOnce(at, extraction, async (outcome) => {
    switch (outcome.how) {
      case 'done':
        if (outcome.sent) soFar.reprocesses++;
        return;
      case 'refused':
        throw new Stop(
          'refused',
          outcome.reason,
          `The service refused to extract capture ${captureId} again: ${reasonInWords(outcome.reason, 'capture')}.`,
        );
      case 'cannotLook':
        return refusedToStop(at, captureId)(outcome.error);
      default:
        throw new Stop(
          'unresolved',
          'nobodyDecided',
          `Whether capture ${captureId} is extracted again could not be found out.`,
        );
    }
  });
}

/** A read that is refused ends the run with its reason. */
const refusedToStop =
  ({ soFar }: Ingestion, captureId: string) =>
  (error: unknown): never => {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    if (isNotFound(error) && soFar.freshUntil > 0)
      throw new Stop(
        'unresolved',
        'captureNotShown',
        `The note is capture ${captureId}, and the service does not show it (${reason}): look in the web app, then start ingestCapture with this captureId.`,
      );
    throw new Stop(
      'refused',
      reason,
      `The service does not show capture ${captureId}: ${reasonInWords(reason, 'capture')}.`,
    );
  };
