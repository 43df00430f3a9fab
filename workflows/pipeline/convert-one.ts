/** One lead of a pipeline: the run that converts it, and what became of it where that run cannot say so (S6). */
import { type SearchAttributePair, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  ParentClosePolicy,
  patched,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadOutcome } from '../../activities/lead-list';
import type { LeadPipelineJson } from '../../src/inputs/lead-pipeline';
import { auditProjectId, convertLeadId } from '../../src/runs/run-ids';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { md } from '../../src/text/md';
import type { auditProject } from '../audit-project';
import { type ConvertLeadResult, convertLead } from '../convert-lead';
import { findOut } from '../paying/lost-lead';
import type { Begun } from '../shared/begun';
import { control, runKey } from '../shared/calls';
import { linkTo } from '../shared/links';
import { knowsOwnChildren, type OwnChild, ownChild } from '../shared/own-child';
import type { Placed } from '../shared/place';
import { BEGINS, type Status } from '../shared/status';

export interface Account {
  account: string;
  facts: AccountFacts;
  status: Status;
  /** How the audit of each converted lead is run; absent: none is. */
  audit: AuditSettings | undefined;
  begun: Begun;
  isPaused(): boolean;
  /** The run of a lead is gone. */
  moved(): void;
}

/** The part of an audit's input that a pipeline gives to all of its audits. */
export type AuditSettings = NonNullable<NonNullable<LeadPipelineJson>['audit']>;

/** Whose run is under way for a lead: this pipeline's, another's that is followed; or it is gone, and its call may yet show. */
export interface Lane extends Placed {
  is: 'ours' | 'theirs' | 'lost';
  /** What came of the lead, though its audit is not begun yet. */
  outcome?: LeadOutcome;
}

/**
 * @param again another run has had the lead, and did not convert it
 * @param own a run for it that this one has begun before it was reset
 */
export async function convertOne(
  at: Account,
  maxCredits: number,
  leadId: string,
  lane: Lane,
  again = false,
  own?: OwnChild<ConvertLeadResult>,
): Promise<LeadOutcome> {
  const { account, begun } = at;
  const workflowId = convertLeadId(account, leadId);
  try {
    const child =
      own ??
      (await startChild(convertLead, {
        ...outliving(account, leadId, BEGINS),
        workflowId,
        args: [{ account, leadId, run: { key: runKey(), maxCredits }, priority: 3 }],
        staticSummary: md`Convert lead ${leadId}`.source,
      }));
    Object.assign(lane, { is: 'ours', away: false } satisfies Lane);
    begun.add(workflowId, child.firstExecutionRunId);
    const { outcome, reason, problem, credits, projectId } = await child.result();
    const why = { ...(reason && { reason }), ...(problem && { problem }) };
    return { leadId, outcome, credits, ...why, ...(projectId && { projectId }) };
  } catch (error) {
    if (error instanceof ChildWorkflowFailure) {
      Object.assign(lane, { is: 'lost', away: true } satisfies Lane);
      at.moved();
      return afterLostRun(at, leadId, error);
    }
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  } finally {
    begun.delete(workflowId);
  }
  const knows = knowsOwnChildren();
  const known = knows ? await ownChild<ConvertLeadResult>(workflowId) : undefined;
  if (known) return convertOne(at, maxCredits, leadId, lane, again, known);
  // Another run has this lead: what it makes of it is that run's result; this one only says what became of the lead.
  lane.is = 'theirs';
  await control.awaitRun({ workflowId });
  const { converted, isOpen, isOwn, credits, projectId } = await findOut(at, leadId);
  // Temporal went back to a backup: a child of this one, of which nobody knows any more, had it.
  if (knows && isOwn) return { leadId, outcome: 'converted', credits, ...(projectId && { projectId }) };
  if (converted) return { leadId, outcome: 'alreadyConverted', reason: 'inAnotherRun', credits: 0 };
  if (isOpen) return notSettled(leadId);
  // A person may have paused this one meanwhile.
  if (!again && at.isPaused() && patched('staysPaused')) await condition(() => !at.isPaused() || begun.withdrawing);
  // That one was withdrawn, or met a cap of its own: neither is this one's.
  if (!again && !begun.withdrawing) return convertOne(at, maxCredits, leadId, lane, true);
  return { leadId, outcome: 'skipped', reason: 'inAnotherRun', credits: 0 };
}

/** The audit of a converted lead, as a run of its own that outlives this one. */
export async function goOn({ account, audit, begun }: Account, outcome: LeadOutcome): Promise<LeadOutcome> {
  if (!audit || outcome.outcome !== 'converted' || begun.withdrawing) return outcome;
  const { leadId, projectId } = outcome;
  const workflowId = auditProjectId(account, projectId ?? leadId);
  try {
    await startChild<typeof auditProject>('auditProject', {
      ...outliving(account, leadId),
      workflowId,
      args: [{ ...audit, account, ...(projectId ? { projectId } : { leadId }), fresh: true, priority: 3 }],
      staticSummary: md`Audit of lead ${leadId}`.source,
    });
  } catch (error) {
    // Another run of the same audit is under way: that is the one.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return { ...outcome, audit: workflowId };
}

/** Of a run that may hold an unfinished payment: it outlives this one whatever becomes of it. */
const outliving = (account: string, leadId: string, ...more: SearchAttributePair[]) => ({
  parentClosePolicy: ParentClosePolicy.ABANDON,
  cancellationType: ChildWorkflowCancellationType.ABANDON,
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  staticDetails: md`Started by the pipeline ${linkTo(workflowInfo().workflowId)}.`.source,
  typedSearchAttributes: [
    { key: searchAttributeKeys.account, value: account },
    { key: searchAttributeKeys.leadId, value: leadId },
    { key: searchAttributeKeys.runKind, value: 'pipeline' },
    ...more,
  ],
});

/** Nobody can tell whether it was paid for. */
const notSettled = (leadId: string): LeadOutcome => ({
  leadId,
  outcome: 'unresolved',
  reason: 'notSettled',
  credits: 0,
});

/** The child was terminated or failed. S6: whether the lead was paid for is asked, never assumed. */
async function afterLostRun(at: Account, leadId: string, error: ChildWorkflowFailure): Promise<LeadOutcome> {
  const { converted, isOpen, credits, projectId } = await findOut(at, leadId);
  if (isOpen) return notSettled(leadId);
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
