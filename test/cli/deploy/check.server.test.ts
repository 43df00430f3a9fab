/** `deploy check` replays what is open with the workflows of this build, and names what it could not go on with. */
import { readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../../../src/temporal/bundle';
import { connectNative } from '../../../src/temporal/connect-worker';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import * as workflows from '../../../workflows';
import { progressQuery } from '../../../workflows/shared/status';
import { completedLeads, onStage, type Stage } from '../../support/stage';
import { until } from '../../support/until';
import { cliFolder } from '../cli';

const cli = cliFolder();
afterAll(() => cli.close());

interface Said {
  open: number;
  replayed: number;
  notBegun: number;
  others: number;
  broken: { workflowId: string; type: string; why: string }[];
}
async function check(stage: Stage, ...options: string[]): Promise<Said & { code: number | null; stderr: string }> {
  const { code, stdout, stderr } = await cli.run(['deploy', 'check', '--json', ...options], stage.env);
  return { ...(JSON.parse(stdout) as Said), code, stderr };
}
const start = (stage: Stage, type: string, workflowId: string, input?: object) =>
  stage.temporal.client.workflow.start(type, {
    ...{ workflowId, taskQueue: WORKFLOW_QUEUE, args: input ? [input] : [] },
  });

/** A run whose first task is done by other workflow code: nobody does more for it. */
async function begunOtherwise(stage: Stage, workflowId: string, change: (code: string) => string): Promise<void> {
  const { options } = stage.temporal.client;
  const address = stage.env.TEMPORAL_ADDRESS ?? '';
  const native = await connectNative({ config: { address, namespace: options.namespace } });
  const code = change(readFileSync(workflowBundlePath({}), 'utf8'));
  const worker = await Worker.create({
    ...{ connection: native.connection, namespace: options.namespace, taskQueue: WORKFLOW_QUEUE },
    workflowBundle: { code },
  });
  await worker.runUntil(async () => {
    await start(stage, 'convertLead', workflowId, { leadId: completedLeads(stage)[0] ?? '' });
    const begun = async () => {
      const { events } = await stage.temporal.client.workflow.getHandle(workflowId).fetchHistory();
      return (events ?? []).some(({ activityTaskScheduledEventAttributes: task }) => task);
    };
    await until(begun);
  });
  await native.connection.close();
}

test(
  'open runs of every type can go on; one that was begun by other code is named',
  () =>
    onStage({ sandbox: { leads: 40, captures: 2, projects: 1, credits: 100_000 } }, async (stage) => {
      const upsert = 'status.begins(...looking, about);';
      const without = (code: string) => {
        expect(code).toContain(upsert);
        return code.replace(upsert, ';');
      };
      await begunOtherwise(stage, 'other-code', without);
      await begunOtherwise(stage, 'same-code', (code) => `${code}\n`);
      const queued = await start(stage, 'convertLead', 'nobody-has-begun', { leadId: completedLeads(stage)[1] ?? '' });
      await queued.cancel();
      const before = await check(stage);
      expect(before).toMatchObject({ code: 1, notBegun: 1 });
      expect(before.broken).toEqual([
        {
          ...{ workflowId: 'other-code', runId: expect.any(String), type: 'convertLead' },
          why: 'its history was made by other workflow code, so that its tasks would fail',
        },
      ]);
      for (const workflowId of ['other-code', 'same-code', 'nobody-has-begun'])
        await stage.temporal.client.workflow.getHandle(workflowId).terminate();

      await stage.startWorker();
      await until(async () => (await check(stage)).open > 0);
      const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
      await ledger.executeUpdate('hold', { args: [{ reason: 'deployment' }] });
      const [lead = ''] = completedLeads(stage).slice(2);
      const [capture] = stage.sandbox.control.captures();
      stage.sandbox.control.setAgentApi({ enabled: false });
      const inputs: Record<string, object> = {
        convertLead: { leadId: lead },
        leadPipeline: { approval: 'all' },
        auditProject: { project: { clientName: 'Client' }, reference: 'R-1' },
        ingestCapture: { captureId: capture?.id ?? '' },
        backfill: { operation: 'convertLead', leads: {} },
        captureSweep: {},
        callApi: { route: 'contacts.list' },
      };
      const runs = await Promise.all(
        Object.entries(inputs).map(([type, input]) => start(stage, type, `open-${type}`, input)),
      );
      await start(stage, 'startHere', 'start-here');
      for (const run of runs)
        await until(async () => (await run.query(progressQuery)).waiting?.includes('free slot') === false);
      const every = Object.keys(workflows).sort();
      await until(async () => {
        const open: string[] = [];
        const { workflow } = stage.temporal.client;
        for await (const { type } of workflow.list({ query: "ExecutionStatus = 'Running'" })) open.push(type);
        return open.sort().join() === every.join();
      });
      expect(await check(stage)).toMatchObject({ code: 0, broken: [], replayed: every.length, others: 0 });
      const sample = await check(stage, '--sample', '3');
      expect(sample).toMatchObject({ code: 0, replayed: 3 });
      const { stdout } = await cli.run(['deploy', 'check', '--sample', '3'], stage.env);
      expect(stdout).toMatch(
        /^Temporal \S+:\d+, namespace test-\S+: 3 of \d+ open runs replayed with version \S+, \d+ left out of the sample\.\nThis version can go on/,
      );
      stage.sandbox.control.setAgentApi({ enabled: true });
      await Promise.all(runs.map((run) => run.terminate()));
    }),
  400_000,
);
