/** One activity of a run, as the server keeps it: tries, timeouts, cancellation. */
import type { coresdk } from '@temporalio/proto';
import type { Due } from '../world/world';
import { canceled, type Failure, type Job, ms, type Payload, RetryState, timedOut } from './proto';
import type { Run } from './run';

export type Scheduled = coresdk.workflow_commands.IScheduleActivity;

/** A try of an activity that a worker has taken. */
export interface Try {
  activity: Activity;
  attempt: number;
  scheduledAt: number;
  /** What the try before it said last of itself. */
  details: unknown;
  /** When a queue with a limit gave it away. */
  takenAt?: number;
}

/** How a try ended. */
export type TryResult = { completed: Payload | undefined } | { failed: Failure } | { cancelled: true };

/** What may be due: the end of all tries, of one, of one that gives no sign, of one that nobody takes, and the next one. */
type Clock = 'overall' | 'single' | 'beat' | 'untaken' | 'retry';

export class Activity {
  /** Of the try that counts. */
  attempt = 1;
  /** The one that waits for a worker, or that one is at. */
  current: Try | undefined;
  cancelRequested = false;
  resetRequested = false;
  /** A worker is at it. */
  isStarted = false;
  isClosed = false;
  /** The workflow has been told of its end already (`TRY_CANCEL`, `ABANDON`). */
  isResolved = false;
  lastFailure: Failure | undefined;
  /** What heartbeats said last. */
  details: unknown;
  readonly #due = new Map<Clock, Due>();

  /** @param eventId of the event that has scheduled it: by that and the attempt a worker's answer is known */
  constructor(
    readonly run: Run,
    readonly how: Scheduled,
    readonly scheduledAt: number,
    readonly eventId: number,
  ) {}

  get type(): string {
    return this.how.activityType ?? '';
  }

  get queue(): string {
    return this.how.taskQueue || this.run.taskQueue;
  }

  schedule(): void {
    this.#comes('overall', ms(this.how.scheduleToCloseTimeout));
    this.#enqueue();
  }

  /** @returns makes another one that is as far, of this run or of one that is reset: what is over by then happens at once */
  backUp(): (run: Run) => Activity {
    const { how, scheduledAt, eventId, cancelRequested, isResolved } = this;
    const own = { ...this };
    const due = [...this.#due].map(([clock, { at }]) => ({ clock, at }));
    return (run) => {
      const again = new Activity(run, how, scheduledAt, eventId);
      // In a run that was reset it begins anew.
      if (run !== own.run) {
        Object.assign(again, { cancelRequested, isResolved }).schedule();
        return again;
      }
      Object.assign(again, own);
      for (const { clock, at } of due) again.#comes(clock, Math.max(1, at - run.server.world.now));
      if (again.current && !again.isStarted) again.#enqueue();
      return again;
    };
  }

  #comes(clock: Clock, inMs: number | undefined): void {
    this.#stop(clock);
    if (inMs)
      this.#due.set(
        clock,
        this.run.server.world.after(inMs, () => this.#isDue(clock)),
      );
  }

