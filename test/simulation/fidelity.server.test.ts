import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporal } from '@temporalio/proto';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { CALM, withLead } from './histories';

const { EventType } = temporal.api.enums.v1;
const LIMIT_MS = 240_000;

/** `EVENT_TYPE_WORKFLOW_TASK_STARTED` is `WorkflowTaskStarted` here. */
const nameOf = (type: number): string =>
  (EventType[type] ?? '')
    .replace('EVENT_TYPE_', '')
    .toLowerCase()
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function histories(stage: Stage): Promise<Record<string, string[]>> {
  const { client } = stage.temporal;
  const lead = stage.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
  const all: Record<string, string[]> = {};
  for (const { type, workflowId, input } of CALM.runs) {
    const args = [withLead(input, lead?.id ?? '')];
    const handle = await client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args });
    await handle.result().catch(() => undefined);
    const { events } = await handle.fetchHistory();
    all[workflowId] = (events ?? []).map(({ eventType }) => nameOf(eventType ?? 0));
  }
  return all;
}

/** When workers are asked is chance on a real server: what they did is not. */
const withoutTasks = (types: readonly string[] = []) => types.filter((type) => !type.startsWith('WorkflowTask'));

test(
  'the engine of the simulation writes the histories that the real server writes',
  async () => {
    const program = join(__dirname, '../../dist/test/simulation/histories.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const simulated = JSON.parse(stdout) as Record<string, string[]>;
    const { durations, ...rest } = CALM.sandbox;
    const stage = await startStage({
      sandbox: { ...rest, durations },
      // How often a pipeline looks around while it waits shows in its history.
      account: { timing: { ...QUICK.timing, holdProbeMs: 60_000 } },
    });
    try {
      await stage.startWorker();
      await until(async () => (await stage.spentByLedger().catch(() => undefined)) !== undefined);
      const real = await histories(stage);
      for (const { workflowId } of CALM.runs)
        expect([workflowId, withoutTasks(simulated[workflowId])]).toEqual([workflowId, withoutTasks(real[workflowId])]);
      // One worker, and one thing at a time: here the tasks agree as well.
      for (const workflowId of ['one', 'again', 'wrong'])
        expect([workflowId, simulated[workflowId]]).toEqual([workflowId, real[workflowId]]);
    } finally {
      await stage.close();
    }
  },
  LIMIT_MS,
);
