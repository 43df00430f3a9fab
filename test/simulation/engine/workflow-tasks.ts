/** The workflow tasks of a run, one after the other: what has happened is told by the next one. */
import { perform } from './commands';
import type { Completion } from './history';
import { type Command, endsRun, type Job } from './proto';
import { type Point, pointOf } from './reset';
import type { Run } from './run';
import type { Worker } from './server';

/** A workflow task; until it is completed only what `isWritten` says stands in the history. */
export interface Task {
  attempt: number;
  isWritten: boolean;
  /** For updates alone: leaves no trace where all are refused. */
  isSpeculative: boolean;
  startedAt?: number;
  worker?: Worker;
  jobs: Job[];
  updates: string[];
  historyLength: number;
  /** What was pending as it began. */
  point?: Point;
}

const TASK_TIMEOUT_MS = 10_000;
const STICKY_TIMEOUT_MS = 10_000;

/** What is told of something that happened; nothing where the workflow knows it by then. */
type Tells = () => Job | undefined;

export class WorkflowTasks {
  /** The one that is scheduled, or that a worker is at. */
  current: Task | undefined;
  /** Why they fail: of the first one that has failed since one was completed. */
  trouble: string | undefined;
  /** Whoever waits for the end of the current one, or of the run. */
  readonly #waiting: (() => void)[] = [];
  /** The worker that has the run in its memory. */
  #sticky: Worker | undefined;
  #jobs: Job[] = [];
  /** Something has happened that no task has told yet. */
  #isDue = false;
  /** What has happened since a worker began with the current one. */
  #buffered: { tell: () => void; job: Tells }[] = [];

  constructor(private readonly run: Run) {}

  /** The worker that has the run in its memory, if it lives. */
  get worker(): Worker | undefined {
    return this.#sticky?.alive ? this.#sticky : undefined;
  }

