/** What people may do to a pipeline while it runs: pause it, let it go on, change its limits. Who did it is kept. */
import { defineUpdate, setHandler } from '@temporalio/workflow';
import { type LeadPipelineInput, LimitChanges } from '../../src/inputs/lead-pipeline';
import { PersonNote, StopSaid } from '../../src/inputs/person-messages';
import { counted } from '../../src/text/numbers';
import type { BlockerWatch } from '../shared/blocker-watch';
import { loosens } from '../shared/kept-acts';
import { isHeard, overtakes, overtakesLimits } from '../shared/overtaken';
import { type Answered, answered, checked } from '../shared/said';
import type { Status } from '../shared/status';

export type PipelineLimits = Pick<LeadPipelineInput, 'maxConversions' | 'maxCredits' | 'concurrency'>;

export const pauseUpdate = defineUpdate<string, [PersonNote | undefined]>('pause');
export const resumeUpdate = defineUpdate<string, [PersonNote | undefined]>('resume');
export const stopUpdate = defineUpdate<string, [StopSaid | undefined]>('stop');
export const changeLimitsUpdate = defineUpdate<PipelineLimits, [LimitChanges]>('changeLimits');

/** What goes over to the next run when the pipeline continues as new. */
export interface ControlState {
  limits: PipelineLimits;
  /** Who has paused it. */
  paused?: string | undefined;
  /** Who has stopped it, and whether what is in a call is not to be waited for. */
  stopped?: { by: string; now: boolean };
  answers: Answered[];
}

export class Controls {
  readonly state: ControlState;
  /** Leads that were chosen: no limit can be raised beyond them. */
  chosen = Number.POSITIVE_INFINITY;
  /** Looks out for what keeps the conversions, once there are any. */
  blockers: BlockerWatch | undefined;
  /** Ends what the run does at the moment, whatever it waits for. */
  onStop: () => void = () => undefined;
  /** Writes the page anew, which tells what the limits come to. */
  onLimits: () => void = () => undefined;

  constructor(
    { maxConversions, maxCredits, concurrency }: LeadPipelineInput,
    private readonly status: Status,
    before?: ControlState,
  ) {
    this.state = before ?? { limits: { maxConversions, maxCredits, concurrency }, answers: [] };
    const { state } = this;
    status.heard(state.answers);
    setHandler(
      pauseUpdate,
      (said) => {
        const by = said?.by ?? 'somebody';
        overtakes('resume', `it was paused by ${by}`);
        state.paused = by;
        this.note('pause', said);
        this.say();
        return 'Paused: no further lead is converted; those under way go on.';
      },
      {
        description: 'Converts no further lead; those under way go on: {"reason": "…", "by": "…"}',
        validator: checked(PersonNote, 'pause', () => {
          if (state.paused && !isHeard('resume'))
            throw new Error('This pipeline is paused already; `resume` lets it go on.');
        }),
      },
    );
    loosens('resume');
    setHandler(
      resumeUpdate,
      (said) => {
        state.paused = undefined;
        this.note('resume', said);
        this.say();
        return 'Resumed.';
      },
      {
        description: 'Goes on after a pause: {"by": "…"}',
        validator: checked(PersonNote, 'resume', () => {
          if (!state.paused) throw new Error('This pipeline is not paused.');
        }),
      },
    );
    setHandler(
      stopUpdate,
      (said) => {
        state.stopped = { by: said?.by ?? 'somebody', now: said?.now ?? false };
        this.note(said?.now ? 'stop now' : 'stop', said);
        this.onStop();
        return 'Stopped: conversions that have sent nothing are withdrawn; the run ends within a minute and names the others.';
      },
      {
        description:
          'Ends the pipeline: what has sent nothing is withdrawn, and the others are named. With "now": true it does not wait for calls in flight: {"reason": "…", "by": "…"}',
        validator: checked(StopSaid, 'stop', () => {
          if (state.stopped) throw new Error('This pipeline is stopping already.');
        }),
      },
    );
    loosens('changeLimits', ({ maxConversions = 0, maxCredits = 0 }: LimitChanges) => {
      const { limits } = state;
      return maxConversions > limits.maxConversions || maxCredits > limits.maxCredits;
    });
    setHandler(
      changeLimitsUpdate,
      ({ by, reason, ...limits }) => {
        overtakesLimits(limits, by);
        Object.assign(state.limits, limits);
        this.onLimits();
        this.note(`changeLimits ${JSON.stringify(limits)}`, { ...(by && { by }), ...(reason && { reason }) });
        return { ...state.limits };
      },
      {
        description:
          'Changes what it may do, from the next lead on: {"maxConversions": 5, "maxCredits": 5000, "concurrency": 2, "by": "…"}',
        validator: checked(LimitChanges, 'changeLimits', ({ maxConversions = 0 }) => {
          if (maxConversions > this.chosen)
            throw new Error(
              `changeLimits: maxConversions was given ${maxConversions}; this run has chosen ${counted(this.chosen, 'lead')}, and no more.`,
            );
        }),
      },
    );
  }

  /** S7: why nothing goes on, and what ends it; while leads are listed and approved the run says so itself. */
  say(): void {
    const { status, blockers, state } = this;
    if (blockers === undefined) return;
    const why = state.paused
      ? `Paused by ${state.paused}. The update \`resume\` lets it go on; those under way do anyway.`
      : blockers.why();
    if (why === undefined) status.goesOn();
    else status.waits(why);
  }

  /** Keeps what a person did, for the result. */
  note(answer: string, said: PersonNote | undefined): void {
    this.state.answers.push(answered(answer, said));
    this.status.heard(this.state.answers);
  }
}
