/**
 * The workflow side of a worker process: what the SDK's Core does with a workflow task. Whatever is not in its memory, or not
 * as the server has it, is replayed, and what the replay wants done is compared with what was done: each replay is a test of
 * determinism.
 */

import { TypedSearchAttributes } from '@temporalio/common';
import { coresdk } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import Long from 'long';
import type { Mishaps } from '../engine/mishaps';
import { type Command, canceled, type Job, timestamp } from '../engine/proto';
import type { Activated, Completion, Run, Task } from '../engine/run';
import { endsRun, leavesTrace } from '../engine/run';
import type { World } from '../world/world';
import { type Build, workflowCreator } from './bundle';

const NAMESPACE = 'default';
/** How failures of the build before begin. */
export const OLD_BUILD = 'on the build before';
/** Up to so many tasks a run is evicted after each of them with the same chance. */
const OFTEN_REPLAYED = 20;
const { ActivityCancellationType } = coresdk.workflow_commands;

interface Cached {
  workflow: Workflow;
  /** How many of the run's tasks it has been through. */
  episodes: number;
  flags: Set<number>;
}

/** A replay wants something else than what was done. */
export class Nondeterminism extends Error {
  override readonly name = 'Nondeterminism';
}

export class Host {
  readonly #cached = new Map<string, Cached>();

  constructor(
    private readonly world: World,
    private readonly mishaps: Mishaps,
    private readonly onReplay: (run: Run) => void,
    private readonly build: Build,
  ) {}

  has(runId: string): boolean {
    return this.#cached.has(runId);
  }

  async activate(run: Run, task: Task): Promise<Completion> {
    const completion: Completion = { activations: [], commands: [], resolved: [] };
    try {
      const cached = await this.#upToDate(run);
      let jobs = jobsOf(run, task);
      // Each may lead to another, since Core itself answers what is cancelled without waiting.
      while (jobs.length > 0) {
        const { activated, commands, failure } = await this.#once(run, cached, jobs, task.historyLength, false);
        if (failure) return { ...completion, failed: failure };
        const told = withoutRefused(run, activated, commands);
        if (told.jobs.length > 0) completion.activations.push(told);
        jobs = settle(run, completion, commands);
      }
      if (leavesTrace(task, completion.commands)) cached.episodes = run.episodes.length + 1;
      // Its place in the memory is needed for another. Of a long one each replay takes long, so it happens less often.
      if (this.world.random.chance(OFTEN_REPLAYED / cached.episodes) && this.mishaps.happens('evicted'))
        this.forget(run.runId);
      return completion;
    } catch (error) {
      this.forget(run.runId);
      return { ...completion, failed: { message: this.#blamed(`${error}`) } };
    }
  }

  async query(
    run: Run,
    query: coresdk.workflow_activation.IQueryWorkflow,
  ): Promise<coresdk.workflow_commands.IQueryResult> {
    const { workflow } = await this.#upToDate(run);
    const { successful, failed } = await workflow.activate(
      activation(run, [{ queryWorkflow: query }], run.history.length, this.world.now, false),
    );
    if (failed) throw new Error(this.#blamed(failed.failure?.message ?? 'the query failed'));
    if (!run.isOpen) this.forget(run.runId);
    return successful?.commands?.find(({ respondToQuery }) => respondToQuery)?.respondToQuery ?? {};
  }

  /** What a build does not know it cannot replay: that is no fault of the run. */
  #blamed(why: string): string {
    return this.build === 'before' ? `${OLD_BUILD}: ${why}` : why;
  }

  forget(runId: string): void {
    const cached = this.#cached.get(runId);
    this.#cached.delete(runId);
    void cached?.workflow.dispose();
  }

  /** From its memory, or replayed. */
  async #upToDate(run: Run): Promise<Cached> {
    const known = this.#cached.get(run.runId);
    if (known?.episodes === run.episodes.length) return known;
    this.forget(run.runId);
    const cached: Cached = { workflow: await create(run, this.build), episodes: 0, flags: new Set() };
    this.#cached.set(run.runId, cached);
    if (run.episodes.length > 0) this.onReplay(run);
    for (const episode of run.episodes) {
      const known: Job[] = episode.flatMap(({ patches }) =>
        patches.map((patchId) => ({ notifyHasPatch: { patchId } })),
      );
      for (const { jobs, historyLength, at, flags, commands } of episode) {
        for (const flag of flags) cached.flags.add(flag);
        const told = [...known.splice(0), ...jobs.map(asReplayed)];
        const again = await this.#once(run, cached, told, historyLength, true, at);
        if (again.failure) throw new Nondeterminism(`a replay fails: ${again.failure.message}`);
        if (again.activated.commands !== commands)
          throw new Nondeterminism(`a replay wants something else:\n${commands}\n${again.activated.commands}`);
      }
      cached.episodes++;
    }
    return cached;
  }

  async #once(
    run: Run,
    { workflow, flags }: Cached,
    jobs: Job[],
    historyLength: number,
    isReplaying: boolean,
    at = this.world.now,
  ) {
    const done = await workflow.activate(
      Object.assign(activation(run, jobs, historyLength, at, isReplaying), { availableInternalFlags: [...flags] }),
    );
    await workflow.getAndResetSinkCalls();
    const used = done.successful?.usedInternalFlags ?? [];
    for (const flag of used) flags.add(flag);
    const commands = withoutTail(done.successful?.commands ?? []);
    const patches = commands.flatMap(({ setPatchMarker }) => setPatchMarker?.patchId ?? []);
    const activated: Activated = {
      jobs,
      at,
      historyLength,
      patches,
      flags: [...used],
      commands: signature(run, commands),
    };
    return { activated, commands, ...(done.failed?.failure && { failure: done.failed.failure }) };
  }
}

