/** The world of one case: a stage of its own, and what a person or a command sees there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import type { RouteName } from '../../../src/agent-api/routes';
import type { FaultRule } from '../../../src/sandbox/options';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import type { RunningWorker } from '../../../src/worker';
import { WorkerProcess } from '../../e2e/support/worker-process';
import { type Stage, type StageOptions, startStage } from '../../support/stage';
import { until } from '../../support/until';

/** What may be spent in a day: less than what every case tries to spend in the end. */
export const PER_DAY = 6_000;

/**
 * A call in flight is let go by the case itself, long before its time limit. The send window is that of production: with a
 * shorter one a slow machine sends nothing.
 */
export const TIMING = { paidTimeoutMs: 20_000, sendWindowMs: 5_000, settlingMs: 3_000, holdProbeMs: 300, pollMs: 100 };
/** Where an outcome stays unknown: it would have shown after eleven seconds. */
export const SHORT_CALLS = { ...TIMING, paidTimeoutMs: 3_000 };

/** What takes long on purpose; shorter than the time limit of a paid call. */
export const LONG_MS = 18_000;

export interface WorldOptions {
  timing?: typeof TIMING;
  sandbox?: StageOptions['sandbox'];
  account?: StageOptions['account'];
  /** Workers that can be killed. @default false: one in this process */
  processes?: boolean;
}

/** An open run as it shows itself. */
export interface OpenRun {
  workflowId: string;
  type: string;
  /** Its current details; absent where it does not answer. */
  details?: string;
}

type Fault = Partial<FaultRule> & Pick<FaultRule, 'route' | 'fault'>;

export class World {
  private worker: RunningWorker | undefined;
  private processes: WorkerProcess[] = [];
  private readonly fresh: string[];
  private readonly started = new Map<string, string>();

  private constructor(
    readonly stage: Stage,
    private readonly options: WorldOptions,
  ) {
    this.fresh = stage.sandbox.control
      .leads()
      .filter(({ surveyStatus }) => surveyStatus === 'completed')
      .map(({ id }) => id);
  }

  /** By default the service is one at which two requests in flight for one lead both pay. */
  static async open(options: WorldOptions): Promise<World> {
    const stage = await startStage({
      sandbox: {
        ...{ leads: 30, projects: 0, captures: 0, convertCheck: 'atArrival' },
        ...options.sandbox,
        durations: { ...QUICKLY, ...options.sandbox?.durations },
      },
      account: { timing: options.timing ?? TIMING, budget: { perDay: PER_DAY, balanceFloor: 0 }, ...options.account },
    });
    const world = new World(stage, options);
    try {
      await world.startWorker();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  get client() {
    return this.stage.temporal.client;
  }

  get service() {
    return this.client.workflowService;
  }

  get namespace() {
    return this.stage.temporal.namespace;
  }

  get control() {
    return this.stage.sandbox.control;
  }

  /** A worker that knows the ledger. */
  async startWorker(): Promise<void> {
    if (this.isWorked) return;
    if (this.options.processes) {
      const worker = new WorkerProcess({ ...this.stage.env, LOG_LEVEL: 'info' });
      this.processes.push(worker);
      await worker.said('account is ready');
    } else this.worker = await this.stage.startWorker();
    // One that has just been started finds out first what stands in its books.
    await until(async () => (await this.stage.spentByLedger().catch(() => undefined)) !== undefined);
  }

  /** The worker processes end as by a crash. */
  async killWorkers(): Promise<void> {
    await Promise.all(this.processes.map((worker) => worker.kill()));
    this.processes = [];
  }

  private get isWorked(): boolean {
    return this.processes.length > 0 || this.worker !== undefined;
  }

  /** The ledger that is there now, whichever run of it. */
  get ledger(): WorkflowHandle {
    return this.client.workflow.getHandle(this.stage.ledgerId);
  }

  /** A lead that can be converted, another one each time. */
  lead(): string {
    const id = this.fresh.shift();
    if (id === undefined) throw new Error('the sandbox has too few leads for this case');
    return id;
  }

  fault(...rules: Fault[]): void {
    for (const rule of rules) this.control.addFault(rule);
  }

  /** Requests of a route that have arrived. */
  called(route: RouteName): number {
    return this.control.stats().requests.byRoute[route] ?? 0;
  }

  put(ref: string, text: string): string {
    const file = join(this.stage.folder, 'storage', ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return ref;
  }

  /** Starts a run as the start form of the Web UI does: any type, any JSON. */
  start(type: string, workflowId: string, ...args: unknown[]): Promise<WorkflowHandle> {
    this.watch(workflowId, type);
    return this.client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args });
  }

  /** It was started past this. */
  watch(workflowId: string, type: string): void {
    this.started.set(workflowId, type);
  }

  /** What is open, with what it says of itself; without the examples that the start form copies. */
  async openRuns(): Promise<OpenRun[]> {
    const open = new Map<string, string>();
    for await (const { workflowId, type } of this.client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      open.set(workflowId, type);
    // Lists are late.
    for (const [workflowId, type] of this.started) if (await this.isRunning(workflowId)) open.set(workflowId, type);
    return Promise.all(
      [...open].map(async ([workflowId, type]) => {
        const details = await this.detailsOf(workflowId);
        return { workflowId, type, ...(details !== undefined && { details }) };
      }),
    );
  }

  private async isRunning(workflowId: string): Promise<boolean> {
    const run = await this.client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    return run?.status.name === 'RUNNING';
  }

  async detailsOf(workflowId: string): Promise<string | undefined> {
    try {
      return await this.client.withDeadline(Date.now() + 5_000, async () => {
        const metadata = await this.client.workflow.getHandle(workflowId).query('__temporal_workflow_metadata');
        const details = typeof metadata === 'object' && metadata !== null && Reflect.get(metadata, 'currentDetails');
        return typeof details === 'string' ? details : undefined;
      });
    } catch {
      return undefined;
    }
  }

  /** Why its last workflow task failed. */
  async taskFailureOf(workflowId: string): Promise<string> {
    const { events } = await this.client.workflow.getHandle(workflowId).fetchHistory();
    const failed = (events ?? []).flatMap(
      ({ workflowTaskFailedEventAttributes: task }) => task?.failure?.message ?? [],
    );
    return failed.at(-1) ?? 'no workflow task failed';
  }

  /** What was made to wait goes on, and nothing goes wrong any more. */
  letGo(): void {
    this.control.clearFaults();
    this.control.endDelays();
  }

  async close(): Promise<void> {
    await this.killWorkers();
    await this.stage.close();
  }
}

const QUICKLY = {
  ...{ convert: 50, createProject: 50, upload: 50, documentAnalysis: 50, interviewAnalysis: 50 },
  ...{ audit: 300, extraction: 200 },
};
