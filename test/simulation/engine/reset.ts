/**
 * Reset of a run, as server 1.29 does it: what is under way under the ID is terminated, and another run goes on with the
 * history up to the end of one workflow task. Activities that were pending then are begun anew, timers run their rest, signals
 * and accepted updates that came later are told once more, cancellations are not. Children begun before stay with it, and
 * so does what they have said since; of those begun later it knows nothing, and meets them by their IDs.
 *
 * Simplified: nothing can be left out of what is told once more, and an update whose ID has come twice is told once.
 */
import { temporal as api } from '@temporalio/proto';
import { arm, sendSignal, tellParent } from './commands';
import type { Event } from './history';
import type { Job } from './proto';
import type { Run } from './run';

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: RESET } = api.api.enums.v1.WorkflowTaskFailedCause;

/** What is pending: as a workflow task begins, which is what the history tells up to its end, or as a backup is taken. */
export type Point = ReturnType<typeof pointOf>;

export const pointOf = (run: Run) => ({
  /** Events by then; up to the end of the task, when that has come. */
  events: run.history.length,
  activities: [...run.activities].map(([seq, activity]) => ({ seq, begin: activity.backUp() })),
  timers: [...run.timers].map(([seq, { at }]) => ({ seq, at })),
  children: [...run.children],
  begun: [...run.begun],
  signals: [...run.signals],
  updates: run.updates.lasting(),
  own: { searchAttributes: run.searchAttributes, memo: run.memo, cancelRequested: run.cancelRequested },
});

/** A new run comes to where another one was when one of its workflow tasks, of those that were completed, had begun. */
export function resume(run: Run, base: Run, task: number): void {
  const point = base.points[task];
  if (!point) throw new Error(`${base.workflowId} has completed no task ${task}`);
  run.history.push(...base.history.slice(0, point.events));
  run.episodes.push(...base.episodes.slice(0, task));
  run.points.push(...base.points.slice(0, task));
  Object.assign(run, point.own);
  takeUp(run, point);
  for (const [event, seq] of base.initiated) if (event <= point.events) run.initiated.set(event, seq);
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
  for (const event of base.history.slice(point.events)) again(run, event, base);
  for (let next = base.continuedAs; next; next = next.continuedAs)
    for (const event of next.history) again(run, event, next);
  sendAgain(run, point);
  run.tasks.schedule();
}

function takeUp(run: Run, { children, begun, updates, timers, activities }: Point): void {
  for (const all of [run.children, run.begun, run.signals, run.activities]) all.clear();
  for (const [seq, child] of children) run.children.set(seq, child);
  for (const seq of begun) run.begun.add(seq);
  run.updates.resume(updates);
  for (const { seq, at } of timers) arm(run, seq, at);
  for (const { seq, begin } of activities) run.activities.set(seq, begin(run));
}

/** To other runs: the server does not know whether it was. */
function sendAgain(run: Run, { signals }: Point): void {
  for (const child of run.children.values()) if (!run.begun.has(child.seq)) child.begin();
  for (const [, signal] of signals) sendSignal(run, signal);
}

/** All of a run that is in the server's database. @returns puts it back: the same run is where it was then */
export function backUp(run: Run): () => void {
  const own = { ...run };
  const point = pointOf(run);
  // Whole: by then the server may have gone back to a backup of before, which has less.
  const [history, episodes, points] = [[...run.history], [...run.episodes], [...run.points]];
  const tasks = run.tasks.backUp();
  return () => {
    Object.assign(run, own);
    run.history.splice(0, Number.POSITIVE_INFINITY, ...history);
    run.episodes.splice(0, Number.POSITIVE_INFINITY, ...episodes);
    run.points.splice(0, Number.POSITIVE_INFINITY, ...points);
    takeUp(run, point);
    tasks();
    sendAgain(run, point);
    if (!run.isOpen) tellParent(run);
  };
}

/**
 * Tells of what came after the point. Of a child the server goes by the number of the event that began it, also where that
 * is an event of a run that continued the one that was reset: what became of that one's child it tells of another.
 * @param of the run to which it happened
 */
function again(run: Run, { type, job }: Event, of: Run): void {
  if (job?.doUpdate) run.updates.admitAgain(job.doUpdate);
  else if (job?.signalWorkflow)
    run.tasks.occurred(
      () => run.record(type, undefined, job),
      () => job,
    );
  const { resolveChildWorkflowExecutionStart: start, resolveChildWorkflowExecution: end } = job ?? {};
  const [initiated] = [...of.initiated].find(([, seq]) => seq === (start?.seq ?? end?.seq)) ?? [];
  const seq = initiated === undefined ? undefined : run.initiated.get(initiated);
  if (seq === undefined || !run.children.has(seq)) return;
  if (start && run.begun.has(seq)) return;
  if (start) run.begun.add(seq);
  if (end || start?.failed) run.children.delete(seq);
  const told: Job = {
    ...(start && { resolveChildWorkflowExecutionStart: { ...start, seq } }),
    ...(end && { resolveChildWorkflowExecution: { ...end, seq } }),
  };
  run.tasks.occurred(
    () => run.record(type, undefined, told),
    () => told,
  );
}