/** First what begins it, then messages, then the rest: Core's own order. */
function jobsOf(run: Run, task: Task): Job[] {
  const first = run.episodes.length === 0 ? [{ initializeWorkflow: initialization(run) }] : [];
  const updates = task.updates.map((id) => run.updates.jobOf(id));
  const signals = task.jobs.filter(({ signalWorkflow }) => signalWorkflow);
  const seeds = task.jobs.filter(({ updateRandomSeed }) => updateRandomSeed);
  const others = task.jobs.filter(({ signalWorkflow, updateRandomSeed }) => !signalWorkflow && !updateRandomSeed);
  return [...first, ...seeds, ...signals, ...updates, ...others];
}

/** What ends the run is the last that it says. */
function withoutTail(commands: Command[]): Command[] {
  const end = commands.findIndex(endsRun);
  if (end < 0) return commands;
  const answers = commands.slice(end + 1).filter(({ updateResponse }) => updateResponse);
  return [...commands.slice(0, end), ...answers, ...commands.slice(end, end + 1)];
}

/** An update that was refused is in no history. */
function withoutRefused(run: Run, activated: Activated, commands: readonly Command[]): Activated {
  const refused = new Set(
    commands.flatMap(({ updateResponse }) => (updateResponse?.rejected ? updateResponse.protocolInstanceId : [])),
  );
  if (refused.size === 0) return activated;
  const jobs = activated.jobs.filter(({ doUpdate }) => !doUpdate || !refused.has(doUpdate.protocolInstanceId));
  return {
    ...activated,
    jobs,
    commands: signature(
      run,
      commands.filter(({ updateResponse }) => !updateResponse?.rejected),
    ),
  };
}

/** One that was taken is not asked about again. */
const asReplayed = (job: Job): Job => (job.doUpdate ? { doUpdate: { ...job.doUpdate, runValidator: false } } : job);

/**
 * Adds commands to what the task wants. What is begun and cancelled in one task never was; an activity that is cancelled
 * without waiting (`TRY_CANCEL`, `ABANDON`) is over for the workflow at once.
 * @returns the jobs that follow
 */
