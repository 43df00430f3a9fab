/** What a workflow wants done, once its task is completed. */
import { Activity } from './activity';
import { type Command, type Failure, type Job, ms, type SearchAttributes } from './proto';
import type { Run } from './run';

/** Also carries the commands that the simulation has no part for: they are refused loudly. */
export function perform(run: Run, command: Command): void {
  const { server } = run;
  const { world } = server;
  if (command.updateResponse) return run.updates.answered(command.updateResponse);
  if (command.scheduleActivity) {
    run.record('ActivityTaskScheduled');
    const activity = new Activity(run, command.scheduleActivity, world.now);
    run.activities.set(command.scheduleActivity.seq ?? 0, activity);
    return activity.schedule();
  }
  if (command.requestCancelActivity) return run.activities.get(command.requestCancelActivity.seq ?? 0)?.requestCancel();
  if (command.startTimer)
    return startTimer(run, command.startTimer.seq ?? 0, ms(command.startTimer.startToFireTimeout) ?? 0);
  if (command.cancelTimer) {
    const seq = command.cancelTimer.seq ?? 0;
    run.record('TimerCanceled');
    run.timers.get(seq)?.cancel();
    run.timers.delete(seq);
    return run.unbuffer(({ fireTimer }) => fireTimer?.seq === seq);
  }
  if (command.startChildWorkflowExecution) return startChild(run, command);
  if (command.signalExternalWorkflowExecution) return signalExternal(run, command);
  if (command.upsertWorkflowSearchAttributes) {
    run.record('UpsertWorkflowSearchAttributes');
    return upsert(run, command.upsertWorkflowSearchAttributes.searchAttributes?.indexedFields ?? {});
  }
  if (command.completeWorkflowExecution)
    return run.close('COMPLETED', 'WorkflowExecutionCompleted', {
      result: command.completeWorkflowExecution.result ?? undefined,
    });
  if (command.failWorkflowExecution)
    return run.close('FAILED', 'WorkflowExecutionFailed', {
      failure: command.failWorkflowExecution.failure ?? undefined,
    });
  if (command.cancelWorkflowExecution) return run.close('CANCELED', 'WorkflowExecutionCanceled', {});
  if (command.continueAsNewWorkflowExecution) {
    run.close('CONTINUED_AS_NEW', 'WorkflowExecutionContinuedAsNew', {});
    server.begin({
      ...run.start,
      type: command.continueAsNewWorkflowExecution.workflowType || run.type,
      input: command.continueAsNewWorkflowExecution.arguments ?? [],
      searchAttributes: run.searchAttributes,
      requestId: undefined,
      continued: { firstRunId: run.firstRunId, from: run.runId },
    });
    return;
  }
  throw new Error(`not simulated: the command ${Object.keys(command).join()}`);
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

/** Of a value without bytes the attribute is taken away. */
function upsert(run: Run, fields: SearchAttributes): void {
  run.searchAttributes = { ...run.searchAttributes, ...fields };
  run.server.visibility.changed(run);
}

function startChild(run: Run, { startChildWorkflowExecution: child }: Command): void {
  const { server } = run;
  const seq = child?.seq ?? 0;
  const workflowId = child?.workflowId ?? '';
  const workflowType = child?.workflowType ?? '';
  run.record('StartChildWorkflowExecutionInitiated');
  server.world.after(server.latency(), () => {
    // What was initiated is begun, also where the parent has ended meanwhile, unless it was to end with it.
    if (!run.isOpen && child?.parentClosePolicy !== 2) return;
    if (server.current(workflowId)?.isOpen)
      return run.happened('StartChildWorkflowExecutionFailed', () => ({
        resolveChildWorkflowExecutionStart: { seq, failed: { workflowId, workflowType, cause: 1 } },
      }));
    const { runId } = server.begin({
      ...{ workflowId, type: workflowType, input: child?.input ?? [], taskQueue: child?.taskQueue || run.taskQueue },
      searchAttributes: child?.searchAttributes?.indexedFields ?? {},
      priority: child?.priority ?? run.start.priority,
      parent: { run, seq },
      parentClosePolicy: child?.parentClosePolicy ?? 0,
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

function signalExternal(run: Run, { signalExternalWorkflowExecution: signal }: Command): void {
  const { server } = run;
  const seq = signal?.seq ?? 0;
  const workflowId = signal?.childWorkflowId || signal?.workflowExecution?.workflowId || '';
  run.record('SignalExternalWorkflowExecutionInitiated');
  server.world.after(server.latency(), () => {
    const target = server.current(workflowId);
    if (!target?.isOpen)
      return run.happened('SignalExternalWorkflowExecutionFailed', () => ({
        resolveSignalExternalWorkflow: {
          seq,
          failure: { message: 'ExternalWorkflowExecutionNotFound', applicationFailureInfo: {} },
        },
      }));
    server.signal(target, signal?.signalName ?? '', signal?.args ?? []);
    run.happened('ExternalWorkflowExecutionSignaled', () => ({ resolveSignalExternalWorkflow: { seq } }));
  });
}
