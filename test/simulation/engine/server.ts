/** The Temporal server: all runs, who works on them, and what lists show of them. */
import type { coresdk } from '@temporalio/proto';
import type { Process, World } from '../world/world';
import type { Activity, Try } from './activity';
import { tellParent } from './commands';
import type { Completion } from './history';
import { Matching } from './matching';
import type { Mishaps } from './mishaps';
import { GRPC, GrpcError, type Payload } from './proto';
import { backUp, resume } from './reset';
import { Run, type Start } from './run';
import { Visibility } from './visibility';
import { mayFollow, type Policies, USE_EXISTING } from './workflow-ids';
import type { Task } from './workflow-tasks';

/** A worker process, as the server sees it. */
export interface Worker extends Process {
  activate(run: Run, task: Task): Promise<Completion>;
  query(run: Run, query: coresdk.workflow_activation.IQueryWorkflow): Promise<coresdk.workflow_commands.IQueryResult>;
  perform(task: Try): void;
  /** What it has of a run in its memory, or of all, is not what the server has. */
  forget(runId?: string): void;
}

/** How long a restart takes. */
const RESTART_MS = 5_000;

export class Server {
  readonly world: World;
  readonly runs = new Map<string, Run[]>();
  readonly workers: Worker[] = [];
  readonly visibility: Visibility;
  readonly matching: Matching;
  /** With so many events it suggests to continue as new. */
  suggestsAt = 4_096;
  /** Told what the engine has no part for: the code under test may take the failure for one of the server. */
  onUnknown: (what: string) => void = () => undefined;
  /** Told of each workflow task that fails. */
  onTaskFailure: (run: Run, cause: string, why: string) => void = () => undefined;
  onClosed: (run: Run) => void = () => undefined;
  /** What clients wait for: by these they hear that their connection is broken. */
  readonly calls = new Set<() => void>();
  /** It answers again from then on. */
  #upAt = 0;
  /** What was on its way within it before one of its restarts does not arrive. */
  #restarts = 0;
  /** Its database is lost, and it begins with an empty one. */
  readonly lose = this.backUp();

  constructor(
    readonly mishaps: Mishaps,
    spacing: (queue: string) => number = () => 0,
  ) {
    this.world = mishaps.world;
    this.visibility = new Visibility(this);
    this.matching = new Matching(this, spacing);
  }

  /** How long a message takes, milliseconds. */
  latency(): number {
    return this.mishaps.happens('slow') ? this.world.random.between(20, 3_000) : this.world.random.between(1, 12);
  }

  /** It has been restarted, and does not answer yet. */
  get isDown(): boolean {
    return this.world.now < this.#upAt;
  }

  /** A message from one part of it to another. */
  later(then: () => void): void {
    const restarts = this.#restarts;
    this.world.after(this.latency(), () => {
      if (restarts === this.#restarts) then();
    });
  }

  someWorker(): Worker | undefined {
    const alive = this.workers.filter((worker) => worker.alive && !this.isDown);
    return alive.length > 0 ? this.world.random.pick(alive) : undefined;
  }

  addWorker(worker: Worker): void {
    this.workers.push(worker);
    this.#awake();
  }

  /** Somebody has come who takes tasks. */
  #awake(): void {
    for (const run of this.open()) run.tasks.awake();
    this.matching.awake();
  }

  open(): Run[] {
    return [...this.runs.values()].flatMap((runs) => runs.at(-1) ?? []).filter(({ isOpen }) => isOpen);
  }

  /** The last run with an ID. */
  current(workflowId: string): Run | undefined {
    return this.runs.get(workflowId)?.at(-1);
  }

  runOf(workflowId: string, runId: string): Run | undefined {
    return this.runs.get(workflowId)?.find((run) => run.runId === runId);
  }

  /** @throws GrpcError where there is none */
  find({ workflowId, runId }: { workflowId?: string | null; runId?: string | null }): Run {
    const run = runId ? this.runOf(workflowId ?? '', runId) : this.current(workflowId ?? '');
    if (!run) throw new GrpcError(GRPC.NOT_FOUND, `workflow not found for ID: ${workflowId}`);
    return run;
  }

  findOpen(execution: { workflowId?: string | null; runId?: string | null }): Run {
    const run = this.find(execution);
    if (!run.isOpen) throw new GrpcError(GRPC.NOT_FOUND, 'workflow execution already completed');
    return run;
  }

