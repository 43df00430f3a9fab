/** What can be done to a run as a whole. */
import { randomUUID } from 'node:crypto';
import { ScheduleOverlapPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type Long from 'long';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { until } from '../../support/until';
import { handleOf, type Perform } from './act';
import type { Target } from './state';
import type { World } from './world';

export const cancel: Perform = async (world, target) => void (await handleOf(world, target).cancel());

export const terminate: Perform = async (world, target) => void (await handleOf(world, target).terminate('case'));

/** A run's input as the Web UI shows it, and takes it for "start like this one". */
async function inputOf(world: World, target: Target): Promise<unknown[]> {
  const { events } = await handleOf(world, target).fetchHistory();
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return payloads.map((payload) => defaultPayloadConverter.fromPayload(payload));
}

/** Under the ID of the target, with an input of one's own. A worker may have been quicker to start a ledger. */
const startAs = (world: World, { type, workflowId }: Target, args: readonly unknown[]) =>
  world.start(type, workflowId, ...args).catch(() => undefined);

export const startAgain: Perform = async (world, target) => {
  const args = await inputOf(world, target);
  await terminate(world, target);
  await startAs(world, target, args);
  return undefined;
};

/** @param change what a person makes of its input */
export const startChanged =
  (change: (input: Record<string, unknown>) => unknown): Perform =>
  async (world, target) => {
    const [input] = await inputOf(world, target);
    await terminate(world, target);
    await startAs(world, target, [change({ ...(typeof input === 'object' ? input : {}) })]);
    return undefined;
  };

/** A running one is gone at once. */
export const remove: Perform = async (world, target) => {
  const { workflowId } = target;
  const { runId } = await handleOf(world, target).describe();
  const { namespace } = world;
  await world.service.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
  const run = world.client.workflow.getHandle(workflowId, runId);
  await until(() =>
    run.describe().then(
      () => false,
      (error) => error instanceof WorkflowNotFoundError,
    ),
  );
  return undefined;
};

/** Where a run can be reset to: after each workflow task. */
async function tasksOf(world: World, target: Target): Promise<{ runId: string; tasks: Long[] }> {
  const { runId } = await handleOf(world, target).describe();
  const { events } = await world.client.workflow.getHandle(target.workflowId, runId).fetchHistory();
  const completed = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  return { runId, tasks: completed.flatMap(({ eventId }) => eventId ?? []) };
}

const resetTo = (world: World, { workflowId }: Target, runId: string, task: Long) =>
  world.service.resetWorkflowExecution({
    ...{ namespace: world.namespace, workflowExecution: { workflowId, runId }, reason: 'case' },
    ...{ workflowTaskFinishEventId: task, requestId: randomUUID() },
  });

/** @param which of all workflow tasks, from 0 (the first) to 1 (the last) */
export const reset =
  (which: number): Perform =>
  async (world, target) => {
    const { runId, tasks } = await tasksOf(world, target);
    const task = tasks[Math.round(which * (tasks.length - 1))];
    if (task === undefined) return { none: true };
    await resetTo(world, target, runId, task);
    return undefined;
  };

const SOME_MS = 400;
const MOST_TASKS = 25;

/** To each workflow task, one after the other; each time it gets as far as it does in a moment. */
export const resetToEach: Perform = async (world, target) => {
  const { runId, tasks } = await tasksOf(world, target);
  for (const task of tasks.slice(0, MOST_TASKS)) {
    await resetTo(world, target, runId, task);
    await new Promise((resolve) => setTimeout(resolve, SOME_MS));
  }
  return tasks.length === 0 ? { none: true } : undefined;
};

/** A schedule of the same run, triggered twice whatever is under way. */
export const triggerTwice: Perform = async (world, { type, args }) => {
  const schedule = await world.client.schedule.create({
    scheduleId: `schedule-${type}`,
    spec: {},
    state: { paused: true },
    action: {
      ...{ type: 'startWorkflow', workflowType: type, workflowId: `scheduled-${type}` },
      ...{ taskQueue: WORKFLOW_QUEUE, args: [...args] },
    },
  });
  await schedule.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  await schedule.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  return { undo: () => schedule.delete().catch(() => undefined) };
};
