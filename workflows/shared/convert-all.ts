/** Converts the chosen leads, a window of child runs at a time, and accounts for each of them (S6). */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  isCancellation,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadOutcome } from '../../activities/lead-list';
import { concernsAccount } from '../../src/policy/classify';
import type { LeadPipelineInput, LeadPipelineJson } from '../../src/policy/inputs/lead-pipeline';
import { auditProjectId, convertLeadId } from '../../src/policy/run-ids';
import { leadSubject } from '../../src/policy/subject';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import type { auditProject } from '../audit-project';
import { convertLead } from '../convert-lead';
import type { Controls } from '../pipeline/controls';
import { control, patiently, reads, runKey } from './calls';
import { Lookout } from './lookout';
import type { Status } from './status';

interface Account {
  account: string;
  facts: AccountFacts;
  status: Status;
  /** How the audit of each converted lead is run; absent: none is. */
  audit: AuditSettings | undefined;
}

/** The part of an audit's input that a pipeline gives to all of its audits. */
export type AuditSettings = NonNullable<NonNullable<LeadPipelineJson>['audit']>;

/**
 * A cancellation begins no more and leaves those under way to themselves: each is a run of its own.
 * @returns whether it stopped early, at a refusal that every further lead would meet too
 */
export async function convertAll(
  { account }: LeadPipelineInput,
  facts: AccountFacts,
  status: Status,
  leads: readonly string[],
  audit: AuditSettings | undefined,
  controls: Controls,
  watch: { began(leadId: string): void; ended(outcome: LeadOutcome): void },
): Promise<boolean> {
  const at: Account = { account, facts, status, audit };
  const { state } = controls;
  const { limits } = state;
  const running = new Set<Promise<void>>();
  let begun = 0;
  let ended = 0;
  let stopped = false;
  let failure: unknown;
  const over = () => stopped || failure !== undefined || begun >= limits.maxConversions;
  const convert = async (leadId: string) => {
    watch.began(leadId);
    const outcome = await goOn(at, await convertOne(at, limits.maxCredits, leadId));
    ended++;
    watch.ended(outcome);
    lookout.oneEnded();
    controls.say();
    if (outcome.outcome === 'refused' && outcome.reason && concernsAccount(outcome.reason)) stopped = true;
  };
  const others = { ended: () => ended, underWay: () => running.size, credits: () => facts.convertPrice };
  const lookout = new Lookout(account, facts.timing.holdProbeMs, others, () => controls.say());
  controls.lookout = lookout;
  controls.say();
  const saying = new CancellationScope();
  const said = saying
    .run(() => lookout.keep())
    .catch((error) => {
      if (!isCancellation(error)) throw error;
    });
  for (const leadId of leads) {
    await condition(() => over() || (!state.paused && running.size < limits.concurrency));
    if (over()) break;
    begun++;
    const task = convert(leadId)
      .catch((error) => {
        failure = error;
      })
      .finally(() => running.delete(task));
    running.add(task);
  }
  await condition(() => running.size === 0 || failure !== undefined);
  saying.cancel();
  await said;
  controls.lookout = undefined;
  if (failure !== undefined) throw failure;
  return stopped;
}

async function convertOne(at: Account, maxCredits: number, leadId: string): Promise<LeadOutcome> {
  const { account } = at;
  const workflowId = convertLeadId(account, leadId);
  const run = workflowInfo().workflowId;
  try {
    const child = await startChild(convertLead, {
      workflowId,
      args: [{ account, leadId, run: { key: runKey(), maxCredits }, priority: 3 }],
      // It may hold an unfinished payment: it outlives this run whatever becomes of it.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `Convert lead ${leadId}`,
      staticDetails: `Started by the pipeline ${run}.`,
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.leadId, value: leadId },
        { key: searchAttributeKeys.runKind, value: 'pipeline' },
      ],
    });
    const { outcome, reason, problem, credits, projectId } = await child.result();
    const why = { ...(reason && { reason }), ...(problem && { problem }) };
    return { leadId, outcome, credits, ...why, ...(projectId && { projectId }) };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return follow(at, leadId, workflowId);
    if (error instanceof ChildWorkflowFailure) return afterLostRun(at, leadId, error);
    throw error;
  }
}

/** The audit of a converted lead, as a run of its own that outlives this one. */
async function goOn({ account, audit }: Account, outcome: LeadOutcome): Promise<LeadOutcome> {
  if (!audit || outcome.outcome !== 'converted') return outcome;
  const { leadId, projectId } = outcome;
  const workflowId = auditProjectId(account, projectId ?? leadId);
  try {
    await startChild<typeof auditProject>('auditProject', {
      workflowId,
      args: [{ ...audit, account, ...(projectId ? { projectId } : { leadId }), fresh: true, priority: 3 }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `Audit of lead ${leadId}`,
      staticDetails: `Started by the pipeline ${workflowInfo().workflowId}.`,
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.leadId, value: leadId },
        { key: searchAttributeKeys.runKind, value: 'pipeline' },
      ],
    });
  } catch (error) {
    // Cancelled meanwhile: the conversion counts all the same (S6).
    if (isCancellation(error)) return outcome;
    // Another run of the same audit is under way: that is the one.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return { ...outcome, audit: workflowId };
}

/** Another run has this lead: what it makes of it is that run's result; this one only says what became of the lead. */
async function follow(at: Account, leadId: string, workflowId: string): Promise<LeadOutcome> {
  await control.awaitRun({ workflowId });
  const { converted } = await findOut(at, leadId);
  return { leadId, outcome: converted ? 'alreadyConverted' : 'skipped', reason: 'inAnotherRun', credits: 0 };
}

/** The child was terminated or failed. S6: whether the lead was paid for is asked, never assumed. */
async function afterLostRun(at: Account, leadId: string, error: ChildWorkflowFailure): Promise<LeadOutcome> {
  const { converted, credits, projectId } = await findOut(at, leadId);
  const reason = error.cause instanceof ApplicationFailure && error.cause.type ? error.cause.type : 'runEnded';
  if (!converted) return { leadId, outcome: 'failed', reason, credits: 0 };
  return {
    leadId,
    outcome: credits > 0 ? 'converted' : 'alreadyConverted',
    reason,
    credits,
    ...(projectId && { projectId }),
  };
}

/** What became of the lead: the API's word if it says converted, else once nothing can be under way any more. */
export async function findOut(
  { account, facts, status }: Pick<Account, 'account' | 'facts' | 'status'>,
  leadId: string,
) {
  const subject = leadSubject(leadId);
  const isConverted = async () => {
    try {
      const seen = await patiently(status, facts, account, () =>
        reads(account, { priorityKey: 3 }, `Look at lead ${leadId}`).lookAtLead({ account, leadId }),
      );
      return seen.surveyStatus === 'converted';
    } catch (error) {
      // One lead that is gone or cannot be read does not end the run of all others; the books tell what was paid (S6).
      if (isCancellation(error)) throw error;
      return false;
    }
  };
  let converted = await isConverted();
  if (!converted) {
    await control.awaitSettled({ account, subject });
    converted = await isConverted();
  }
  if (converted)
    await control.settleSubject({
      account,
      subject,
      run: workflowInfo().workflowId,
      settlement: { kind: 'foundPaid' },
    });
  const { settled } = await control.subjectState({ account, subject });
  const credits = settled?.credits ?? 0;
  return { converted: converted || credits > 0, credits, ...(settled?.ref && { projectId: settled.ref }) };
}
