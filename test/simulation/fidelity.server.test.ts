import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import Long from 'long';
import { openStorage } from '../../src/storage';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { eventName } from '../support/event-name';
import { type Stage, startStage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { CALM, CONVERTED, converted, GONE_BACK, OPEN, RESETS, resetPoint, withLead } from './histories';

const LIMIT_MS = 240_000;

async function typesOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).map(({ eventType }) => eventName(eventType));
}

async function histories(stage: Stage): Promise<Record<string, string[]>> {
  const { client } = stage.temporal;
  const lead = stage.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
  const all: Record<string, string[]> = {};
  for (const { type, workflowId, input } of CALM.runs) {
    await openStorage(stage.config.storageUrl).write(CONVERTED, converted(stage.sandbox.control.leads()));
    const args = [withLead(input, lead?.id ?? '')];
    const handle = await client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args });
    await handle.result().catch(() => undefined);
    all[workflowId] = await typesOf(handle);
  }
  for (const { workflowId, after, nth } of RESETS) {
    const handle = client.workflow.getHandle(workflowId);
    await reset(workflowId, resetPoint(all[workflowId] ?? [], after, nth));
    await handle.result();
    all[`${workflowId} again`] = await typesOf(handle);
  }
  const { type, workflowId, input, pause, reject } = OPEN;
  const handle = await client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [input] });
  const open = client.workflow.getHandle(workflowId);
  const say = async ([update, said]: readonly [string, object]) => {
    await until(async () => {
      const { raw, searchAttributes } = await open.describe();
      return searchAttributes.Stage?.[0] === 'approval' && !raw.pendingActivities?.length && !raw.pendingWorkflowTask;
    });
    await open.executeUpdate(update, { args: [said] });
  };
  await say(pause);
  await reset(workflowId, resetPoint(await typesOf(handle), '', 0));
  await say(reject);
  await open.result();
  all[workflowId] = await typesOf(open);
  return all;

  /** @param point the place of an end of a workflow task in the history */
  async function reset(workflowId: string, point: number): Promise<void> {
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace: stage.temporal.namespace, workflowExecution: { workflowId, runId }, reason: 'test' },
      ...{ requestId: randomUUID(), workflowTaskFinishEventId: Long.fromNumber(point + 1) },
    });
  }
}

/**
 * When workers are asked is chance on a real server, and so is which of two activities answers first, and whether one does before
 * a timer that is set beside it. What a run asks for, one after the other, is not, nor is how often each thing happens.
 */
function whatHappened(types: readonly string[] = []) {
  const happened = types
    .filter((type) => !type.startsWith('WorkflowTask'))
    .map((type) => type.replace(/^Timer(Fired|Canceled)$/, 'TimerOver'));
  return {
    asked: happened.filter((type) => !/^(ActivityTask(?!Scheduled)|TimerOver)/.test(type)),
    all: happened.toSorted(),
  };
}

test(
  'the engine of the simulation writes the histories that the real server writes',
  async () => {
    const program = join(__dirname, '../../dist/test/simulation/histories.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const { [GONE_BACK]: _, ...simulated } = JSON.parse(stdout) as Record<string, string[]>;
    const { durations, ...rest } = CALM.sandbox;
    const stage = await startStage({
      sandbox: { ...rest, durations },
      // How often a pipeline looks around while it waits shows in its history.
      account: { timing: { ...UNHURRIED, holdProbeMs: 60_000 } },
    });
    try {
      await stage.startWorker();
      await until(async () => (await stage.spentByLedger().catch(() => undefined)) !== undefined);
      const real = await histories(stage);
      expect(Object.keys(simulated)).toEqual(Object.keys(real));
      for (const workflowId of Object.keys(real))
        expect([workflowId, whatHappened(simulated[workflowId])]).toEqual([workflowId, whatHappened(real[workflowId])]);
      // One worker, and one thing at a time: here the tasks agree as well, unless a slow machine lets a timer fire in between.
      for (const workflowId of ['again', 'wrong', 'one', 'one again'])
        if (!real[workflowId]?.includes('TimerFired'))
          expect([workflowId, simulated[workflowId]]).toEqual([workflowId, real[workflowId]]);
    } finally {
      await stage.close();
    }
  },
  LIMIT_MS,
);