  #stop(...clocks: readonly Clock[]): void {
    for (const clock of clocks) {
      const due = this.#due.get(clock);
      if (due) due.cancelled = true;
      this.#due.delete(clock);
    }
  }

  #isDue(clock: Clock): void {
    if (clock === 'retry') this.#enqueue();
    else if (clock === 'single') this.#tried(timedOut('TIMEOUT_TYPE_START_TO_CLOSE', 'activity StartToClose timeout'));
    else if (clock === 'untaken')
      this.#end('ActivityTaskTimedOut', {
        failure: timedOut('TIMEOUT_TYPE_SCHEDULE_TO_START', 'activity ScheduleToStart timeout'),
        retryState: RetryState.RETRY_STATE_TIMEOUT,
      });
    else if (clock === 'beat') this.#tried(timedOut('TIMEOUT_TYPE_HEARTBEAT', 'activity Heartbeat timeout'));
    else
      this.#end('ActivityTaskTimedOut', {
        failure: timedOut('TIMEOUT_TYPE_SCHEDULE_TO_CLOSE', 'activity ScheduleToClose timeout', this.lastFailure),
        retryState: RetryState.RETRY_STATE_TIMEOUT,
      });
  }

  #enqueue(): void {
    const { world, matching } = this.run.server;
    this.#stop('retry');
    const next: Try = { activity: this, attempt: this.attempt, scheduledAt: world.now, details: this.details };
    this.current = next;
    this.isStarted = false;
    this.#comes('untaken', ms(this.how.scheduleToStartTimeout));
    matching.add(next);
  }

  /** A worker has taken it. */
  start(): void {
    this.isStarted = true;
    this.#stop('untaken');
    this.#comes('single', ms(this.how.startToCloseTimeout) ?? ms(this.how.scheduleToCloseTimeout));
    this.heartbeat();
  }

  /** @returns what the worker is told */
  heartbeat(): { cancelRequested: boolean; activityReset: boolean } {
    this.#comes('beat', ms(this.how.heartbeatTimeout));
    return { cancelRequested: this.cancelRequested, activityReset: this.resetRequested };
  }

  /** The try that counts has answered. */
  answered(result: TryResult): void {
    if ('completed' in result) this.#end('ActivityTaskCompleted', { result: result.completed });
    else if ('failed' in result) this.#tried(result.failed);
    // From a worker whose task another server does not know, after a backup: nobody has asked this one to cancel it.
    else if (this.cancelRequested) this.#end('ActivityTaskCanceled', {});
  }

  requestCancel(): void {
    if (this.isClosed || this.cancelRequested) return;
    this.cancelRequested = true;
    this.run.record('ActivityTaskCancelRequested');
    if (!this.isStarted) this.#end('ActivityTaskCanceled', {}, true);
  }

  /** As the operator's command does: it begins anew, by its count. */
  reset(): void {
    if (this.isClosed) return;
    this.attempt = 1;
    if (this.isStarted) this.resetRequested = true;
    else this.#enqueue();
  }

  /** A try has failed: another one follows, or it is over. */
  #tried(failure: Failure): void {
    if (this.isClosed || !this.isStarted) return;
    this.#stop('single', 'beat');
    this.lastFailure = failure;
    const { world } = this.run.server;
    const { retryPolicy: policy } = this.how;
    const { applicationFailureInfo: info } = failure;
    const state = () => {
      if (this.cancelRequested) return RetryState.RETRY_STATE_CANCEL_REQUESTED;
      if (info?.nonRetryable || policy?.nonRetryableErrorTypes?.includes(info?.type ?? ''))
        return RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE;
      if (policy?.maximumAttempts && this.attempt >= policy.maximumAttempts)
        return RetryState.RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED;
      return undefined;
    };
    const over = state();
    const wasReset = this.resetRequested;
    this.resetRequested = false;
    const first = ms(policy?.initialInterval) ?? 1_000;
    const grown = Math.min(
      ms(policy?.maximumInterval) ?? 100 * first,
      first * (policy?.backoffCoefficient || 2) ** (this.attempt - 1),
    );
    const delay = wasReset ? 0 : Math.round(ms(info?.nextRetryDelay) ?? grown);
    const overallMs = ms(this.how.scheduleToCloseTimeout);
    const tooLate = overallMs !== undefined && overallMs > 0 && world.now + delay > this.scheduledAt + overallMs;
    if (over !== undefined || tooLate) {
      const type = failure.timeoutFailureInfo ? 'ActivityTaskTimedOut' : 'ActivityTaskFailed';
      this.#end(type, { failure, retryState: over ?? RetryState.RETRY_STATE_TIMEOUT });
      return;
    }
    this.current = undefined;
    this.isStarted = false;
    if (!wasReset) this.attempt++;
    this.#comes('retry', Math.max(1, delay));
  }

  /** The run has ended: nobody waits for it any more, but a worker may still be at it. */
  forget(): void {
    this.isClosed = true;
    this.#stop('overall', 'single', 'beat', 'untaken', 'retry');
  }

  /** @param byCommand in the course of a workflow task, whose events come before those that wait for its end */
  #end(
    event: string,
    { result, failure, retryState }: { result?: Payload | undefined; failure?: Failure; retryState?: number },
    byCommand = false,
  ): void {
    const wasStarted = this.isStarted;
    this.forget();
    const seq = this.how.seq ?? 0;
    const wrap = (cause: Failure): Failure => ({
      message: 'Activity task failed',
      cause,
      activityFailureInfo: {
        activityId: this.how.activityId ?? '',
        activityType: { name: this.type },
        retryState: retryState ?? 0,
      },
    });
    const told = (): coresdk.activity_result.IActivityResolution => {
      if (failure) return { failed: { failure: wrap(failure) } };
      if (event === 'ActivityTaskCanceled') return { cancelled: { failure: wrap(canceled()) } };
      return { completed: { result: result ?? null } };
    };
    const job = (): Job | undefined => (this.isResolved ? undefined : { resolveActivity: { seq, result: told() } });
    const tell = () => {
      this.run.activities.delete(seq);
      if (wasStarted) this.run.record('ActivityTaskStarted');
      this.run.record(event);
    };
    if (byCommand) this.run.tasks.occurred(tell, job);
    else this.run.tasks.happened(tell, job);
  }
}