  /** As a client asks for it. @returns the run, and whether it is a new one */
  start(start: Start, { conflict, reuse }: Policies = {}): { run: Run; isNew: boolean } {
    const present = this.current(start.workflowId);
    if (present && present.start.requestId === start.requestId) return { run: present, isNew: false };
    if (present?.isOpen) {
      if (conflict === USE_EXISTING) return { run: present, isNew: false };
      throw new GrpcError(GRPC.ALREADY_EXISTS, 'Workflow execution is already running.');
    }
    if (present && !mayFollow(present, reuse))
      throw new GrpcError(GRPC.ALREADY_EXISTS, 'Workflow execution already finished successfully.');
    return { run: this.begin(start), isNew: true };
  }

  begin(start: Start): Run {
    const run = this.#add(new Run(this, this.world.random.uuid(), start));
    this.world.tell(`start ${start.type} ${start.workflowId}`);
    run.begin();
    this.visibility.changed(run);
    return run;
  }

  #add(run: Run): Run {
    const runs = this.runs.get(run.workflowId) ?? [];
    this.runs.set(run.workflowId, runs);
    runs.push(run);
    return run;
  }

  /** As an operator does. @param task which of the completed workflow tasks of the run, from 0 */
  reset(base: Run, task: number): Run {
    const run = new Run(this, this.world.random.uuid(), { ...base.start, requestId: undefined }, base);
    const current = this.current(base.workflowId);
    base.resetTo = run;
    if (current?.isOpen) {
      current.isEndedByReset = true;
      current.terminate();
    }
    this.world.tell(`reset ${base.workflowId} to task ${task}`);
    resume(this.#add(run), base, task);
    this.visibility.changed(run);
    return run;
  }

  signal(run: Run, signalName: string, input: Payload[]): void {
    run.tasks.happened('WorkflowExecutionSignaled', () => ({
      signalWorkflow: { signalName, input, identity: 'somebody' },
    }));
  }

  closed(run: Run): void {
    this.world.tell(`end ${run.workflowId} ${run.status}`);
    const { worker } = run.tasks;
    this.visibility.changed(run);
    tellParent(run);
    for (const child of this.open()) {
      const { parent } = child.start;
      if (!parent || run.children.get(parent.seq) !== parent || run.status === 'CONTINUED_AS_NEW') continue;
      // They stay with the run that it was reset to.
      if (run.resetTo) continue;
      if (child.start.parentClosePolicy === 3) child.requestCancel();
      else if (child.start.parentClosePolicy !== 2) child.terminate();
    }
    this.onClosed(run);
    worker?.forget(run.runId);
  }

  /** A run, or all with the ID, as if there never had been one. */
  delete(workflowId: string): void {
    const runs = this.runs.get(workflowId) ?? [];
    runs.at(-1)?.terminate();
    this.runs.delete(workflowId);
    for (const run of runs) this.visibility.deleted(run);
  }

  /**
   * All that its database has. @returns restarts it with that one, and names the runs that are gone by it; workers live on,
   * and may be at what no run has come to
   */
  backUp(): (downMs?: number) => Run[] {
    const kept = [...this.runs].map(([workflowId, runs]) => [workflowId, [...runs]] as const);
    const backs = kept.flatMap(([, runs]) => runs.map(backUp));
    return (downMs = RESTART_MS) => {
      this.#restarts++;
      this.#upAt = this.world.now + downMs;
      const before = [...this.runs.values()].flat();
      for (const run of before) run.forget();
      for (const worker of this.workers) worker.forget();
      this.runs.clear();
      for (const [workflowId, runs] of kept) this.runs.set(workflowId, [...runs]);
      for (const back of backs) back();
      const all = kept.flatMap(([, runs]) => runs);
      this.visibility.restart(all);
      for (const broken of this.calls) broken();
      this.world.after(downMs, () => this.#awake());
      return before.filter((run) => !all.includes(run));
    };
  }

  /**
   * The activity that a worker means whose try it was given: the one that this event has scheduled, if a worker is at this
   * attempt of it, and it is not over, though the workflow may not have heard of that. Where the server has gone back to a
   * backup that may be another one.
   */
  meant({ activity: { run, eventId }, attempt }: Try): Activity | undefined {
    const pending = this.runOf(run.workflowId, run.runId)?.activities.values() ?? [];
    return [...pending].find(
      (one) => one.eventId === eventId && one.attempt === attempt && one.isStarted && !one.isClosed,
    );
  }
}
