/** What a batch is about to do, as its limits stand: a person may change them, and reads what holds then. */
import { condition, workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { Prepared } from '../../activities/backfill-list';
import { type BatchPage, batchPage, itemTexts } from '../../src/batches/approval-page';
import { type BackfillPlan, planBackfill } from '../../src/batches/plan';
import type { BackfillInput, BackfillJson } from '../../src/inputs/backfill';
import { thresholdsOf } from '../../src/leads/shown-lead';
import type { Asked } from '../../src/notify/message';
import { type Answer, answerWith, approvals } from '../../src/runs/answers';
import type { Markdown } from '../../src/text/md';
import { counted, grouped } from '../../src/text/numbers';
import { formatDuration } from '../../src/time/duration';
import type { Status } from '../shared/status';
import { tellPersonNeeded } from '../shared/tell';
import type { Controls } from './batch-controls';
import type { State } from './batch-state';

/** What is shown of the list before it is begun. */
export interface Listed extends Pick<Prepared, 'first' | 'mayBeSpent'> {
  /** Where the items come from, if they are leads. */
  leads?: BackfillInput['leads'];
}

export class Planned {
  /** @param listed absent in a later part of the same batch, which shows no plan any more */
  constructor(
    private readonly given: { input: BackfillInput; raw: BackfillJson; listed?: Listed | undefined },
    private readonly facts: AccountFacts,
    private readonly state: State,
    private readonly controls: Controls,
  ) {}

  get plan(): BackfillPlan {
    const { itemsPerMinute, maxItems, maxCredits } = this.controls.state.limits;
    return planBackfill(this.state.opened.operation, this.state.prepared.needs, {
      ...this.facts,
      ...(itemsPerMinute !== null && { itemsPerMinute }),
      ...(maxItems !== null && { maxItems }),
      maxCredits,
    });
  }

  /** What is about to be done, for whoever approves it. */
  page(): Markdown {
    return batchPage(this.pageFacts());
  }

  private pageFacts(): BatchPage {
    const { input, raw, listed: { leads = input.leads, first = [], mayBeSpent = [] } = {} } = this.given;
    const { prepared } = this.state;
    const { limits } = this.controls.state;
    return {
      ...{ plan: this.plan, listed: prepared.needs.items, first, left: mayBeSpent, limits },
      ...{ leftOut: prepared.left, quarantined: prepared.quarantined, notes: prepared.notes },
      isDefaultBudget: raw.maxCredits === undefined && limits.maxCredits === input.maxCredits,
      compared: {
        thresholds: leads ? thresholdsOf(leads.scoring) : { minReadiness: 0 },
        price: this.facts.convertPrice,
        byDefault: raw.leads !== undefined && raw.leads.scoring?.minReadiness === undefined ? ['minReadiness'] : [],
      },
    };
  }

  /** Asks a person. @returns `expired` where nobody has answered in time */
  async approval(status: Status, account: string, deadline: number): Promise<'approved' | 'rejected' | 'expired'> {
    const { controls, state } = this;
    controls.approval = 'asked';
    status.step('approval', this.question());
    const answers = this.answers();
    status.asksPerson(`Approval is needed within ${formatDuration(deadline)}. ${answerWith(answers)}`, answers);
    tellPersonNeeded(account, 'approval', ++state.told, this.asked());
    await condition(() => controls.approval !== 'asked', deadline);
    status.asksNobody();
    const answer = controls.approval === 'asked' || controls.approval === 'none' ? 'expired' : controls.approval;
    controls.approval = 'none';
    return answer;
  }

  /** What is asked stands on the page as it is by now. */
  showAnew(status: Status): void {
    if (this.controls.approval === 'asked') {
      status.says(this.question());
      status.mayAnswer(this.answers());
    }
    status.figures(this.page());
  }

  private question(): string {
    return `A person is asked to approve ${this.inShort()}`;
  }

  private inShort(): string {
    const { items, credits } = this.plan;
    return `${counted(items, 'item')} for ${grouped(credits)} credits`;
  }

  private answers(): Answer[] {
    return approvals(workflowInfo().workflowId, this.plan.credits);
  }

  /** For a notification. */
  private asked(): Asked {
    const page = this.pageFacts();
    const { credits } = page.plan;
    return { about: this.inShort(), credits, shows: itemTexts(page), left: page.left, answers: this.answers() };
  }
}