  /** Until the current one has ended, or the run. */
  end(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Something that the workflow is to hear of; while a worker is at a task, it waits for the end of that. */
  happened(tell: string | (() => void), job: Tells): void {
    const { run } = this;
    if (!run.isOpen) return;
    const event = typeof tell === 'string' ? () => run.record(tell, undefined, job()) : tell;
    if (this.current?.startedAt !== undefined) this.#buffered.push({ tell: event, job });
    else {
      if (this.current && !this.current.isWritten) this.#write(this.current);
      this.occurred(event, job);
      this.schedule();
    }
  }

  /** In the course of a task's completion: at once. */
  occurred(tell: () => void, job: Tells): void {
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

  schedule(isSpeculative = false): void {
    if (!this.run.isOpen || this.current) return;
    this.#isDue = false;
    const task = newTask(1, isSpeculative);
    this.current = task;
    if (!isSpeculative) this.#write(task);
    this.#dispatch(task);
  }

  /** @returns goes on from here where the server goes back to this moment: what a worker is at by then is lost */
  backUp(): () => void {
    const { current, trouble } = this;
    // One for updates alone is in no database, nor are they.
    const task = current && (current.isWritten || !current.isSpeculative) ? { ...current } : undefined;
    const [jobs, buffered, isDue] = [[...this.#jobs], [...this.#buffered], this.#isDue];
    return () => {
      Object.assign(this, { current: task && { ...task }, trouble });
      [this.#jobs, this.#buffered, this.#isDue, this.#sticky] = [[...jobs], [...buffered], isDue, undefined];
      if (this.current?.startedAt !== undefined) this.#timeOut(this.current);
      else if (this.current) this.#dispatch(this.current);
      else if (this.#unbufferAll() || isDue || jobs.length > 0) this.schedule();
      this.#ended();
    };
  }

  /** A worker has come. */
  awake(): void {
    if (this.current && this.current.startedAt === undefined) this.#dispatch(this.current);
  }

  /** @param close ends the run. What has happened meanwhile still is in its history. */
  stop(close: () => void): void {
    this.current = undefined;
    this.#unbufferAll();
    close();
    this.#ended();
  }

  /** @returns whether there was anything */
  #unbufferAll(): boolean {
    const news = this.#buffered.splice(0);
    for (const { tell, job } of news) this.occurred(tell, job);
    return news.length > 0;
  }

  #ended(): void {
    for (const hear of this.#waiting.splice(0)) hear();
  }

  #write(task: Task): void {
    task.isWritten = true;
    this.run.record('WorkflowTaskScheduled');
  }

  /** Before its end is. */
  #writeStart(task: Task): void {
    if (task.isWritten) return;
    this.#write(task);
    this.run.record('WorkflowTaskStarted');
  }

  #dispatch(task: Task, afterMs = this.run.server.latency()): void {
    const { server } = this.run;
    const sticky = this.#sticky;
    server.world.after(afterMs, () => {
      if (this.current !== task || task.startedAt !== undefined) return;
      if (sticky && this.#sticky === sticky && !sticky.alive) {
        this.#sticky = undefined;
        return this.#dispatch(task, STICKY_TIMEOUT_MS);
      }
      const worker = this.#sticky ? this.worker : server.someWorker();
      if (worker) this.#start(task, worker);
    });
  }

  #start(task: Task, worker: Worker): void {
    const { run } = this;
    const { world, mishaps } = run.server;
    task.startedAt = world.now;
    task.worker = worker;
    task.point = pointOf(run);
    this.#isDue = false;
    if (task.isWritten) run.record('WorkflowTaskStarted');
    // Those of a task that is not written yet would be the next two events.
    task.historyLength = run.history.length + (task.isWritten ? 0 : 2);
    task.jobs = this.#jobs.filter(
      ({ resolveActivity }) => resolveActivity?.seq == null || !run.activities.get(resolveActivity.seq)?.isResolved,
    );
    this.#jobs = [];
    task.updates = run.updates.deliver();
    world.after(TASK_TIMEOUT_MS, () => this.#timeOut(task));
    if (mishaps.happens('workflowTaskLost')) return;
    world.after(
      run.server.latency(),
      async () => {
        const completion = await worker.activate(run, task);
        const late = mishaps.happens('workflowTaskLate') ? world.random.between(9_000, 15_000) : run.server.latency();
        world.after(late, () => this.#answered(task, worker, completion));
      },
      worker,
    );
  }

  #answered(task: Task, worker: Worker, completion: Completion): void {
    const { run } = this;
    const { commands, failed } = completion;
    const isUnheard = this.#buffered.length > 0 || run.updates.isWaited;
    if (this.current !== task || !run.isOpen) worker.forget(run.runId);
    else if (failed) this.#fail(task, 'WORKFLOW_WORKER_UNHANDLED_FAILURE', failed.message ?? '');
    else if (commands.some(endsRun) && isUnheard) this.#fail(task, 'UNHANDLED_COMMAND');
    else this.#complete(task, worker, completion);
  }

  #complete(task: Task, worker: Worker, { activations, commands, resolved }: Completion): void {
    const { run } = this;
    this.current = undefined;
    this.trouble = undefined;
    this.#sticky = worker;
    if (leavesTrace(task, commands)) {
      this.#writeStart(task);
      if (task.point) run.points.push({ ...task.point, events: run.history.length });
      run.record('WorkflowTaskCompleted');
      run.episodes.push(activations);
      for (const seq of resolved) {
        const activity = run.activities.get(seq);
        if (activity) activity.isResolved = true;
      }
    }
    for (const command of commands) if (run.isOpen || command.updateResponse) perform(run, command);
    if (run.isOpen) this.#unbufferAll();
    if (this.#isDue || this.#jobs.length > 0) this.schedule();
    else if (run.updates.isWaited) this.schedule(true);
    this.#ended();
  }

  #fail(task: Task, cause: string, why = ''): void {
    const { run } = this;
    run.server.world.tell(`task failed ${run.workflowId}: ${cause} ${why}`);
    run.server.onTaskFailure(run, cause, why);
    if (task.attempt === 1) {
      this.#writeStart(task);
      run.record('WorkflowTaskFailed', { cause });
    }
    run.updates.taskFailed(task.updates);
    this.#again(task, why || cause, cause === 'UNHANDLED_COMMAND' ? 0 : undefined);
  }

  #timeOut(task: Task): void {
    const { run } = this;
    if (this.current !== task || !run.isOpen) return;
    if (task.attempt === 1 && task.isWritten) run.record('WorkflowTaskTimedOut');
    run.updates.taskTimedOut(task.updates);
    this.#again(task, 'a worker took it and did not finish it in time', 0);
  }

  #again(task: Task, why: string, delay = task.attempt < 3 ? 0 : 10_000): void {
    const { runId, server } = this.run;
    if (task.worker?.alive) task.worker.forget(runId);
    this.#sticky = undefined;
    this.trouble ??= why;
    this.#jobs = [...task.jobs, ...this.#jobs];
    const hasNews = this.#unbufferAll();
    const next = newTask(hasNews ? 1 : task.attempt + 1);
    this.current = next;
    if (hasNews) this.#write(next);
    this.#dispatch(next, delay + server.latency());
    this.#ended();
  }
}

const newTask = (attempt: number, isSpeculative = false): Task => ({
  ...{ attempt, isSpeculative, isWritten: false },
  ...{ jobs: [], updates: [], historyLength: 0 },
});

/** A task for updates alone, all of which are refused, is in no history. */
export const leavesTrace = (task: Task, commands: readonly Command[]): boolean =>
  task.isWritten || !task.isSpeculative || commands.some(({ updateResponse }) => !updateResponse?.rejected);
