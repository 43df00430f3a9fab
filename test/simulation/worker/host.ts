/**
 * The workflow side of a worker process: what the SDK's Core does with a workflow task. Whatever is not in its memory, or not
 * as the server has it, is replayed, and what the replay wants done is compared with what was done: each replay is a test of
 * determinism.
 */

import { coresdk } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import type { Activated, Completion } from '../engine/history';
import type { Mishaps } from '../engine/mishaps';
import { type Command, canceled, endsRun, type Job } from '../engine/proto';
import type { Run } from '../engine/run';
import { leavesTrace, type Task } from '../engine/workflow-tasks';
import { activation, asReplayed, create, jobsOf } from './activation';
import type { Build } from './bundle';

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
    private readonly mishaps: Mishaps,
    private readonly onReplay: (run: Run) => void,
    private readonly build: Build,
  ) {}

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
      if (this.mishaps.world.random.chance(OFTEN_REPLAYED / cached.episodes) && this.mishaps.happens('evicted'))
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
    const { workflow } = await this.#upToDate(run).catch((error: unknown) => {
      throw new Error(this.#blamed(`${error}`));
    });
    const { successful, failed } = await workflow.activate(
      activation(run, [{ queryWorkflow: query }], run.history.length, this.mishaps.world.now, false),
    );
    if (failed) throw new Error(this.#blamed(failed.failure?.message ?? 'the query failed'));
    if (!run.isOpen) this.forget(run.runId);
    return successful?.commands?.find(({ respondToQuery }) => respondToQuery)?.respondToQuery ?? {};
  }

  /** What a build does not know it cannot replay: that is no fault of the run. */
  #blamed(why: string): string {
    return this.build === 'before' ? `${OLD_BUILD}: ${why}` : why;
  }

  /** @param one @default all */
  forget(one?: string): void {
    for (const runId of one === undefined ? [...this.#cached.keys()] : [one]) {
      void this.#cached.get(runId)?.workflow.dispose();
      this.#cached.delete(runId);
    }
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
    at = this.mishaps.world.now,
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

/** What ends the run is the last that it says. */
function withoutTail(commands: Command[]): Command[] {
  const end = commands.findIndex(endsRun);
  if (end < 0) return commands;
  const answers = commands.slice(end + 1).filter(({ updateResponse }) => updateResponse);
  return [...commands.slice(0, end), ...answers, ...commands.slice(end, end + 1)];
}

/** An update that was refused when it came is in no history; one that was accepted and failed is. */
function withoutRefused(run: Run, activated: Activated, commands: readonly Command[]): Activated {
  const answers = commands.flatMap(({ updateResponse }) => updateResponse ?? []);
  const came = activated.jobs.flatMap(({ doUpdate }) => doUpdate?.protocolInstanceId ?? []);
  const accepted = answers.flatMap(({ accepted, protocolInstanceId }) => (accepted ? protocolInstanceId : []));
  const refused = new Set(
    answers.flatMap(({ rejected, protocolInstanceId: id }) =>
      rejected && id && came.includes(id) && !accepted.includes(id) ? id : [],
    ),
  );
  if (refused.size === 0) return activated;
  const jobs = activated.jobs.filter(({ doUpdate }) => !refused.has(doUpdate?.protocolInstanceId ?? ''));
  return {
    ...activated,
    jobs,
    commands: signature(
      run,
      commands.filter(({ updateResponse }) => !refused.has(updateResponse?.protocolInstanceId ?? '')),
    ),
  };
}

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
