/** Takes the survey leads, decides on each, and converts the best within a budget. */
import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountFacts } from '../activities/account';
import type { LeadChoice, LeadOutcome, LeadVerdict } from '../activities/lead-list';
import { plan } from '../src/policy/budget-plan';
import { formatDuration } from '../src/policy/duration';
import { documentsIn } from '../src/policy/inputs/audit-project';
import {
  LeadPipelineInput,
  type LeadPipelineJson,
  needsApproval,
  resolveApproval,
} from '../src/policy/inputs/lead-pipeline';
import { Said } from '../src/policy/inputs/messages';
import { convertLeadId } from '../src/policy/run-ids';
import type { Kept } from '../src/storage/claim';
import { type ControlState, Controls } from './pipeline/controls';
import { control, factsOf } from './shared/calls';
import { convertAll } from './shared/convert-all';
import { readInputWith } from './shared/input';
import { type Listed, listLeads } from './shared/list-leads';
import { type Answered, allAnswered, checked } from './shared/said';
import { creditsSpent, identity, Status } from './shared/status';
import { tellPersonNeeded } from './shared/tell';

// ---- Types

export interface LeadPipelineResult {
  dryRun: boolean;
  /**
   * How the run ended: `done`; `rejected` or `expired` at the approval; `stopped` at a refusal that concerns the account;
   * `cancelled` by a person while it converted: the runs of leads that were under way go on.
   */
  ended: 'done' | 'planned' | 'rejected' | 'expired' | 'stopped' | 'cancelled';
  /** Leads by what became of them; they add up to `leads`. */
  counts: Record<string, number>;
  leads: number;
  /** Credits that this run spent, as the ledger booked them. */
  credits: number;
  /** What the plan would cost and take at the limits. */
  plan: { conversions: number; credits: number; durationMs: number; text: string };
  /** For each lead its decision and why; in storage when there are many. */
  decisions: Kept<LeadVerdict[]>;
  /** What a person should know: guesses that seem wrong, leads that moved while they were listed. */
  notes: string[];
  approvedBy?: string;
  /** What people did and said. */
  answers: Answered[];
}

export interface PipelineProgress {
  doing: string;
  waiting?: string;
  since: string;
  done: number;
  /** Leads whose conversion is under way. */
  underWay: string[];
  total: number;
  credits: number;
}

/** A hundred leads may fail for one reason, or each for its own. */
const MOST_NOTES = 20;

/** Handed from run to run of the same pipeline while its leads are listed. */
type Before = Listed & { controls?: ControlState };

// ---- Messages

export const approveUpdate = defineUpdate<string, [Said | undefined]>('approve');
export const rejectUpdate = defineUpdate<string, [Said | undefined]>('reject');
export const pipelineProgressQuery = defineQuery<PipelineProgress>('progress');

// ---- Workflow

/**
 * All leads are listed before the first is converted, since offsets move when leads change; then the best are converted.
 * @param before what an earlier part of the same run has listed, and what people have said; nobody else gives it
 */
