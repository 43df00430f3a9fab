/** What a workflow wants done, once its task is completed. */
import type { coresdk } from '@temporalio/proto';
import { Activity } from './activity';
import { type Command, type Failure, type Job, ms } from './proto';
import type { Run } from './run';

type Does = { [K in keyof Command]-?: (run: Run, what: NonNullable<Command[K]>) => void };

const DOES: Partial<Does> = {
  updateResponse: (run, response) => run.updates.answered(response),
  scheduleActivity(run, how) {
    run.record('ActivityTaskScheduled');
    const activity = new Activity(run, how, run.server.world.now);
    run.activities.set(how.seq ?? 0, activity);
    activity.schedule();
  },
  requestCancelActivity: (run, { seq }) => run.activities.get(seq ?? 0)?.requestCancel(),
  startTimer: (run, { seq, startToFireTimeout }) => startTimer(run, seq ?? 0, ms(startToFireTimeout) ?? 0),
  cancelTimer(run, { seq }) {
    run.record('TimerCanceled');
    run.timers.get(seq ?? 0)?.cancel();
    run.timers.delete(seq ?? 0);
    run.unbuffer(({ fireTimer }) => fireTimer?.seq === seq);
  },
  startChildWorkflowExecution: startChild,
  signalExternalWorkflowExecution: signalExternal,
  upsertWorkflowSearchAttributes(run, { searchAttributes }) {
    run.record('UpsertWorkflowSearchAttributes');
    run.searchAttributes = { ...run.searchAttributes, ...searchAttributes?.indexedFields };
    run.server.visibility.changed(run);
  },
  completeWorkflowExecution: (run, { result }) =>
    run.close('COMPLETED', 'WorkflowExecutionCompleted', { result: result ?? undefined }),
  failWorkflowExecution: (run, { failure }) =>
    run.close('FAILED', 'WorkflowExecutionFailed', { failure: failure ?? undefined }),
  cancelWorkflowExecution: (run) => run.close('CANCELED', 'WorkflowExecutionCanceled', {}),
  continueAsNewWorkflowExecution(run, next) {
    run.close('CONTINUED_AS_NEW', 'WorkflowExecutionContinuedAsNew', {});
    run.server.begin({
      ...run.start,
      type: next.workflowType || run.type,
      input: next.arguments ?? [],
      searchAttributes: run.searchAttributes,
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
  const due = run.server.world.after(forMs, () => {
    run.timers.delete(seq);
    run.happened('TimerFired', () => ({ fireTimer: { seq } }));
  });
  run.timers.set(seq, {
    cancel() {
      due.cancelled = true;
    },
  });
}

/** As the protocol counts the causes. */
const ALREADY_EXISTS = 1;

function startChild(run: Run, child: coresdk.workflow_commands.IStartChildWorkflowExecution): void {
  const { server } = run;
  const seq = child.seq ?? 0;
  const workflowId = child.workflowId ?? '';
  const workflowType = child.workflowType ?? '';
  run.record('StartChildWorkflowExecutionInitiated');
  server.world.after(server.latency(), () => {
    // What was initiated is begun, also where the parent has ended meanwhile, unless it was to end with it.
    if (!run.isOpen && child.parentClosePolicy !== 2) return;
    if (server.current(workflowId)?.isOpen) {
      const failed = { workflowId, workflowType, cause: ALREADY_EXISTS };
      run.happened('StartChildWorkflowExecutionFailed', () => ({
        resolveChildWorkflowExecutionStart: { seq, failed },
      }));
      return;
    }
    const { runId } = server.begin({
      ...{ workflowId, type: workflowType, input: child.input ?? [], taskQueue: child.taskQueue || run.taskQueue },
      searchAttributes: child.searchAttributes?.indexedFields ?? {},
      priority: child.priority ?? run.start.priority,
      parent: { run, seq },
      parentClosePolicy: child.parentClosePolicy ?? 0,
    });
    run.happened('ChildWorkflowExecutionStarted', () => ({
      resolveChildWorkflowExecutionStart: { seq, succeeded: { runId } },
    }));
  });
}

/** A run has ended: the one that began it hears so. */
export function tellParent(child: Run): void {
  const { parent } = child.start;
  if (!parent || child.status === 'CONTINUED_AS_NEW') return;
  const { run, seq } = parent;
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
  run.server.world.after(run.server.latency(), () => run.happened(`ChildWorkflowExecution${what}`, () => job));
}

function signalExternal(run: Run, signal: coresdk.workflow_commands.ISignalExternalWorkflowExecution): void {
  const { server } = run;
  const seq = signal.seq ?? 0;
  const workflowId = signal.childWorkflowId || signal.workflowExecution?.workflowId || '';
  run.record('SignalExternalWorkflowExecutionInitiated');
  server.world.after(server.latency(), () => {
    const target = server.current(workflowId);
    if (!target?.isOpen) {
      const failure = { message: 'ExternalWorkflowExecutionNotFound', applicationFailureInfo: {} };
      run.happened('SignalExternalWorkflowExecutionFailed', () => ({
        resolveSignalExternalWorkflow: { seq, failure },
      }));
      return;
    }
    server.signal(target, signal.signalName ?? '', signal.args ?? []);
    run.happened('ExternalWorkflowExecutionSignaled', () => ({ resolveSignalExternalWorkflow: { seq } }));
  });
}
