/**
 * Reset of a run, as server 1.29 does it: what is under way under the ID is terminated, and another run goes on with the
 * history up to the end of one workflow task. Activities that were pending then are begun anew, timers run their rest, signals
 * and accepted updates that came later are told once more, cancellations are not. Children begun before stay with it, and
 * so does what they have said since; of those begun later it knows nothing, and meets them by their IDs.
 *
 * Simplified: nothing can be left out of what is told once more, and an update whose ID has come twice is told once.
 */
import { temporal as api } from '@temporalio/proto';
import { Activity } from './activity';
import { arm, sendSignal } from './commands';
import type { Event } from './history';
import type { Run } from './run';

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: RESET } = api.api.enums.v1.WorkflowTaskFailedCause;

/** What was pending as a workflow task began, which is what the history tells up to its end. */
export type Point = ReturnType<typeof pointOf>;

export const pointOf = (run: Run) => ({
  /** Events up to the end of the task; known when that has come. */
  events: 0,
  activities: [...run.activities].map(([seq, activity]) => {
    const { how, scheduledAt, eventId, cancelRequested, isResolved } = activity;
    return { seq, how, scheduledAt, eventId, flags: { cancelRequested, isResolved } };
  }),
  timers: [...run.timers].map(([seq, { at }]) => ({ seq, at })),
  children: [...run.children],
  begun: [...run.begun],
  signals: [...run.signals],
  updates: run.updates.lasting(),
  own: { searchAttributes: run.searchAttributes, cancelRequested: run.cancelRequested },
});

/** A new run comes to where another one was when one of its workflow tasks, of those that were completed, had begun. */
export function resume(run: Run, base: Run, task: number): void {
  const point = base.points[task];
  if (!point) throw new Error(`${base.workflowId} has completed no task ${task}`);
  run.history.push(...base.history.slice(0, point.events));
  run.episodes.push(...base.episodes.slice(0, task));
  run.points.push(...base.points.slice(0, task));
  Object.assign(run, point.own);
  for (const [seq, child] of point.children) run.children.set(seq, child);
  for (const seq of point.begun) run.begun.add(seq);
  run.updates.resume(point.updates);
  for (const { seq, at } of point.timers) arm(run, seq, at);
  for (const { seq, how, scheduledAt, eventId, flags } of point.activities) {
    const activity = Object.assign(new Activity(run, how, scheduledAt, eventId), flags);
    run.activities.set(seq, activity);
    activity.schedule();
  }
  // What the task told is told by the next one. Its updates are in no history yet, or among what came later.
  const told = base.episodes[task]?.[0]?.jobs ?? [];
  for (const job of told)
    if (!job.initializeWorkflow && !job.doUpdate)
      run.tasks.occurred(
        () => undefined,
        () => job,
      );
  run.tasks.occurred(
    () => run.record('WorkflowTaskFailed', { cause: RESET, baseRunId: base.runId, newRunId: run.runId }),
    () => ({ updateRandomSeed: { randomnessSeed: run.seed } }),
  );
  for (const event of base.history.slice(point.events)) again(run, event, true);
  for (let next = base.continuedAs; next; next = next.continuedAs)
    for (const event of next.history) again(run, event, false);
  for (const child of run.children.values()) if (!run.begun.has(child.seq)) child.begin();
  // The server does not know whether they were sent.
  for (const [, signal] of point.signals) sendSignal(run, signal);
  run.tasks.schedule();
}

/** Tells of what came after the point. @param isOwn it happened to the run that was reset, not to one that continued it */
function again(run: Run, { type, job }: Event, isOwn: boolean): void {
  if (job?.doUpdate) run.updates.admitAgain(job.doUpdate);
  else if (job?.signalWorkflow)
    run.tasks.occurred(
      () => run.record(type, undefined, job),
      () => job,
    );
  const { resolveChildWorkflowExecutionStart: start, resolveChildWorkflowExecution: end } = job ?? {};
  const seq = start?.seq ?? end?.seq;
  if (!job || !isOwn || seq == null || !run.children.has(seq)) return;
  if (start) run.begun.add(seq);
  if (end || start?.failed) run.children.delete(seq);
  run.tasks.occurred(
    () => run.record(type, undefined, job),
    () => job,
  );
}
