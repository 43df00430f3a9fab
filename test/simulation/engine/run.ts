/** One run of a workflow, as the server keeps it: how it began, its history, what of it is pending, and its end. */
import type { coresdk } from '@temporalio/proto';
import Long from 'long';
import type { Activity } from './activity';
import type { Activated, Event } from './history';
import type { Failure, Job, Memo, Payload, SearchAttributes } from './proto';
import type { Point } from './reset';
import type { Server } from './server';
import { Updates } from './updates';
import { WorkflowTasks } from './workflow-tasks';

export type Status = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'CONTINUED_AS_NEW';

/** How a run is started: by a person, by another run, or by the one that it continues. */
export interface Start {
  workflowId: string;
  type: string;
  input: Payload[];
  taskQueue: string;
  searchAttributes: SearchAttributes;
  memo?: Memo;
  requestId?: string | undefined;
  priority?: { priorityKey?: number | null; fairnessKey?: string | null } | null | undefined;
  parent?: Child | undefined;
  /** `TERMINATE`, `ABANDON`, `REQUEST_CANCEL`, as the protocol counts them. */
  parentClosePolicy?: number | undefined;
  continued?: { firstRunId: string; from: string } | undefined;
}

/** A child that a run has begun and not heard the end of, by which run and as its how manieth. */
export interface Child {
  run: Run;
  seq: number;
  begin(): void;
}

export type Signal = coresdk.workflow_commands.ISignalExternalWorkflowExecution;

export class Run {
  readonly history: Event[] = [];
  /** What workers have made of it so far, a list for each completed task. */
  readonly episodes: Activated[][] = [];
  /** Where it can be reset to: for each episode. */
  readonly points: Point[] = [];
  readonly activities = new Map<number, Activity>();
  readonly timers = new Map<number, { at: number; cancel(): void }>();
  readonly children = new Map<number, Child>();
  /** By which event each child was begun, with its number as the worker counts it. */
  readonly initiated = new Map<number, number>();
  /** Of those it is known whether they have started. */
  readonly begun = new Set<number>();
  /** To other runs, of which it is not known yet whether they have arrived. */
  readonly signals = new Map<number, Signal>();
  readonly updates = new Updates(this);
  readonly tasks = new WorkflowTasks(this);
  readonly startedAt: number;
  searchAttributes: SearchAttributes;
  memo: Memo;
  status: Status = 'RUNNING';
  closedAt: number | undefined;
  result: Payload | undefined;
  failure: Failure | undefined;
  cancelRequested = false;
  /** The run that goes on with its history up to some moment, the last one if it was reset more than once. */
  resetTo: Run | undefined;
  /** It was ended for a run that was reset: whoever began it waits for that one. */
  isEndedByReset = false;
  continuedAs: Run | undefined;

  constructor(
    readonly server: Server,
    readonly runId: string,
    readonly start: Start,
    /** The run that was reset to become this one. */
    private readonly base?: Run,
  ) {
    this.startedAt = server.world.now;
    this.searchAttributes = { ...start.searchAttributes };
    this.memo = { ...start.memo };
  }

  get workflowId(): string {
    return this.start.workflowId;
  }

  get type(): string {
    return this.start.type;
  }

  get taskQueue(): string {
    return this.start.taskQueue;
  }

  get firstRunId(): string {
    return this.start.continued?.firstRunId ?? this.base?.firstRunId ?? this.runId;
  }

  /** Of those that are one and the same by reset, the first, whose beginning stands in the history. */
  get original(): Run {
    return this.base?.original ?? this;
  }

  /** Its ID, and those it had before it was reset. */
  get runIds(): readonly string[] {
    return [...(this.base?.runIds ?? []), this.runId];
  }

  /** Of its random numbers, from its last reset on. */
  get seed(): Long {
    return Long.fromString(this.runId.replace(/-/g, '').slice(0, 15), true, 16);
  }

  get isOpen(): boolean {
    return this.status === 'RUNNING';
  }

  begin(): void {
    this.record('WorkflowExecutionStarted', { input: { payloads: this.start.input } });
    this.tasks.schedule();
  }

  record(type: string, detail?: Record<string, unknown>, job?: Job): void {
    const { world } = this.server;
    this.history.push({ id: this.history.length + 1, type, at: world.now, detail, job });
  }

  requestCancel(): void {
    if (!this.isOpen || this.cancelRequested) return;
    this.cancelRequested = true;
    this.tasks.happened('WorkflowExecutionCancelRequested', () => ({ cancelWorkflow: { reason: '' } }));
  }

  /** From outside, whatever it is at. */
  terminate(): void {
    if (this.isOpen) this.tasks.stop(() => this.close('TERMINATED', 'WorkflowExecutionTerminated', {}));
  }

  /** Nothing of it is due any more, and what workers are at they are at in vain. */
  forget(): void {
    for (const activity of this.activities.values()) activity.forget();
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
    this.tasks.current = undefined;
  }

  close(
    status: Status,
    event: string,
    { result, failure }: { result?: Payload | undefined; failure?: Failure | undefined },
  ): void {
    this.record(event, { ...(result && { result: { payloads: [result] } }), ...(failure && { failure }) });
    Object.assign(this, { status, result, failure, closedAt: this.server.world.now });
    this.forget();
    this.updates.closed(status === 'CONTINUED_AS_NEW');
    this.server.closed(this);
  }
}
