/** The engine of the simulation goes back to a backup as the real server does. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { CALM, GONE_BACK, OPEN } from '../simulation/histories';
import { eventName } from '../support/event-name';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

const LIMIT_MS = 240_000;

/** Of the events those that a run asks for, one after the other, and what people have said to it: the rest is chance. */
const said = (types: readonly string[]): string[] =>
  types.filter((type) => /^(WorkflowExecution|Upsert|ActivityTaskScheduled|StartChild)/.test(type));

test(
  'a run goes on from where the backup has it: what was said to it since is forgotten, and what began since is unknown',
  async () => {
    const program = join(__dirname, '../../dist/test/simulation/histories.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const simulated = (JSON.parse(stdout) as Record<string, string[]>)[GONE_BACK] ?? [];
    const account = { timing: { ...QUICK.timing, holdProbeMs: 60_000 } };
    await inScene({ ownServer: true, sandbox: { ...CALM.sandbox }, account }, async (scene) => {
      const { client } = scene.stage.temporal;
      await scene.worker();
      const { type, input, pause, reject } = OPEN;
      const start = (workflowId: string) =>
        client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [input] });
      const run = await start(GONE_BACK);
      const asks = () =>
        until(async () => {
          const { raw, searchAttributes } = await run.describe();
          const isIdle = !raw.pendingActivities?.length && !raw.pendingWorkflowTask;
          return searchAttributes.Stage?.[0] === 'approval' && isIdle;
        });
      const say = ([update, words]: readonly [string, object]) => run.executeUpdate(update, { args: [words] });
      await asks();
      const backup = await scene.backUp();
      await asks();
      await say(pause);
      const later = await start('begun later');
      await scene.loseDatabase(backup);
      await until(() =>
        run.describe().then(
          () => true,
          () => false,
        ),
      );
      await asks();
      await expect(later.describe()).rejects.toThrow(/not found/);
      await say(reject);
      await run.result();
      const { events } = await run.fetchHistory();
      const real = (events ?? []).map(({ eventType }) => eventName(eventType));
      expect(real.filter((one) => one === 'WorkflowExecutionUpdateAccepted')).toHaveLength(1);
      expect(said(simulated)).toEqual(said(real));
    });
  },
  LIMIT_MS,
);
