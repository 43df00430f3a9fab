/** Takes the survey leads, decides on each, and converts the best within a budget. */

import { CancellationScope, condition, continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { LeadOutcome } from '../activities/lead-list';
import { documentsIn } from '../src/inputs/audit-project';
import { accountIn } from '../src/inputs/fields';
import { LeadPipelineInput, type LeadPipelineJson, needsApproval, resolveApproval } from '../src/inputs/lead-pipeline';
import { describeEnded } from '../src/leads/ended-page';
import { thresholdsOf } from '../src/leads/shown-lead';
import type { HandedOn } from '../src/runs/handed-on';
import { endedAs, outcomesInWords } from '../src/runs/reason-words';
import { convertLeadId } from '../src/runs/run-ids';
import { summaries } from '../src/runs/summaries';
import { md, paragraphs, sentence } from '../src/text/md';
import { counted, grouped } from '../src/text/numbers';
import { Approval } from './pipeline/approval';
import { Chosen } from './pipeline/chosen';
import { type ControlState, Controls } from './pipeline/controls';
import { ConvertAll } from './pipeline/convert-all';
import { type LeadPipelineResult, NOTHING_PLANNED, type PipelineProgress } from './pipeline/result';
import { describeGoesOn, describeUnderWay, type GoesOn, sayWithdrawing } from './shared/begun';
import { control, factsOf } from './shared/calls';
import { handed, handOn } from './shared/handed';
import { allAnswered, allHandled } from './shared/kept-acts';
import { linkTo, linkToProject } from './shared/links';
import { type Listed, listLeads } from './shared/list-leads';
import { onlyWait } from './shared/place';
import { readInputWith } from './shared/read-input';
import { creditsSpent, identity, progressQueryOf, Status } from './shared/status';

// ---- Types

export type { LeadPipelineResult, PipelineProgress } from './pipeline/result';

/** A hundred leads may fail for one reason, or each for its own. */
const MOST_NOTES = 20;

/** Handed from run to run of the same pipeline while its leads are listed. */
type Before = Listed & { controls?: ControlState };

// ---- Messages

export { approveUpdate, rejectUpdate } from './pipeline/approval';
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
  const controls = new Controls(input, status, before?.controls);
  const approval = new Approval(status, controls);
  const outcomes: LeadOutcome[] = [];
  const underWay = new Set<string>();
  const spent = () => outcomes.reduce((sum, { credits }) => sum + credits, 0);
  status.answers<PipelineProgress>(
    () => ({ done: outcomes.length, underWay: [...underWay], total: total(), credits: spent() }),
    'What this run is doing, why it waits, how far it is.',
  );

  // A stop ends what the run does at the moment, as a cancellation does; what is said afterwards is not cancelled by it.
  const work = new CancellationScope();
  controls.onStop = () => work.cancel();
  let chosen: Chosen | undefined;
  let converting: ConvertAll | undefined;
  let listed: Listed | undefined;
  let ended: LeadPipelineResult['ended'];
  let left: GoesOn | undefined;
  try {
    ended = await work.run(perform);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    const { stopped } = controls.state;
    // Nothing is decided yet, so there is nothing to account for.
    if (!chosen && !stopped) {
      status.figures(md`No lead was converted, and no credits were spent.`);
      throw error;
    }
    ended = stopped ? 'stopped' : 'cancelled';
    left = await CancellationScope.nonCancellable(() => withdraw(stopped));
  }
  // S6: what was converted and paid for is in the result of a cancelled pipeline, too.
  return CancellationScope.nonCancellable(finish);

  async function withdraw(stopped?: { now: boolean }): Promise<GoesOn | undefined> {
    approval.over();
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
    const { limits } = controls.state;
    const { maxConversions, maxCredits } = limits;
    const choice = await control.selectLeads({
      account: input.account,
      pages: listed.pages,
      total: listed.total,
      limits: { order: input.order, maxConversions, maxCredits, price: facts.convertPrice },
      thresholds: thresholdsOf(input.scoring),
      ref: workflowInfo().firstExecutionRunId,
      ...(!input.dryRun && { stands: true }),
    });
    const found = new Chosen(choice, { input, raw }, listed.reads, facts, limits);
    chosen = found;
    controls.chosen = choice.chosen.length;
    controls.onLimits = () => {
      approval.asksAnew(found);
      show();
    };
    show();
    if (input.dryRun) return 'planned';
    if (needsApproval(resolveApproval(raw), found.plan.credits)) {
      const answer = await approval.ask(input.account, found, input.approvalDeadline);
      if (answer !== 'approved') {
        status.step(
          'approval',
          `${answer === 'rejected' ? 'Rejected' : 'Nobody answered in time'}: nothing is converted`,
        );
        return answer;
      }
    }
    status.step('converting', `Converting ${counted(total(), 'lead')}`);
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
    return (await converting.run(choice.chosen)) ? 'stopped' : 'done';
  }

  /** The run that converts a lead. */
  function runOf(leadId: string): string {
    return convertLeadId(input.account, leadId);
  }

  /** Leads that end in this run, as its limits stand. */
  function total(): number {
    if (!chosen || !converting) return chosen?.count ?? 0;
    const wanted = Math.min(chosen.choice.chosen.length, controls.state.limits.maxConversions);
    return Math.max(wanted, outcomes.length + underWay.size);
  }

  function show(): void {
    if (!chosen) return;
    if (!converting) {
      status.figures(chosen.page());
      return;
    }
    const all = converting;
    const runs = [...underWay].map((leadId) => ({ workflowId: runOf(leadId), lost: all.isLost(leadId) }));
    status.figures(
      paragraphs([
        md`${grouped(outcomes.length)} of ${grouped(total())} done, ${grouped(spent())} credits spent`,
        ...describeUnderWay(runs),
        onlyWait(converting.away),
        sentence(chosen.plan.text),
      ]),
    );
  }

  async function finish(): Promise<LeadPipelineResult> {
    const reasons = {
      planned: 'dryRun',
      rejected: 'notApproved',
      expired: 'notApproved',
      stopped: 'stopped',
      cancelled: 'cancelled',
      // More were chosen, and the limit was lowered meanwhile.
      done: 'overMaxConversions',
    } as const;
    const selection = chosen?.choice;
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
    const sums =
      chosen && ended === 'planned'
        ? `${grouped(chosen.count)} to be converted, ${grouped(chosen.choice.leads - chosen.count)} skipped`
        : outcomesInWords(counts) || 'nothing';
    status.step(ended, endedAs(ended, `${sums}; ${counted(spent(), 'credit')} spent`), creditsSpent(spent()));
    const problems = [...new Set(outcomes.flatMap(({ problem }) => problem ?? []))];
    if (ended !== 'planned')
      status.figures(
        paragraphs([
          left && left.count > 0 ? describeGoesOn(left) : undefined,
          selection && describeEnded(outcomes, selection, { idOf: runOf, linkTo, linkToProject }),
        ]),
      );
    await allAnswered();
    return {
      dryRun: input.dryRun,
      ended,
      counts,
      leads: selection?.leads ?? 0,
      credits: spent(),
      plan: chosen?.plan ?? NOTHING_PLANNED,
      thresholds: thresholdsOf(input.scoring),
      decisions,
      notes: [...(listed?.notes ?? []), ...(selection?.notes ?? []), ...problems.slice(0, MOST_NOTES)],
      answers: controls.state.answers,
      ...(approval.by && { approvedBy: approval.by }),
      ...(left && left.count > 0 && { goesOn: left }),
    };
  }
}
