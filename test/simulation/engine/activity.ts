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
}

/** How a try ended. */
export type TryResult = { completed: Payload | undefined } | { failed: Failure } | { cancelled: true };

export class Activity {
  attempt = 1;
  /** The try that counts; every other one that answers is too late. */
  current: Try | undefined;
  cancelRequested = false;
  resetRequested = false;
  /** A worker is at it. */
  isStarted = false;
  isClosed = false;
  /** The workflow has been told of its end already (`TRY_CANCEL`, `ABANDON`). */
  isResolved = false;
  lastFailure: Failure | undefined;
  #retryAt: Due | undefined;
  #overall: Due | undefined;
  #single: Due | undefined;
  #beat: Due | undefined;

  constructor(
    readonly run: Run,
    readonly how: Scheduled,
    readonly scheduledAt: number,
  ) {}

  get type(): string {
    return this.how.activityType ?? '';
  }

  get queue(): string {
    return this.how.taskQueue || this.run.taskQueue;
  }

  schedule(): void {
    const overallMs = ms(this.how.scheduleToCloseTimeout);
    if (overallMs)
      this.#overall = this.run.server.world.after(overallMs, () =>
        this.#end('ActivityTaskTimedOut', {
          failure: timedOut('TIMEOUT_TYPE_SCHEDULE_TO_CLOSE', 'activity ScheduleToClose timeout', this.lastFailure),
          retryState: RetryState.RETRY_STATE_TIMEOUT,
        }),
      );
    this.#enqueue();
  }

  #enqueue(): void {
    const { world, matching } = this.run.server;
    const next: Try = { activity: this, attempt: this.attempt, scheduledAt: world.now };
    this.current = next;
    this.isStarted = false;
    matching.add(next);
  }

  /** A worker has taken it. */
  start(): void {
    const { world } = this.run.server;
    this.isStarted = true;
    const limit = ms(this.how.startToCloseTimeout) ?? ms(this.how.scheduleToCloseTimeout);
    if (limit)
      this.#single = world.after(limit, () =>
        this.#tried(timedOut('TIMEOUT_TYPE_START_TO_CLOSE', 'activity StartToClose timeout')),
      );
    this.heartbeat();
  }

  /** @returns what the worker is told */
  heartbeat(): { cancelRequested: boolean; activityReset: boolean } {
    const limit = ms(this.how.heartbeatTimeout);
    if (this.#beat) this.#beat.cancelled = true;
    if (limit)
      this.#beat = this.run.server.world.after(limit, () =>
        this.#tried(timedOut('TIMEOUT_TYPE_HEARTBEAT', 'activity Heartbeat timeout')),
      );
    return { cancelRequested: this.cancelRequested, activityReset: this.resetRequested };
  }

  /** A try has answered. @returns whether it still counts */
  answered(which: Try, result: TryResult): boolean {
    if (this.isClosed || this.current !== which || !this.isStarted) return false;
    if ('completed' in result) this.#end('ActivityTaskCompleted', { result: result.completed });
    else if ('cancelled' in result) this.#end('ActivityTaskCanceled', {});
    else this.#tried(result.failed);
    return true;
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
    else {
      if (this.#retryAt) this.#retryAt.cancelled = true;
      this.#enqueue();
    }
  }

  /** A try has failed: another one follows, or it is over. */
  #tried(failure: Failure): void {
    if (this.isClosed || !this.isStarted) return;
    this.#stopTry();
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
    this.#retryAt = world.after(delay, () => this.#enqueue());
  }

  #stopTry(): void {
    for (const due of [this.#single, this.#beat]) if (due) due.cancelled = true;
  }

  /** The run has ended: nobody waits for it any more, but a worker may still be at it. */
  forget(): void {
    this.isClosed = true;
    this.#stopTry();
    for (const due of [this.#overall, this.#retryAt]) if (due) due.cancelled = true;
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