function settle(run: Run, completion: Completion, commands: readonly Command[]): Job[] {
  const jobs: Job[] = [];
  const resolve = (seq: number, how: coresdk.workflow_commands.IScheduleActivity) => {
    const info = { activityId: how.activityId ?? '', activityType: { name: how.activityType ?? '' } };
    const failure = { message: 'Activity cancelled', cause: canceled(), activityFailureInfo: info };
    jobs.push({ resolveActivity: { seq, result: { cancelled: { failure } } } });
  };
  for (const command of commands) {
    const { requestCancelActivity: cancel, cancelTimer } = command;
    const timer = cancelTimer && completion.commands.findIndex(({ startTimer }) => startTimer?.seq === cancelTimer.seq);
    if (timer != null && timer >= 0) {
      completion.commands.splice(timer, 1);
      continue;
    }
    if (!cancel) {
      completion.commands.push(command);
      continue;
    }
    const seq = cancel.seq ?? 0;
    const here = completion.commands.findIndex(({ scheduleActivity }) => scheduleActivity?.seq === seq);
    const how = completion.commands[here]?.scheduleActivity ?? run.activities.get(seq)?.how;
    if (here >= 0) completion.commands.splice(here, 1);
    const type = how?.cancellationType ?? ActivityCancellationType.TRY_CANCEL;
    if (here < 0 && type !== ActivityCancellationType.ABANDON) completion.commands.push(command);
    if (!how || (here < 0 && type === ActivityCancellationType.WAIT_CANCELLATION_COMPLETED)) continue;
    if (here < 0) completion.resolved.push(seq);
    resolve(seq, how);
  }
  return jobs;
}

const activation = (run: Run, jobs: Job[], historyLength: number, at: number, isReplaying: boolean) =>
  coresdk.workflow_activation.WorkflowActivation.fromObject({
    ...{ runId: run.runId, timestamp: timestamp(at), isReplaying, historyLength, jobs },
    // Events have some three hundred bytes.
    historySizeBytes: Long.fromNumber(300 * historyLength),
    continueAsNewSuggested: historyLength > run.server.suggestsAt,
  });

function initialization(run: Run): coresdk.workflow_activation.IInitializeWorkflow {
  const { start } = run;
  return {
    ...{
      workflowType: run.type,
      workflowId: run.workflowId,
      attempt: 1,
      taskQueue: run.taskQueue,
      firstExecutionRunId: run.firstRunId,
    },
    ...{ startTime: timestamp(run.original.startedAt), randomnessSeed: run.original.seed, arguments: start.input },
    searchAttributes: { indexedFields: start.searchAttributes },
    ...(start.continued && { continuedFromExecutionRunId: start.continued.from }),
  };
}

function create(run: Run, build: Build): Promise<Workflow> {
  const { start, original, runId, workflowId } = run;
  const { startedAt } = original;
  const parent = start.parent && {
    workflowId: start.parent.run.workflowId,
    runId: start.parent.run.runId,
    namespace: NAMESPACE,
  };
  const { priorityKey, fairnessKey } = start.priority ?? {};
  return workflowCreator(build).createWorkflow({
    info: {
      ...{
        workflowId,
        runId,
        workflowType: run.type,
        searchAttributes: {},
        typedSearchAttributes: new TypedSearchAttributes(),
      },
      ...{
        taskQueue: run.taskQueue,
        namespace: NAMESPACE,
        firstExecutionRunId: run.firstRunId,
        attempt: 1,
        taskTimeoutMs: 10_000,
      },
      ...{
        startTime: new Date(startedAt),
        runStartTime: new Date(startedAt),
        historyLength: 3,
        historySize: 900,
        continueAsNewSuggested: false,
      },
      unsafe: { isReplaying: false, isReplayingHistoryEvents: false, now: () => startedAt },
      ...(parent && { parent }),
      ...(start.continued && { continuedFromExecutionRunId: start.continued.from }),
      priority: { ...(priorityKey && { priorityKey }), ...(fairnessKey && { fairnessKey }) },
    } as never,
    randomnessSeed: Array.from(original.seed.toBytes()),
    now: startedAt,
    showStackTraceSources: false,
  });
}

/** Commands as they are compared: whatever says which run it is says something else after a reset. */
function signature({ runIds }: Run, commands: readonly Command[]): string {
  const all = JSON.stringify(commands, (_, value: unknown) =>
    ArrayBuffer.isView(value) ||
    (value !== null && typeof value === 'object' && Reflect.get(value, 'type') === 'Buffer')
      ? Buffer.from(value as Uint8Array).toString('latin1')
      : value,
  );
  return runIds.reduce((text, runId) => text.replaceAll(runId, 'this run'), all);
}
