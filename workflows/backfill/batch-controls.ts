/** What people may do to a backfill while it runs, and what they did. */
import { setHandler } from '@temporalio/workflow';
import type { z } from 'zod';
import { type BackfillInput, LimitChanges } from '../../src/inputs/backfill';
import { PersonNote, StopSaid } from '../../src/inputs/person-messages';
import { counted } from '../../src/text/numbers';
import { loosens } from '../shared/kept-acts';
import { isHeard, overtakes, overtakesLimits } from '../shared/overtaken';
import { type Answered, answered, checked } from '../shared/said';
import { ownStatus } from '../shared/status';
import * as messages from './batch-messages';

export interface Paused {
  by: string;
  reason?: string;
  /** The backfill paused itself: the service refused for a reason that concerns the whole account. */
  refusal?: string;
}

/** What goes over to the next run when the backfill continues as new. */
export interface ControlState {
  limits: messages.RunLimits;
  paused?: Paused | undefined;
  /** A person has stopped it; `now`: without waiting for calls in flight. */
  stopped?: { by: string; now: boolean };
  /** The failed ones are to be tried again. */
  retry: boolean;
  /** When it was last resumed after a refusal, milliseconds: what was begun before may still be refused. */
  resumedAt?: number;
  answers: Answered[];
}

export class Controls {
  readonly state: ControlState;
  /** Set while the run waits for an approval, and then by the answer. */
  approval: 'none' | 'asked' | 'approved' | 'rejected' = 'none';
  /** Changes with everything that may let the run go on. */
  version = 0;
  /** Items that failed and are not queued again. */
  failed: () => number = () => 0;
  /** Ends what the run does at the moment, whatever it waits for. */
  onStop: () => void = () => undefined;
  /** Writes the page anew, which tells what the limits come to. */
  onLimits: () => void = () => undefined;
  #closed = false;

  constructor(input: BackfillInput, before?: ControlState) {
    const { window, maxCredits, itemsPerMinute = null, maxItems = null } = input;
    this.state = before ?? { limits: { window, maxCredits, itemsPerMinute, maxItems }, retry: false, answers: [] };
    ownStatus()?.heard(this.state.answers);
    this.#register();
  }

  /** The run is about to end: what comes now comes too late, and is told so. */
  close(): void {
    this.#closed = true;
  }

  pause(paused: Paused): void {
    this.state.paused = paused;
    this.version++;
  }

  #note(answer: string, said: PersonNote): void {
    this.state.answers.push(answered(answer, said));
    ownStatus()?.heard(this.state.answers);
    this.version++;
  }

  #register(): void {
    const valid = <S extends z.ZodType>(schema: S, name: string, may: (said: z.output<S>) => void = () => undefined) =>
      checked(schema, name, (said) => {
        if (this.#closed)
          throw new Error('This backfill is ending; start another, with redriveOf for what is not done.');
        may(said);
      });
    const asked = () => {
      if (this.approval !== 'asked') throw new Error('This run does not wait for an approval at the moment.');
    };
    const { state } = this;
    for (const update of ['approve', 'resume', 'retryFailed']) loosens(update);
    loosens('changeLimits', ({ maxItems, maxCredits = 0 }: LimitChanges) => {
      const more = maxItems === null || (maxItems ?? 0) > (state.limits.maxItems ?? Number.POSITIVE_INFINITY);
      return more || maxCredits > state.limits.maxCredits;
    });

    setHandler(
      messages.approveUpdate,
      (said) => {
        this.approval = 'approved';
        this.#note('approve', said ?? {});
        return 'Approved: the items are begun.';
      },
      {
        description: 'Approves the plan shown in the details: {"by": "…"}',
        validator: valid(PersonNote, 'approve', asked),
      },
    );
    setHandler(
      messages.rejectUpdate,
      (said) => {
        this.approval = 'rejected';
        this.#note('reject', said ?? {});
        return 'Rejected: no item is begun.';
      },
      { description: 'Rejects the plan; no item is begun: {"by": "…"}', validator: valid(PersonNote, 'reject', asked) },
    );
    setHandler(
      messages.pauseUpdate,
      (said) => {
        const { by = 'somebody', reason } = said ?? {};
        const { refusal } = state.paused ?? {};
        overtakes('resume', `it was paused by ${by}`);
        this.pause({ by, ...(reason && { reason }), ...(refusal && { refusal }) });
        this.#note('pause', said ?? {});
        return 'Paused: no further item is begun; those under way go on.';
      },
      {
        description: 'Begins no further item; those under way go on: {"reason": "…", "by": "…"}',
        validator: valid(PersonNote, 'pause', () => {
          if (state.paused && !isHeard('resume'))
            throw new Error('This backfill is paused already; `resume` lets it go on.');
        }),
      },
    );
    setHandler(
      messages.resumeUpdate,
      (said) => {
        const retry = state.paused?.refusal !== undefined;
        state.paused = undefined;
        if (retry) Object.assign(state, { retry, resumedAt: Date.now() });
        this.#note('resume', said ?? {});
        return retry ? 'Resumed: what was refused is tried again.' : 'Resumed.';
      },
      {
        description: 'Goes on after a pause, and tries again what had been refused: {"by": "…"}',
        validator: valid(PersonNote, 'resume', () => {
          if (!state.paused) throw new Error('This backfill is not paused.');
        }),
      },
    );
    setHandler(
      messages.stopUpdate,
      (said) => {
        state.stopped = { by: said?.by ?? 'somebody', now: said?.now ?? false };
        this.#note(said?.now ? 'stop now' : 'stop', said ?? {});
        this.onStop();
        return 'Stopped: items that have sent nothing are withdrawn; the backfill ends within a minute and names the others.';
      },
      {
        description:
          'Ends the backfill: what has sent nothing is withdrawn, and the others are named; a redrive does what is not done. With "now": true it does not wait for calls in flight: {"reason": "…", "by": "…"}',
        validator: valid(StopSaid, 'stop', () => {
          if (state.stopped) throw new Error('This backfill is stopping already.');
        }),
      },
    );
    setHandler(
      messages.retryFailedUpdate,
      (said) => {
        const failed = this.failed();
        state.retry = true;
        this.#note('retryFailed', said ?? {});
        return `${counted(failed, 'failed item')} ${failed === 1 ? 'is' : 'are'} tried again, after those that were not begun yet, as far as maxCredits allows.`;
      },
      {
        description: 'Tries all items again that have failed so far: {"by": "…"}',
        validator: valid(PersonNote, 'retryFailed', () => {
          if (state.retry) throw new Error('The failed items are queued already.');
          if (state.stopped) throw new Error('This backfill is stopping; start another with redriveOf.');
          if (this.failed() === 0) throw new Error('No item has failed, or all that have are queued again already.');
        }),
      },
    );
    setHandler(
      messages.changeLimitsUpdate,
      (changes) => {
        const { by, reason, ...limits } = changes;
        overtakesLimits(limits, by);
        for (const [name, value] of Object.entries(limits))
          if (value !== undefined) Object.assign(state.limits, { [name]: value });
        this.onLimits();
        const said = { ...(by && { by }), ...(reason && { reason }) };
        this.#note(`changeLimits ${JSON.stringify(limits)}`, said);
        return { ...state.limits };
      },
      {
        description:
          'Changes how fast and how far it goes, from the next item on: {"window": 50, "itemsPerMinute": 10, "maxItems": 1000, "maxCredits": 100000, "by": "…"}; null for itemsPerMinute or maxItems: no such limit.',
        validator: valid(LimitChanges, 'changeLimits'),
      },
    );
  }
}
