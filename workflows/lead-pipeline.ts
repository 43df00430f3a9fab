/** Takes the survey leads, decides on each, and converts the best within a budget. */

import {
  CancellationScope,
  condition,
  continueAsNew,
  defineUpdate,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { LeadChoice, LeadOutcome } from '../activities/lead-list';
import { documentsIn } from '../src/inputs/audit-project';
import { accountIn } from '../src/inputs/fields';
import { LeadPipelineInput, type LeadPipelineJson, needsApproval, resolveApproval } from '../src/inputs/lead-pipeline';
import { PersonNote } from '../src/inputs/person-messages';
import { type ApprovalPage, approvalPage, describeChoice, describeEnded } from '../src/leads/approval-page';
import { thresholdsOf } from '../src/leads/shown-lead';
import type { HandedOn } from '../src/runs/handed-on';
import { howToAnswer } from '../src/runs/how-to-answer';
import { convertLeadId } from '../src/runs/run-ids';
import { summaries } from '../src/runs/summaries';
import { counted, grouped } from '../src/text/numbers';
import { formatDuration } from '../src/time/duration';
import { type ControlState, Controls } from './pipeline/controls';
import { ConvertAll } from './pipeline/convert-all';
import { describePlan, type LeadPipelineResult, NOTHING_PLANNED, type PipelineProgress } from './pipeline/result';
import { describeGoesOn, type GoesOn, linked, sayWithdrawing } from './shared/begun';
import { control, factsOf } from './shared/calls';
import { handed, handOn } from './shared/handed';
import { allAnswered, allHandled, loosens } from './shared/kept-acts';
import { linkTo } from './shared/links';
import { type Listed, listLeads } from './shared/list-leads';
import { onlyWait } from './shared/place';
import { readInputWith } from './shared/read-input';
import { checked } from './shared/said';
import { creditsSpent, identity, progressQueryOf, Status } from './shared/status';
import { tellPersonNeeded } from './shared/tell';

// ---- Types

export type { LeadPipelineResult, PipelineProgress } from './pipeline/result';

/** A hundred leads may fail for one reason, or each for its own. */
const MOST_NOTES = 20;

/** Handed from run to run of the same pipeline while its leads are listed. */
type Before = Listed & { controls?: ControlState };

// ---- Messages

export const approveUpdate = defineUpdate<string, [PersonNote | undefined]>('approve');
export const rejectUpdate = defineUpdate<string, [PersonNote | undefined]>('reject');
export const pipelineProgressQuery = progressQueryOf<PipelineProgress>();

// ---- Workflow

/**
 * All leads are listed before the first is converted, since offsets move when leads change; then the best are converted.
 * @param given what an earlier part of the same run has listed, and what people have said
 */
export async function leadPipeline(raw?: LeadPipelineJson, given?: HandedOn<Before>): Promise<LeadPipelineResult> {
  const before = handed(given);
  const status = new Status();
  const input = await readInputWith(LeadPipelineInput, raw, 'leadPipeline', async () => {
    const documents = documentsIn(raw?.audit);
    return documents.length === 0
      ? []
      : (await control.checkDocuments({ account: accountIn(raw), documents })).problems;
  });
  status.about(summaries.leadPipeline(input), input.account);
  const answer: { approved?: boolean; by?: string } = {};
  const controls = new Controls(input, status, before?.controls);
  const outcomes: LeadOutcome[] = [];
  const underWay = new Set<string>();
  let total = 0;
  let asking = false;
  const spent = () => outcomes.reduce((sum, { credits }) => sum + credits, 0);
  status.answers<PipelineProgress>(
    () => ({ done: outcomes.length, underWay: [...underWay], total, credits: spent() }),
    'What this run is doing, why it waits, how far it is.',
  );
  const decide = (approved: boolean, said: PersonNote | undefined): string => {
    Object.assign(answer, { approved, ...(said?.by && { by: said.by }) });
    controls.note(approved ? 'approve' : 'reject', said);
    return approved ? 'Approved: the conversions start.' : 'Rejected: nothing is converted.';
  };
  const asked = () => {
    if (!asking) throw new Error('This run does not wait for an approval at the moment.');
  };
  loosens('approve');
  setHandler(approveUpdate, (said) => decide(true, said), {
    description: 'Approves the plan shown in the details: {"reason": "…", "by": "…"}',
    validator: checked(PersonNote, 'approve', asked),
  });
  setHandler(rejectUpdate, (said) => decide(false, said), {
    description: 'Rejects the plan; nothing is converted: {"reason": "…", "by": "…"}',
    validator: checked(PersonNote, 'reject', asked),
  });

  // A stop ends what the run does at the moment, as a cancellation does; what is said afterwards is not cancelled by it.
  const work = new CancellationScope();
  controls.onStop = () => work.cancel();
  let selection: LeadChoice | undefined;
  let converting: ConvertAll | undefined;
  let listed: Listed | undefined;
  let outline = NOTHING_PLANNED;
  let ended: LeadPipelineResult['ended'];
  let left: GoesOn | undefined;
  try {
    ended = await work.run(perform);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    const { stopped } = controls.state;
    // Nothing is decided yet, so there is nothing to account for.
    if (!selection && !stopped) {
      status.figures('No lead was converted, and no credits were spent.');
      throw error;
    }
    ended = stopped ? 'stopped' : 'cancelled';
    left = await CancellationScope.nonCancellable(() => withdraw(stopped));
  }
  // S6: what was converted and paid for is in the result of a cancelled pipeline, too.
  return CancellationScope.nonCancellable(finish);

  async function withdraw(stopped?: { now: boolean }): Promise<GoesOn | undefined> {
    asking = false;
    sayWithdrawing(status, stopped ? 'Stopped' : 'Cancelled');
    return converting?.withdraw(stopped?.now ?? false);
  }

  async function perform(): Promise<LeadPipelineResult['ended']> {
    if (controls.state.stopped) work.cancel();
    status.step('listing', 'Listing the leads', ...identity(input.account));
    const facts = await factsOf(input.account);
    listed = await listLeads(input, facts, status, before);
    if (listed.next !== undefined) {
      if (!allHandled()) await condition(allHandled);
      return continueAsNew<typeof leadPipeline>(raw, handOn({ ...listed, controls: controls.state }));
    }
    status.step('deciding', `Deciding on ${counted(listed.total, 'lead')}`);
    const { maxConversions, maxCredits } = controls.state.limits;
    selection = await control.selectLeads({
      account: input.account,
      pages: listed.pages,
      total: listed.total,
      limits: { order: input.order, maxConversions, maxCredits, price: facts.convertPrice },
      ref: workflowInfo().firstExecutionRunId,
    });
    total = selection.chosen.length;
    controls.chosen = total;
    outline = describePlan(selection, listed.reads, facts);
    status.figures(page(selection, facts.convertPrice, { maxConversions, maxCredits }));
    if (input.dryRun) return 'planned';
    if (needsApproval(resolveApproval(raw), outline.credits)) {
      asking = true;
      status.step(
        'approval',
        `A person approves ${counted(total, 'conversion')} for ${grouped(outline.credits)} credits`,
      );
      status.asksPerson(true);
      tellPersonNeeded(input.account, 'approval', 1, describeChoice(total, outline.credits, selection.preview ?? []));
      status.waits(
        `Approval is needed within ${formatDuration(input.approvalDeadline)}. ${howToAnswer(workflowInfo().workflowId, ['approve', 'reject'], 'approve')}`,
      );
      const answered = await condition(() => answer.approved !== undefined, input.approvalDeadline);
      asking = false;
      status.asksPerson(false);
      if (!answered || !answer.approved) {
        status.step('approval', `${answered ? 'Rejected' : 'Nobody answered in time'}: nothing is converted`);
        return answered ? 'rejected' : 'expired';
      }
    }
    status.step('converting', `Converting ${counted(total, 'lead')}`);
    const audit = input.then === 'audit' ? (raw?.audit ?? {}) : undefined;
    converting = new ConvertAll(input, facts, status, audit, controls, {
      moved: show,
      began(leadId) {
        underWay.add(leadId);
        show();
      },
      ended(outcome) {
        underWay.delete(outcome.leadId);
        outcomes.push(outcome);
        show();
      },
    });
    return (await converting.run(selection.chosen)) ? 'stopped' : 'done';
  }

  /** What is about to be done, for whoever approves it. */
  function page(choice: LeadChoice, price: number, limits: ApprovalPage['limits']): string {
    const { preview = [], left: mayBeSpent = [], eligible, chosen } = choice;
    return approvalPage({
      ...{ outline: outline.text, chosen: chosen.length, eligible, preview, left: mayBeSpent, price },
      ...{ minReadiness: input.scoring.minReadiness, limits },
      byDefault: (['maxConversions', 'maxCredits'] as const).filter(
        (limit) => raw?.[limit] === undefined && limits[limit] === input[limit],
      ),
    });
  }

  function show(): void {
    const runs = [...underWay].map((leadId) => convertLeadId(input.account, leadId));
    const others =
      runs.length === 0
        ? ''
        : `\n\nUnder way; each says in its own details why it waits:\n${linked(runs)}${onlyWait(converting?.away ?? 0)}`;
    status.figures(
      `${grouped(outcomes.length)} of ${grouped(total)} done, ${grouped(spent())} credits spent${others}\n\n${outline.text}`,
    );
  }

  async function finish(): Promise<LeadPipelineResult> {
    const reasons = {
      planned: 'dryRun',
      rejected: 'notApproved',
      expired: 'notApproved',
      stopped: 'stopped',
      cancelled: 'cancelled',
      done: 'stopped',
    } as const;
    const { counts, decisions } = selection
      ? await control.concludeLeads({
          decisions: selection.decisions,
          outcomes,
          leftOver: reasons[ended],
          ref: workflowInfo().firstExecutionRunId,
          account: input.account,
          isPlan: input.dryRun,
        })
      : { counts: {}, decisions: { inline: [] } };
    status.step(
      ended,
      `${ended}: ${
        Object.entries(counts)
          .map(([what, n]) => `${grouped(n)} ${what}`)
          .join(', ') || 'nothing'
      }; ${grouped(spent())} credits spent`,
      creditsSpent(spent()),
    );
    const problems = [...new Set(outcomes.flatMap(({ problem }) => problem ?? []))];
    const ends = [
      ...(left && left.count > 0 ? [describeGoesOn(left)] : []),
      ...(ended === 'planned' || !selection
        ? []
        : [describeEnded(outcomes, selection, { idOf: (leadId) => convertLeadId(input.account, leadId), linkTo })]),
    ];
    if (ends.length > 0) status.figures(ends.join('\n\n'));
    await allAnswered();
    return {
      dryRun: input.dryRun,
      ended,
      counts,
      leads: selection?.leads ?? 0,
      credits: spent(),
      plan: outline,
      thresholds: thresholdsOf(input.scoring),
      decisions,
      notes: [...(listed?.notes ?? []), ...(selection?.notes ?? []), ...problems.slice(0, MOST_NOTES)],
      answers: controls.state.answers,
      ...(answer.by && { approvedBy: answer.by }),
      ...(left && left.count > 0 && { goesOn: left }),
    };
  }
}
