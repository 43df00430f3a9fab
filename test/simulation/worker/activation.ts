/** What a workflow is told: of itself as it is created, and by the jobs of its activations. */
import { TypedSearchAttributes } from '@temporalio/common';
import { coresdk } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import Long from 'long';
import { type Job, NAMESPACE, timestamp } from '../engine/proto';
import type { Run } from '../engine/run';
import type { Task } from '../engine/workflow-tasks';
import { type Build, workflowCreator } from './bundle';

/** Events have some three hundred bytes. */
const EVENT_BYTES = 300;

const identityOf = ({ workflowId, type, taskQueue, firstRunId, start: { continued } }: Run) => ({
  ...{ workflowId, workflowType: type, taskQueue, firstExecutionRunId: firstRunId, attempt: 1 },
  ...(continued && { continuedFromExecutionRunId: continued.from }),
});

export function create(run: Run, build: Build): Promise<Workflow> {
  const { parent, priority } = run.start;
  const { startedAt, seed } = run.original;
  const { priorityKey, fairnessKey } = priority ?? {};
  return workflowCreator(build).createWorkflow({
    info: {
      ...identityOf(run),
      ...{ runId: run.runId, namespace: NAMESPACE, taskTimeoutMs: 10_000 },
      ...{ searchAttributes: {}, typedSearchAttributes: new TypedSearchAttributes() },
      ...{ startTime: new Date(startedAt), runStartTime: new Date(startedAt) },
      ...{ historyLength: 3, historySize: 3 * EVENT_BYTES, continueAsNewSuggested: false },
      unsafe: { isReplaying: false, isReplayingHistoryEvents: false, now: () => startedAt },
      ...(parent && {
        parent: { workflowId: parent.run.workflowId, runId: parent.run.runId, namespace: NAMESPACE },
      }),
      priority: { ...(priorityKey && { priorityKey }), ...(fairnessKey && { fairnessKey }) },
    } as never,
    randomnessSeed: Array.from(seed.toBytes()),
    now: startedAt,
    showStackTraceSources: false,
  });
}

function initialization(run: Run): coresdk.workflow_activation.IInitializeWorkflow {
  const { start, original } = run;
  return {
    ...identityOf(run),
    ...{ startTime: timestamp(original.startedAt), randomnessSeed: original.seed, arguments: start.input },
    searchAttributes: { indexedFields: start.searchAttributes },
  };
}

export const activation = (run: Run, jobs: Job[], historyLength: number, at: number, isReplaying: boolean) =>
  coresdk.workflow_activation.WorkflowActivation.fromObject({
    ...{ runId: run.runId, timestamp: timestamp(at), isReplaying, historyLength, jobs },
    historySizeBytes: Long.fromNumber(EVENT_BYTES * historyLength),
    continueAsNewSuggested: historyLength > run.server.suggestsAt,
  });

/** First what begins it, then messages, then the rest: Core's own order. */
export function jobsOf(run: Run, task: Task): Job[] {
  const first = run.episodes.length === 0 ? [{ initializeWorkflow: initialization(run) }] : [];
  const updates = task.updates.map((id) => run.updates.jobOf(id));
  const signals = task.jobs.filter(({ signalWorkflow }) => signalWorkflow);
  const seeds = task.jobs.filter(({ updateRandomSeed }) => updateRandomSeed);
  const others = task.jobs.filter(({ signalWorkflow, updateRandomSeed }) => !signalWorkflow && !updateRandomSeed);
  return [...first, ...seeds, ...signals, ...updates, ...others];
}

/** One that was taken is not asked about again. */
export const asReplayed = (job: Job): Job =>
  job.doUpdate ? { doUpdate: { ...job.doUpdate, runValidator: false } } : job;
