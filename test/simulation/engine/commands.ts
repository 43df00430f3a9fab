/** What a workflow wants done, once its task is completed. */
import type { coresdk } from '@temporalio/proto';
import { Activity } from './activity';
import { type Command, type Failure, type Job, ms } from './proto';
import type { Child, Run, Signal } from './run';
import { mayFollow } from './workflow-ids';

type Does = { [K in keyof Command]-?: (run: Run, what: NonNullable<Command[K]>) => void };

const DOES: Partial<Does> = {
  updateResponse: (run, response) => run.updates.answered(response),
  scheduleActivity(run, how) {
    run.record('ActivityTaskScheduled', { taskQueue: { name: how.taskQueue } });
    const activity = new Activity(run, how, run.server.world.now, run.history.length);
    run.activities.set(how.seq ?? 0, activity);
    activity.schedule();
  },
  requestCancelActivity: (run, { seq }) => run.activities.get(seq ?? 0)?.requestCancel(),
  startTimer: (run, { seq, startToFireTimeout }) => startTimer(run, seq ?? 0, ms(startToFireTimeout) ?? 0),
  cancelTimer(run, { seq }) {
    run.record('TimerCanceled');
    run.timers.get(seq ?? 0)?.cancel();
    run.timers.delete(seq ?? 0);
    run.tasks.unbuffer(({ fireTimer }) => fireTimer?.seq === seq);
  },
  startChildWorkflowExecution: startChild,
  cancelChildWorkflowExecution(run, { childWorkflowSeq }) {
    const { server } = run;
    const child = run.children.get(childWorkflowSeq ?? 0);
    run.record('RequestCancelExternalWorkflowExecutionInitiated');
    server.later(() => {
      const target = child && server.open().find(({ start }) => start.parent === child);
      target?.requestCancel();
      const event = target
        ? 'ExternalWorkflowExecutionCancelRequested'
        : 'RequestCancelExternalWorkflowExecutionFailed';
      run.tasks.happened(event, () => undefined);
    });
  },
  signalExternalWorkflowExecution(run, signal) {
    run.record('SignalExternalWorkflowExecutionInitiated');
    sendSignal(run, signal);
  },
  upsertWorkflowSearchAttributes(run, { searchAttributes }) {
    run.record('UpsertWorkflowSearchAttributes');
    run.searchAttributes = { ...run.searchAttributes, ...searchAttributes?.indexedFields };
    run.server.visibility.changed(run);
  },
  modifyWorkflowProperties(run, { upsertedMemo }) {
    run.record('WorkflowPropertiesModified');
    run.memo = { ...run.memo, ...upsertedMemo?.fields };
    run.server.visibility.changed(run);
  },
  setPatchMarker(run) {
    run.record('MarkerRecorded');
    run.record('UpsertWorkflowSearchAttributes');
  },
  completeWorkflowExecution: (run, { result }) =>
    run.close('COMPLETED', 'WorkflowExecutionCompleted', { result: result ?? undefined }),
  failWorkflowExecution: (run, { failure }) =>
    run.close('FAILED', 'WorkflowExecutionFailed', { failure: failure ?? undefined }),
  cancelWorkflowExecution: (run) => run.close('CANCELED', 'WorkflowExecutionCanceled', {}),
  continueAsNewWorkflowExecution(run, next) {
    run.close('CONTINUED_AS_NEW', 'WorkflowExecutionContinuedAsNew', {});
    run.continuedAs = run.server.begin({
      ...run.start,
      type: next.workflowType || run.type,
      input: next.arguments ?? [],
      searchAttributes: run.searchAttributes,
      memo: { ...run.memo, ...next.memo },
      requestId: undefined,
      continued: { firstRunId: run.firstRunId, from: run.runId },
    });
  },
};

/** @throws Error for a command that the simulation has no part for */
export function perform(run: Run, command: Command): void {
  for (const [name, what] of Object.entries(command)) {
    if (!what || name === 'userMetadata' || name === 'eventGroupMarkers') continue;
    const does = DOES[name as keyof Does] as ((run: Run, what: object) => void) | undefined;
    if (!does) throw new Error(`not simulated: the command ${name}`);
    does(run, what);
  }
}

function startTimer(run: Run, seq: number, forMs: number): void {
  run.record('TimerStarted');
  arm(run, seq, run.server.world.now + forMs);
}

/** It fires then, or at once where that is over. */
export function arm(run: Run, seq: number, at: number): void {
  const { world } = run.server;
  const due = world.after(at - world.now, () => {
    run.timers.delete(seq);
    run.tasks.happened('TimerFired', () => ({ fireTimer: { seq } }));
  });
  run.timers.set(seq, {
    at,
    cancel() {
      due.cancelled = true;
    },
  });
}

/** It is refused: a run with its ID has ended well, and a second one is not wanted then. */
export const DONE_BEFORE = 'a child that was done before';

