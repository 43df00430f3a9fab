/** The audit of a project: started once, waited for, asked about. */
import { Context } from '@temporalio/activity';
import { type AnalysisSeen, type Before, isOurs, isRewritten } from '../src/audits/analysis';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { auditSubject } from '../src/paying/subject';
import { callRoute, refusedWith } from './call';
import { type Deps, runtimeOf } from './deps';
import { slower } from './pace';
import { requeueAfter } from './requeue';
import { sendInForms } from './send-forms';
import { ownRun } from './send-once';

export interface AuditCall {
  account: string;
  projectId: string;
  lookedAt: number;
}

export interface JobCall {
  account: string;
  jobId: string;
  projectId: string;
  /** What was there before the audit was started. */
  before: Before;
  /** A word of the job that the run has told already. */
  unclear?: string | undefined;
}

/** `unclear`: it says a word that nobody knows, and is to be waited for all the same. */
export type JobEnd = { state: 'complete' | 'failed' } | { state: 'unclear'; word: string };

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
      const { id, createdAt, updatedAt } = value;
      return { state, ...(id && { id }), ...(createdAt && { createdAt }), ...(updatedAt && { updatedAt }) };
    } catch (error) {
      if (refusedWith(error, 404)) return { state: 'none' };
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
    async awaitJob(call: JobCall): Promise<JobEnd> {
      const { account, jobId, projectId, before, unclear } = call;
      const runtime = runtimeOf(deps, account);
      const { value } = await callRoute(runtime, 'jobs.get', { id: jobId });
      if (value.state !== 'running') return { state: value.state };
      // S7: the run says so, once.
      if (value.unclear !== undefined && value.unclear !== unclear) return { state: 'unclear', word: value.unclear };
      // A word that nobody knows may mean an end, and a job may be forgotten: the analysis itself tells.
      const { attempt } = Context.current().info;
      if (attempt % (value.unclear === undefined ? 20 : 4) === 0) {
        const seen = await analysisSeen({ account, projectId });
        if (seen.state === 'complete' && (isOurs(seen, before) || isRewritten(seen, before)))
          return { state: 'complete' };
      }
      throw requeueAfter('the audit is still running', slower(runtime, 6));
    },

    /**
     * Returns when no analysis of the project is running any more. Retried by Temporal without history events.
     * @param call.tellsRunning returns also when one is seen running: the next try would not know of it
     */
    async awaitAnalysis(call: { account: string; projectId: string; tellsRunning?: boolean }): Promise<AnalysisSeen> {
      const seen = await analysisSeen(call);
      if (seen.state !== 'running' || call.tellsRunning) return seen;
      throw requeueAfter('the audit is still running', slower(runtimeOf(deps, call.account), 24));
    },
  };
}

/** Whether the start of an audit takes a body is not shown. */
const formsOf = (id: string) => [() => ({ id }), () => ({ id, body: {} })];
