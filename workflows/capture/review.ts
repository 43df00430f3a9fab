/** A capture that needs review: a person decides here, or in the web app. */

import { CancellationScope, defineUpdate, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { CaptureStored } from '../../activities/captures';
import { PersonNote } from '../../src/inputs/person-messages';
import { counted } from '../../src/text/numbers';
import { ownAnswer } from '../shared/asker';
import { reads, retryUntilAnswered } from '../shared/calls';
import { checked } from '../shared/said';
import { Stop } from '../shared/stop';
import type { Ingestion } from './ingestion';

export const acceptUpdate = defineUpdate<string, [PersonNote | undefined]>('accept');
export const reprocessUpdate = defineUpdate<string, [PersonNote | undefined]>('reprocess');
export const giveUpUpdate = defineUpdate<string, [PersonNote | undefined]>('giveUp');

type Decision = 'accept' | 'reprocess' | 'giveUp';

const UPDATES = [
  [acceptUpdate, 'accept', 'Takes the capture as it is'],
  [reprocessUpdate, 'reprocess', 'Has the capture extracted again'],
  [giveUpUpdate, 'giveUp', 'Ends the run and leaves the capture as it is'],
] as const;

export class Review {
  #asking = false;
  #decision: Decision | undefined;

  constructor(
    private readonly at: Ingestion,
    private readonly captureId: string,
  ) {
    for (const [update, decision, what] of UPDATES)
      setHandler(
        update,
        (said) => {
          this.#decision = decision;
          at.asker.note(decision, said);
          return `Noted: ${decision}.`;
        },
        {
          description: `${what}: {"reason": "…", "by": "…"}`,
          validator: checked(PersonNote, decision, () => {
            if (!this.#asking) throw new Error('The capture does not wait for a review at the moment.');
            if (this.#decision) throw new Error(`It is decided already: ${this.#decision}.`);
          }),
        },
      );
  }

  /** @returns `changed` when it was decided in the web app. @throws Stop when it is given up */
  async decide(seen: CaptureStored): Promise<'accept' | 'reprocess' | 'changed'> {
    const { at, captureId } = this;
    const { account, facts, status, place, asker, input, soFar } = at;
    status.step('review', `Capture ${captureId} needs review`);
    this.#asking = true;
    let changed = false;
    const scope = new CancellationScope();
    const noticing = scope
      .run(() => this.#notice(seen))
      .then(
        () => {
          changed = true;
        },
        (error) => {
          if (!isCancellation(error)) throw error;
        },
      );
    const asks = `Capture ${captureId} needs review: ${counted(seen.items.total, 'item')} so far, in ${seen.files.items} of the storage.`;
    const also = 'Or decide in the web app.';
    const answers = [
      ownAnswer('accept', 'It is good as it is', 'the run ends with these items, and no credits are spent'),
      ownAnswer('reprocess', 'It is to be extracted again', 'the service extracts it again, which costs no credits'),
      ownAnswer('giveUp', 'It is to be left as it is', 'the run ends as unresolved, and no credits are spent'),
    ];
    const inTime = await asker.until({ asks, also, answers }, () => this.#decision !== undefined || changed);
    this.#asking = false;
    scope.cancel();
    await noticing;
    const decision = this.#decision;
    this.#decision = undefined;
    if (changed && !decision) return 'changed';
    if (!inTime)
      throw input.askPerson
        ? new Stop('expired', 'nobodyDecided', `Nobody decided on capture ${captureId} in time.`)
        : new Stop('unresolved', 'needsReview', `Capture ${captureId} needs review, and this run asks nobody.`);
    if (decision === 'accept') {
      soFar.stored = await retryUntilAnswered(status, facts, account, () =>
        reads(account, place, `Store capture ${captureId}`).storeCapture({ account, captureId }),
      );
      return 'accept';
    }
    if (decision === 'reprocess') return 'reprocess';
    throw new Stop('unresolved', 'gaveUp', `Capture ${captureId} was left as it is.`);
  }

  /** Returns when the capture has left its review. */
  async #notice(was: CaptureStored): Promise<void> {
    const { at, captureId } = this;
    const { account, place } = at;
    const { holdProbeMs } = at.facts.timing;
    const { status, updatedAt } = was;
    for (let wait = holdProbeMs; ; wait = Math.min(2 * wait, 60 * holdProbeMs))
      try {
        await reads(account, { ...place, priorityKey: 5 }, `Wait for the review of capture ${captureId}`).awaitCapture({
          ...{ account, captureId },
          was: { status, ...(updatedAt !== undefined && { updatedAt }) },
        });
        return;
      } catch (error) {
        // Whatever stands in the way of looking, the person is asked all the same.
        if (isCancellation(error)) throw error;
        await sleep(wait);
      }
  }
}
