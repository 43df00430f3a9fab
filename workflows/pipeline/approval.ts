/** Whether a person lets a pipeline convert what it has chosen. */
import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { PersonNote } from '../../src/inputs/person-messages';
import { answerWith } from '../../src/runs/answers';
import { formatDuration } from '../../src/time/duration';
import { loosens } from '../shared/kept-acts';
import { hasWaited, overtakes } from '../shared/overtaken';
import { checked } from '../shared/said';
import type { Status } from '../shared/status';
import { tellPersonNeeded } from '../shared/tell';
import type { Chosen } from './chosen';
import type { Controls } from './controls';

export const approveUpdate = defineUpdate<string, [PersonNote | undefined]>('approve');
export const rejectUpdate = defineUpdate<string, [PersonNote | undefined]>('reject');

export class Approval {
  /** Who approved it. */
  by: string | undefined;
  #asking = false;
  #approved: boolean | undefined;

  constructor(
    private readonly status: Status,
    private readonly controls: Controls,
  ) {
    const asked = () => {
      // The answer is there before the run has gone on with it. What waited to be written is judged by what was said after it.
      const isAnswered = this.#approved !== undefined && !hasWaited();
      if (!this.#asking || isAnswered) throw new Error('This run does not wait for an approval at the moment.');
    };
    loosens('approve');
    setHandler(approveUpdate, (said) => this.#hear(true, said), {
      description: 'Approves the plan shown in the details: {"reason": "…", "by": "…"}',
      validator: checked(PersonNote, 'approve', asked),
    });
    setHandler(rejectUpdate, (said) => this.#hear(false, said), {
      description: 'Rejects the plan; nothing is converted: {"reason": "…", "by": "…"}',
      validator: checked(PersonNote, 'reject', asked),
    });
  }

  /** @returns `expired` where nobody has answered in time */
  async ask(account: string, chosen: Chosen, deadline: number): Promise<'approved' | 'rejected' | 'expired'> {
    const { status } = this;
    this.#asking = true;
    status.step('approval', chosen.question);
    status.asksPerson(
      `Approval is needed within ${formatDuration(deadline)}. ${answerWith(chosen.answers)}`,
      chosen.answers,
    );
    tellPersonNeeded(account, 'approval', 1, chosen.asked());
    await condition(() => this.#approved !== undefined, deadline);
    this.over();
    status.asksNobody();
    return this.#approved === undefined ? 'expired' : this.#approved ? 'approved' : 'rejected';
  }

  /** What is asked stands on the page as it is by now. */
  asksAnew(chosen: Chosen): void {
    if (!this.#asking) return;
    this.status.says(chosen.question);
    this.status.mayAnswer(chosen.answers);
  }

  /** What is answered from now on comes too late. */
  over(): void {
    this.#asking = false;
  }

  #hear(approved: boolean, said: PersonNote | undefined): string {
    if (!approved) overtakes('approve', `it was rejected by ${said?.by ?? 'somebody'}`);
    this.#approved = approved;
    if (said?.by) this.by = said.by;
    this.controls.note(approved ? 'approve' : 'reject', said);
    return approved ? 'Approved: the conversions start.' : 'Rejected: nothing is converted.';
  }
}