/** As the protocol counts the causes. */
const ALREADY_EXISTS = 1;

function startChild(run: Run, child: coresdk.workflow_commands.IStartChildWorkflowExecution): void {
  const { server } = run;
  const seq = child.seq ?? 0;
  const workflowId = child.workflowId ?? '';
  const workflowType = child.workflowType ?? '';
  run.record('StartChildWorkflowExecutionInitiated');
  run.initiated.set(run.history.length, seq);
  const parent: Child = { run, seq, begin: () => server.later(begin) };
  run.children.set(seq, parent);
  parent.begin();

  function begin(): void {
    const waiting = waitingFor(parent);
    // Whoever has ended meanwhile begins nothing any more, whatever was to become of the child then.
    if (!waiting || waiting.begun.has(seq)) return;
    waiting.begun.add(seq);
    const current = server.current(workflowId);
    const isAnothers = current !== undefined && current.start.parent !== parent;
    const isDone = isAnothers && !current.isOpen && !mayFollow(current, child.workflowIdReusePolicy);
    if (isDone) server.mishaps.note(DONE_BEFORE);
    if (isDone || (isAnothers && current.isOpen)) {
      const failed = { workflowId, workflowType, cause: ALREADY_EXISTS };
      waiting.children.delete(seq);
      waiting.tasks.happened('StartChildWorkflowExecutionFailed', () => ({
        resolveChildWorkflowExecutionStart: { seq, failed },
      }));
      return;
    }
    const { runId } = current?.isOpen
      ? current
      : server.begin({
          ...{ workflowId, type: workflowType, input: child.input ?? [], taskQueue: child.taskQueue || run.taskQueue },
          searchAttributes: child.searchAttributes?.indexedFields ?? {},
          priority: child.priority ?? run.start.priority,
          parent,
          parentClosePolicy: child.parentClosePolicy ?? 0,
        });
    waiting.tasks.happened('ChildWorkflowExecutionStarted', () => ({
      resolveChildWorkflowExecutionStart: { seq, succeeded: { runId } },
    }));
  }
}

/** Who is to hear of a child: the run that began it, or what that was reset to, if it had been begun by then. */
function waitingFor(child: Child): Run | undefined {
  let { run } = child;
  while (!run.isOpen && run.resetTo) run = run.resetTo;
  return run.isOpen && run.children.get(child.seq) === child ? run : undefined;
}

/** A run has ended: the one that began it hears so. */
export function tellParent(child: Run): void {
  const { parent } = child.start;
  if (!parent || child.status === 'CONTINUED_AS_NEW' || child.isEndedByReset) return;
  const { seq } = parent;
  const wrap = (cause?: Failure): Failure => ({
    message: 'Child Workflow execution failed',
    childWorkflowExecutionFailureInfo: {
      workflowExecution: { workflowId: child.workflowId, runId: child.runId },
      workflowType: { name: child.type },
      retryState: 5,
    },
    ...(cause && { cause }),
  });
  const told = {
    COMPLETED: ['Completed', { completed: { result: child.result ?? null } }],
    FAILED: ['Failed', { failed: { failure: wrap(child.failure) } }],
    CANCELED: ['Canceled', { cancelled: { failure: wrap({ message: 'canceled', canceledFailureInfo: {} }) } }],
    TERMINATED: ['Terminated', { failed: { failure: wrap({ message: 'terminated', terminatedFailureInfo: {} }) } }],
  } as const;
  const [what, result] = told[child.status as keyof typeof told];
  const job: Job = { resolveChildWorkflowExecution: { seq, result } };
  child.server.later(() => {
    const waiting = waitingFor(parent);
    // At once, also while the event waits for the end of a task: of a child that is reset meanwhile it hears no second end.
    waiting?.children.delete(seq);
    waiting?.tasks.happened(
      () => waiting.record(`ChildWorkflowExecution${what}`, undefined, job),
      () => job,
    );
  });
}

export function sendSignal(run: Run, signal: Signal): void {
  const { server } = run;
  const seq = signal.seq ?? 0;
  const workflowId = signal.childWorkflowId || signal.workflowExecution?.workflowId || '';
  const { runId } = signal.workflowExecution ?? {};
  run.signals.set(seq, signal);
  server.later(() => {
    const target = runId ? server.runOf(workflowId, runId) : server.current(workflowId);
    run.signals.delete(seq);
    if (!target?.isOpen) {
      const failure = { message: 'ExternalWorkflowExecutionNotFound', applicationFailureInfo: {} };
      run.tasks.happened('SignalExternalWorkflowExecutionFailed', () => ({
        resolveSignalExternalWorkflow: { seq, failure },
      }));
      return;
    }
    server.signal(target, signal.signalName ?? '', signal.args ?? []);
    run.tasks.happened('ExternalWorkflowExecutionSignaled', () => ({ resolveSignalExternalWorkflow: { seq } }));
  });
}
