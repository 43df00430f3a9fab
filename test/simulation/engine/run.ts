/** One run of a workflow, as the server keeps it: history, workflow tasks, and what of it is pending. */
import type { coresdk } from '@temporalio/proto';
import Long from 'long';
import type { Process } from '../world/world';
import type { Activity } from './activity';
import { perform } from './commands';
import type { Command, Failure, Job, Payload, SearchAttributes } from './proto';
import { type Point, pointOf } from './reset';
import type { Server, Worker } from './server';
import { Updates } from './updates';

export type Status = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'CONTINUED_AS_NEW';

/** How a run is started: by a person, by another run, or by the one that it continues. */
export interface Start {
  workflowId: string;
  type: string;
  input: Payload[];
  taskQueue: string;
  searchAttributes: SearchAttributes;
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

export interface Event {
  id: number;
  type: string;
  at: number;
  detail?: Record<string, unknown> | undefined;
  /** What the workflow is told of it; of an update, where no earlier event tells it. */
  job?: Job | undefined;
}

/** What a worker made of one activation. */
export interface Activated {
  jobs: Job[];
  at: number;
  historyLength: number;
  flags: readonly number[];
  /** For comparison with what a replay makes of it. */
  commands: string;
  /** Marked by it: a replay knows of them beforehand. */
  patches: string[];
}

/** What a worker answers to a workflow task. */
export interface Completion {
  activations: Activated[];
  commands: Command[];
  /** Activities whose end the workflow knows before the server does. */
  resolved: number[];
  failed?: Failure;
}

/** A workflow task; until it is completed only what `isWritten` says stands in the history. */
export interface Task {
  attempt: number;
  isWritten: boolean;
  /** For updates alone: leaves no trace where all are refused. */
  isSpeculative: boolean;
  startedAt?: number;
  worker?: Process;
  jobs: Job[];
  updates: string[];
  historyLength: number;
  /** What was pending as it began. */
  point?: Point;
}

const TASK_TIMEOUT_MS = 10_000;
const STICKY_TIMEOUT_MS = 10_000;

export class Run {
  readonly history: Event[] = [];
  /** What workers have made of it so far, a list for each completed task. */
  readonly episodes: Activated[][] = [];
  /** Where it can be reset to: for each episode. */
  readonly points: Point[] = [];
  readonly activities = new Map<number, Activity>();
  readonly timers = new Map<number, { at: number; cancel(): void }>();
  readonly children = new Map<number, Child>();
  /** Of those it is known whether they have started. */
  readonly begun = new Set<number>();
  /** To other runs, of which it is not known yet whether they have arrived. */
  readonly signals = new Map<number, Signal>();
  readonly updates: Updates;
  readonly startedAt: number;
  searchAttributes: SearchAttributes;
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
  /** The worker that has it in its memory. */
  sticky: Process | undefined;
  task: Task | undefined;
  /** Whoever waits for the end of the present task, or of the run. */
  onTaskEnd: (() => void)[] = [];
  /** Of the last task that failed, in words. */
  trouble: { since: number; tries: number; why: string } | undefined;
  #jobs: Job[] = [];
  /** Something has happened that no task has told yet. */
  #isDue = false;
  #buffered: { tell: () => void; job: () => Job | undefined }[] = [];

  constructor(
    readonly server: Server,
    readonly runId: string,
    readonly start: Start,
    /** The run that was reset to become this one. */
    private readonly base?: Run,
  ) {
    this.startedAt = server.world.now;
    this.searchAttributes = { ...start.searchAttributes };
    this.updates = new Updates(this);
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
    this.scheduleTask();
  }

  record(type: string, detail?: Record<string, unknown>, job?: Job): void {
    const { world } = this.server;
    this.history.push({ id: this.history.length + 1, type, at: world.now, detail, job });
  }

  /** Something that the workflow is to hear of; while a worker is at a task, it waits for the end of that. */
  happened(tell: string | (() => void), job: () => Job | undefined): void {
    if (!this.isOpen) return;
    const event = typeof tell === 'string' ? () => this.record(tell, undefined, job()) : tell;
    if (this.task?.startedAt !== undefined) this.#buffered.push({ tell: event, job });
    else {
      if (this.task && !this.task.isWritten) this.#write(this.task);
      this.occurred(event, job);
      this.scheduleTask();
    }
  }

