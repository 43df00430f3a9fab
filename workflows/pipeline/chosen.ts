/** What a pipeline has chosen, as its limits stand: a person may lower them, and reads what holds then. */
import { workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadChoice } from '../../activities/lead-choice';
import type { LeadPipelineInput, LeadPipelineJson } from '../../src/inputs/lead-pipeline';
import {
  type ApprovalPage,
  approvalPage,
  type Defaulted,
  describeChoice,
  leadTexts,
} from '../../src/leads/approval-page';
import { plan } from '../../src/leads/cost-plan';
import { thresholdsOf } from '../../src/leads/shown-lead';
import type { Asked } from '../../src/notify/message';
import { type Answer, approvals } from '../../src/runs/answers';
import type { Markdown } from '../../src/text/md';
import { counted, grouped } from '../../src/text/numbers';
import type { PipelineLimits } from './controls';
import type { LeadPipelineResult } from './result';

export class Chosen {
  /** @param reads calls that listing took @param limits what a person changes */
  constructor(
    readonly choice: LeadChoice,
    private readonly given: { input: LeadPipelineInput; raw: LeadPipelineJson | undefined },
    private readonly reads: number,
    private readonly facts: AccountFacts,
    private readonly limits: PipelineLimits,
  ) {}

  /** Leads that are to be converted, by the limits. */
  get count(): number {
    const { convertPrice: price } = this.facts;
    const affordable = price > 0 ? Math.floor(this.limits.maxCredits / price) : Number.POSITIVE_INFINITY;
    return Math.min(this.choice.chosen.length, this.limits.maxConversions, affordable);
  }

  get plan(): LeadPipelineResult['plan'] {
    const { count: conversions, reads, facts } = this;
    const { limits, convertPrice: price, standstill } = facts;
    const { credits, durationMs, text } = plan({ conversions, reads: reads + conversions, limits, price, standstill });
    return { conversions, credits, durationMs, text };
  }

  /** What is about to be done, for whoever approves it. */
  page(): Markdown {
    return approvalPage(this.pageFacts());
  }

  /** What whoever approves it is asked. */
  get question(): string {
    return `A person is asked to approve ${counted(this.count, 'conversion')} for ${grouped(this.plan.credits)} credits`;
  }

  get answers(): Answer[] {
    return approvals(workflowInfo().workflowId, this.plan.credits);
  }

  /** For a notification. */
  asked(): Asked {
    const { credits } = this.plan;
    const page = this.pageFacts();
    return {
      about: describeChoice(page.chosen, credits, page.preview),
      ...{ credits, shows: leadTexts(page), left: page.left, answers: this.answers },
    };
  }

  private pageFacts(): ApprovalPage {
    const { choice, limits, facts } = this;
    const { input } = this.given;
    const { eligible, preview = [], below, left = [] } = choice;
    return {
      ...{ outline: this.plan.text, chosen: this.count, eligible, preview, below, left },
      ...{ price: facts.convertPrice, order: input.order, thresholds: thresholdsOf(input.scoring) },
      ...{ limits, byDefault: this.defaults() },
    };
  }

  /** What nobody has named, and nobody has changed. */
  private defaults(): Defaulted[] {
    const { input, raw } = this.given;
    const limits = (['maxConversions', 'maxCredits'] as const).filter(
      (limit) => raw?.[limit] === undefined && this.limits[limit] === input[limit],
    );
    return [...limits, ...(raw?.scoring?.minReadiness === undefined ? (['minReadiness'] as const) : [])];
  }
}
