/** The audit of a project: started once, waited for, asked about. */
import { ApplicationFailure } from '@temporalio/common';
import type { AnalysisSeen } from '../src/policy/analysis';
import type { SendOutcome } from '../src/policy/course';
import { FailureType, type Refusal } from '../src/policy/failures';
import { auditSubject } from '../src/policy/subject';
import { bounce, callRoute } from './call';
import { type Deps, runtimeOf } from './deps';
import { slower } from './pace';
import { sendInForms } from './send-forms';
import { ownRun } from './send-once';

export interface AuditCall {
  account: string;
  projectId: string;
  lookedAt: number;
}

export function createAuditsActivities(deps: Deps) {
  const analysisSeen = async ({
    account,
    projectId,
  }: {
    account: string;
    projectId: string;
  }): Promise<AnalysisSeen> => {
    try {
      const { value } = await callRoute(runtimeOf(deps, account), 'projects.analysis', { id: projectId });
      const status = value.status.trim().toLowerCase();
      const state =
        status === 'complete' || status === 'completed' ? 'complete' : status === 'failed' ? 'failed' : 'running';
      return { state, ...(value.id && { id: value.id }), ...(value.createdAt && { createdAt: value.createdAt }) };
    } catch (error) {
      if (isNotFound(error)) return { state: 'none' };
      throw error;
    }
  };

  return {
    /** GET the latest analysis: the look before another is started (S2). */
    analysisSeen,

    /** POST the start of an audit as a job: one attempt. The outcome's `ref` is the job, where the reply names one. */
    startAuditOnce({ account, projectId, lookedAt }: AuditCall): Promise<SendOutcome> {
      const call = { route: 'projects.auditAsync', subject: auditSubject(projectId), ...ownRun(), lookedAt } as const;
      return sendInForms<'projects.auditAsync'>(
        runtimeOf(deps, account),
        { ...call, read: ({ jobId }) => (jobId === undefined ? {} : { ref: jobId }) },
        formsOf(projectId),
      );
    },

    /** POST the audit and wait for it: one attempt. 408 and 504 are outcomes that nobody knows; a look tells. */
    runAuditOnce({ account, projectId, lookedAt }: AuditCall): Promise<SendOutcome> {
      const call = { route: 'projects.audit', subject: auditSubject(projectId), ...ownRun(), lookedAt } as const;
      return sendInForms<'projects.audit'>(runtimeOf(deps, account), { ...call, read: () => ({}) }, formsOf(projectId));
    },

    /**
     * Returns when the job has ended. Retried by Temporal without history events: the polls queue is the scheduler for any
     * number of jobs, and the fairness key gives each its turn.
     */
    async awaitJob({ account, jobId }: { account: string; jobId: string }): Promise<'complete' | 'failed'> {
      const runtime = runtimeOf(deps, account);
      const { value } = await callRoute(runtime, 'jobs.get', { id: jobId });
      if (value.state !== 'running') return value.state;
      throw bounce('the audit is still running', slower(runtime, 6));
    },

    /** Returns when no analysis of the project is running any more. Retried by Temporal without history events. */
    async awaitAnalysis(call: { account: string; projectId: string }): Promise<AnalysisSeen> {
      const seen = await analysisSeen(call);
      if (seen.state !== 'running') return seen;
      throw bounce('the audit is still running', slower(runtimeOf(deps, call.account), 24));
    },
  };
}

/** Whether the start of an audit takes a body is not shown. */
const formsOf = (id: string) => [() => ({ id }), () => ({ id, body: {} })];

function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApplicationFailure) || error.type !== FailureType.refused) return false;
  const refusal = error.details?.[0] as Refusal | undefined;
  return refusal?.status === 404;
}