  /** In the course of a task's completion: at once. */
  occurred(tell: () => void, job: () => Job | undefined): void {
    tell();
    const told = job();
    if (told) this.#jobs.push(told);
    this.#isDue = true;
  }

  /** A timer that fired, and is cancelled by the task that was under way, was never there. */
  unbuffer(isIt: (job: Job) => boolean): void {
    this.#buffered = this.#buffered.filter(({ job }) => {
      const told = job();
      return !told || !isIt(told);
    });
  }

  // ---- Workflow tasks

  scheduleTask(isSpeculative = false): void {
    if (!this.isOpen || this.task) return;
    this.#isDue = false;
    this.task = { attempt: 1, isWritten: false, isSpeculative, jobs: [], updates: [], historyLength: 0 };
    if (!isSpeculative) this.#write(this.task);
    this.#dispatch(this.task);
  }

  #write(task: Task): void {
    task.isWritten = true;
    this.record('WorkflowTaskScheduled');
  }

  /** A worker has come. */
  awake(): void {
    if (this.task && this.task.startedAt === undefined) this.#dispatch(this.task);
  }

  #dispatch(task: Task, afterMs = this.server.latency()): void {
    const { world } = this.server;
    const { sticky } = this;
    world.after(afterMs, () => {
      if (this.task !== task || task.startedAt !== undefined) return;
      if (sticky && this.sticky === sticky && !sticky.alive) {
        this.sticky = undefined;
        return this.#dispatch(task, STICKY_TIMEOUT_MS);
      }
      const worker = this.sticky ? this.server.workerOf(this.sticky) : this.server.someWorker();
      if (worker) this.#startTask(task, worker);
    });
  }

  #startTask(task: Task, worker: Worker): void {
    const { world, mishaps } = this.server;
    task.startedAt = world.now;
    task.worker = worker;
    task.point = pointOf(this);
    this.#isDue = false;
    if (task.isWritten) this.record('WorkflowTaskStarted');
    // Those of a task that is not written yet would be the next two events.
    task.historyLength = this.history.length + (task.isWritten ? 0 : 2);
    task.jobs = this.#jobs.filter(
      ({ resolveActivity }) => resolveActivity?.seq == null || !this.activities.get(resolveActivity.seq)?.isResolved,
    );
    this.#jobs = [];
    task.updates = this.updates.deliver();
    world.after(TASK_TIMEOUT_MS, () => this.#timeOut(task));
    if (mishaps.happens('workflowTaskLost')) return;
    world.after(
      this.server.latency(),
      async () => {
        const completion = await worker.activate(this, task);
        const late = mishaps.happens('workflowTaskLate') ? world.random.between(9_000, 15_000) : this.server.latency();
        world.after(late, () => this.#answered(task, worker, completion));
      },
      worker,
    );
  }

  #answered(task: Task, worker: Worker, completion: Completion): void {
    const { activations, commands, failed, resolved } = completion;
    const isUnheard = this.#buffered.length > 0 || this.updates.isWaited;
    if (this.task !== task || !this.isOpen) worker.forget(this.runId);
    else if (failed) this.#fail(task, 'WORKFLOW_WORKER_UNHANDLED_FAILURE', failed.message ?? '');
    else if (commands.some(endsRun) && isUnheard) this.#fail(task, 'UNHANDLED_COMMAND');
    else this.#complete(task, worker, activations, commands, resolved);
  }

  #complete(
    task: Task,
    worker: Worker,
    activations: Activated[],
    commands: readonly Command[],
    resolved: readonly number[],
  ): void {
    this.task = undefined;
    this.trouble = undefined;
    this.sticky = worker;
    if (leavesTrace(task, commands)) {
      if (!task.isWritten) {
        this.#write(task);
        this.record('WorkflowTaskStarted');
      }
      if (task.point) this.points.push({ ...task.point, events: this.history.length });
      this.record('WorkflowTaskCompleted');
      this.episodes.push(activations);
      for (const seq of resolved) {
        const activity = this.activities.get(seq);
        if (activity) activity.isResolved = true;
      }
      for (const command of commands) if (this.isOpen || command.updateResponse) perform(this, command);
    } else for (const command of commands) perform(this, command);
    this.#goOn();
  }

  /** What happened meanwhile is told, and if anything did, another task follows. */
  #goOn(): void {
    const ended = this.onTaskEnd.splice(0);
    for (const { tell, job } of this.#buffered.splice(0)) if (this.isOpen) this.occurred(tell, job);
    if (this.#isDue || this.#jobs.length > 0) this.scheduleTask();
    else if (this.updates.isWaited) this.scheduleTask(true);
    for (const hear of ended) hear();
  }

  #fail(task: Task, cause: string, why = ''): void {
    const { server } = this;
    server.world.tell(`task failed ${this.workflowId}: ${cause} ${why}`);
    server.onTaskFailure(this, cause, why);
    if (task.attempt === 1) {
      if (!task.isWritten) {
        this.#write(task);
        this.record('WorkflowTaskStarted');
      }
      this.record('WorkflowTaskFailed', { cause });
    }
    this.updates.taskFailed(task.updates);
    this.#again(task, why || cause, cause === 'UNHANDLED_COMMAND' ? 0 : undefined);
  }

  #timeOut(task: Task): void {
    if (this.task !== task || !this.isOpen) return;
    if (task.attempt === 1 && task.isWritten) this.record('WorkflowTaskTimedOut');
    this.updates.taskTimedOut(task.updates);
    this.#again(task, 'a worker took it and did not finish it in time', 0);
  }

  #again(task: Task, why: string, delay = task.attempt < 3 ? 0 : 10_000): void {
    const { worker } = task;
    if (worker?.alive) this.server.workerOf(worker)?.forget(this.runId);
    this.sticky = undefined;
    this.trouble ??= { since: this.server.world.now, tries: 0, why };
    this.trouble.tries++;
    this.#jobs = [...task.jobs, ...this.#jobs];
    const news = this.#buffered.splice(0);
    this.task = {
      attempt: news.length > 0 ? 1 : task.attempt + 1,
      isWritten: false,
      isSpeculative: false,
      jobs: [],
      updates: [],
      historyLength: 0,
    };
    for (const { tell, job } of news) this.occurred(tell, job);
    if (news.length > 0) this.#write(this.task);
    this.#dispatch(this.task, delay + this.server.latency());
    for (const hear of this.onTaskEnd.splice(0)) hear();
  }

  // ---- The end

  requestCancel(): void {
    if (!this.isOpen || this.cancelRequested) return;
    this.cancelRequested = true;
    this.happened('WorkflowExecutionCancelRequested', () => ({ cancelWorkflow: { reason: '' } }));
  }

  /** From outside, whatever it is at. What has happened meanwhile still is in its history. */
  terminate(): void {
    if (!this.isOpen) return;
    this.task = undefined;
    for (const { tell, job } of this.#buffered.splice(0)) this.occurred(tell, job);
    this.close('TERMINATED', 'WorkflowExecutionTerminated', {});
    for (const hear of this.onTaskEnd.splice(0)) hear();
  }

  close(
    status: Status,
    event: string,
    { result, failure }: { result?: Payload | undefined; failure?: Failure | undefined },
  ): void {
    this.record(event, { ...(result && { result: { payloads: [result] } }), ...(failure && { failure }) });
    Object.assign(this, { status, result, failure, closedAt: this.server.world.now });
    for (const activity of this.activities.values()) activity.forget();
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
    this.updates.closed(status === 'CONTINUED_AS_NEW');
    this.server.closed(this);
  }
}

/** A task for updates alone, all of which are refused, is in no history. */
export const leavesTrace = (task: Task, commands: readonly Command[]): boolean =>
  task.isWritten || !task.isSpeculative || commands.some(({ updateResponse }) => !updateResponse?.rejected);

export const endsRun = (command: Command): boolean =>
  Boolean(
    command.completeWorkflowExecution ||
      command.failWorkflowExecution ||
      command.cancelWorkflowExecution ||
      command.continueAsNewWorkflowExecution,
  );