export async function leadPipeline(raw?: LeadPipelineJson, before?: Before): Promise<LeadPipelineResult> {
  const status = new Status();
  const input = await readInputWith(LeadPipelineInput, raw, 'leadPipeline', async () => {
    const documents = documentsIn(raw?.audit);
    return documents.length === 0 ? [] : (await control.checkDocuments({ documents })).problems;
  });
  const answer: { approved?: boolean; by?: string } = {};
  const controls = new Controls(input, status, before?.controls);
  const outcomes: LeadOutcome[] = [];
  const underWay = new Set<string>();
  let total = 0;
  let asking = false;
  const spent = () => outcomes.reduce((sum, { credits }) => sum + credits, 0);
  setHandler(
    pipelineProgressQuery,
    () => ({ ...status.now(), done: outcomes.length, underWay: [...underWay], total, credits: spent() }),
    {
      description: 'What this run is doing, why it waits, how far it is.',
    },
  );
  const decide = (approved: boolean, said: Said | undefined): string => {
    Object.assign(answer, { approved, ...(said?.by && { by: said.by }) });
    controls.note(approved ? 'approve' : 'reject', said);
    return approved ? 'Approved: the conversions start.' : 'Rejected: nothing is converted.';
  };
  const asked = () => {
    if (!asking) throw new Error('This run does not wait for an approval at the moment.');
  };
  setHandler(approveUpdate, (said) => decide(true, said), {
    description: 'Approves the plan shown in the details: {"reason": "…", "by": "…"}',
    validator: checked(Said, 'approve', asked),
  });
  setHandler(rejectUpdate, (said) => decide(false, said), {
    description: 'Rejects the plan; nothing is converted: {"reason": "…", "by": "…"}',
    validator: checked(Said, 'reject', asked),
  });

  status.step('listing', 'Listing the leads', ...identity(input.account));
  const facts = await factsOf(input.account);
  const listed = await listLeads(input, facts, status, before);
  if (listed.next !== undefined)
    return continueAsNew<typeof leadPipeline>(raw, { ...listed, controls: controls.state });
  status.step('deciding', `Deciding on ${listed.total} leads`);
  const { maxConversions, maxCredits } = controls.state.limits;
  const selection = await control.selectLeads({
    pages: listed.pages,
    total: listed.total,
    limits: { order: input.order, maxConversions, maxCredits, price: facts.convertPrice },
    ref: workflowInfo().firstExecutionRunId,
  });
  total = selection.chosen.length;
  controls.chosen = total;
  const outline = describePlan(selection, listed.reads, facts);
  status.figures(outline.text);

  if (input.dryRun) return finish('planned');
  if (needsApproval(resolveApproval(raw), outline.credits)) {
    asking = true;
    status.step('approval', `A person approves ${total} conversions for ${outline.credits} credits`);
    status.asksPerson(true);
    tellPersonNeeded(input.account, 'approval', 1);
    status.waits(
      `Approval is needed within ${formatDuration(input.approvalDeadline)}. Answer with the update \`approve\` or \`reject\`.`,
    );
    const answered = await condition(() => answer.approved !== undefined, input.approvalDeadline);
    asking = false;
    status.asksPerson(false);
    if (!answered || !answer.approved) return finish(answered ? 'rejected' : 'expired');
  }
  status.step('converting', `Converting ${total} leads`);
  const show = () => {
    const others =
      underWay.size === 0
        ? ''
        : `\n\nUnder way; each says in its own details why it waits:\n${firstOf(underWay, input.account)}`;
    status.figures(`${outcomes.length} of ${total} done, ${spent()} credits spent${others}\n\n${outline.text}`);
  };
  const audit = input.then === 'audit' ? (raw?.audit ?? {}) : undefined;
  let ended: LeadPipelineResult['ended'];
  try {
    const stopped = await convertAll(input, facts, status, selection.chosen, audit, controls, {
      began(leadId) {
        underWay.add(leadId);
        show();
      },
      ended(outcome) {
        // One that was left has its last word already.
        if (!underWay.delete(outcome.leadId)) return;
        outcomes.push(outcome);
        const { problem } = outcome;
        if (problem && !listed.notes.includes(problem) && listed.notes.length < MOST_NOTES) listed.notes.push(problem);
        show();
      },
    });
    ended = stopped ? 'stopped' : 'done';
  } catch (error) {
    if (!isCancellation(error)) throw error;
    ended = 'cancelled';
    for (const leadId of underWay) outcomes.push({ leadId, outcome: 'unresolved', reason: 'itsRunGoesOn', credits: 0 });
    underWay.clear();
  }
  // S6: what was converted and paid for is in the result of a cancelled pipeline, too.
  return CancellationScope.nonCancellable(() => finish(ended));

  async function finish(ended: LeadPipelineResult['ended']): Promise<LeadPipelineResult> {
    const reasons = {
      planned: 'dryRun',
      rejected: 'notApproved',
      expired: 'notApproved',
      stopped: 'stopped',
      cancelled: 'cancelled',
      done: 'stopped',
    } as const;
    const { counts, decisions } = await control.concludeLeads({
      decisions: selection.decisions,
      outcomes,
      leftOver: reasons[ended],
      ref: workflowInfo().firstExecutionRunId,
    });
    status.step(
      ended,
      `${ended}: ${Object.entries(counts)
        .map(([what, n]) => `${n} ${what}`)
        .join(', ')}; ${spent()} credits spent`,
      creditsSpent(spent()),
    );
    await allAnswered();
    return {
      dryRun: input.dryRun,
      ended,
      counts,
      leads: selection.leads,
      credits: spent(),
      plan: outline,
      decisions,
      notes: [...listed.notes, ...selection.notes],
      answers: controls.state.answers,
      ...(answer.by && { approvedBy: answer.by }),
    };
  }
}

// ---- Helpers

/** The longest under way come first. */
function firstOf(leads: ReadonlySet<string>, account: string): string {
  const lines = [...leads].slice(0, 10).map((leadId) => `- ${convertLeadId(account, leadId)}`);
  return [...lines, ...(leads.size > 10 ? [`- and ${leads.size - 10} more`] : [])].join('\n');
}

function describePlan(selection: LeadChoice, reads: number, facts: AccountFacts) {
  const conversions = selection.chosen.length;
  const { credits, durationMs, text } = plan({
    conversions,
    reads: reads + conversions,
    limits: facts.limits,
    price: facts.convertPrice,
  });
  return { conversions, credits, durationMs, text };
}
