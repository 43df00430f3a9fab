/** Worker versioning: runs that end stay with their build, what lasts goes on with the current one, and both ways back work. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pino from 'pino';
import { findServer } from '../../src/dev-server/find-server';
import { connectNative } from '../../src/temporal/connect-worker';
import {
  type Build,
  describeDeployment,
  idleBuild,
  makeCurrent,
  makeUnversioned,
  readDeployment,
} from '../../src/temporal/deployment';
import { movesOn } from '../../src/temporal/pinned-runs';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';
import { serverCommand } from '../../src/temporal/server-command';
import { standingBuilds } from '../../src/temporal/standing-builds';
import { startWorker } from '../../src/worker';
import { leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { cliFolder } from '../cli/cli';
import { completedLeads, onStage, type Stage } from '../support/stage';
import { until } from '../support/until';

const deploymentName = 'audit-runner';
beforeAll(() => installSdkRuntime(pino({ level: 'silent' })));
const cli = cliFolder();
afterAll(() => cli.close());

const build = (buildId: string): Build => ({ deploymentName, buildId });

/** Ends all workers of the test, also where it fails. */
const ends: (() => Promise<void>)[] = [];
const play = (work: (stage: Stage) => Promise<void>) =>
  onStage({ sandbox: { leads: 40, credits: 100_000 } }, async (stage) => {
    try {
      await work(stage);
    } finally {
      await Promise.all([...ends].map((end) => end()));
    }
  });

/** A worker of a build, or one that is not versioned. @param lines of its log @returns its end */
async function startBuild(stage: Stage, of: Build | undefined, lines: string[] = []): Promise<() => Promise<void>> {
  const { connection, namespace } = await connectNative({
    config: { address: stage.env.TEMPORAL_ADDRESS ?? '', namespace: stage.temporal.namespace },
  });
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const worker = await startWorker({ config: stage.config, connection, namespace, log, build: of });
  const end = async () => {
    ends.splice(ends.indexOf(end), 1);
    worker.stop();
    await worker.done;
    await connection.close();
  };
  ends.push(end);
  return end;
}
const becomesCurrent = async (stage: Stage, buildId: string) => {
  const { client } = stage.temporal;
  // A build is known once its worker has asked for work.
  await until(async () => {
    const state = await readDeployment(client, deploymentName);
    return state?.builds.some((one) => one.buildId === buildId) ?? false;
  });
  await typed(makeCurrent(client, build(buildId)));
};
/** A command as the worker's log tells it: it names the server and the namespace. */
async function typed(command: string): Promise<void> {
  const { file } = await findServer(process.env, () => undefined);
  const [, ...args] = command.split(' ');
  await promisify(execFile)(file, args);
}
/** A server hears of a build by its first poll. */
const isKnown = ({ temporal: { client } }: Stage, buildId: string) =>
  until(
    async () => (await readDeployment(client, deploymentName))?.builds.some((one) => one.buildId === buildId) ?? false,
  );
const stateOf = async ({ temporal: { client } }: Stage) => {
  const { current, builds = [] } = (await readDeployment(client, deploymentName)) ?? {};
  return { current, ...Object.fromEntries(builds.map(({ buildId, state }) => [buildId, state])) };
};
/** The build whose worker did the last task of a run. */
async function buildOfLastTask({ temporal: { client } }: Stage, workflowId: string): Promise<string | undefined> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? [])
    .flatMap(({ workflowTaskCompletedEventAttributes: task }) => (task ? [task.deploymentVersion?.buildId ?? ''] : []))
    .at(-1);
}
/** Of the leads that the second has chosen the first converts one meanwhile. */
const pipeline = (stage: Stage, workflowId: string, maxConversions: number) =>
  stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId, taskQueue: WORKFLOW_QUEUE },
    args: [{ approval: 'all', maxConversions, scoring: { minReadiness: 0 } }],
  });
type Handle = Awaited<ReturnType<typeof pipeline>>;
const asks = (handle: Pick<Handle, 'query'>) =>
  until(async () => (await handle.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false);

async function resetToItsEnd({ temporal: { client, namespace } }: Stage, workflowId: string): Promise<void> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const last = events?.findLast(({ workflowTaskCompletedEventAttributes: task }) => task);
  await client.workflowService.resetWorkflowExecution({
    ...{ namespace, workflowExecution: { workflowId }, requestId: workflowId, reason: 'test' },
    workflowTaskFinishEventId: last?.eventId ?? null,
  });
}

test(
  'a pipeline ends on the build that began it, the ledger goes on with the current one, and back',
  () =>
    play(async (stage) => {
      await startBuild(stage, build('1.0'));
      await becomesCurrent(stage, '1.0');
      const first = await pipeline(stage, 'first', 1);
      await asks(first);
      expect(await buildOfLastTask(stage, stage.ledgerId)).toBe('1.0');

      await startBuild(stage, build('2.0'));
      await isKnown(stage, '2.0');
      expect(
        idleBuild(stage.temporal.client, build('2.0'), await readDeployment(stage.temporal.client, deploymentName)),
      ).toMatch(
        /build 1\.0 is the current one\. `temporal worker deployment set-current-version .*--build-id 2\.0 --yes --address .*`/,
      );
      const ramp = 'worker deployment set-ramping-version --deployment-name audit-runner --build-id 2.0';
      await typed(serverCommand(stage.temporal.client, `${ramp} --percentage 10 --yes`));
      const ramping = await readDeployment(stage.temporal.client, deploymentName);
      expect(ramping && describeDeployment(ramping)).toBe(
        'Deployment audit-runner: new runs go to build 1.0, 10 % of them, and of the open ledgers and batches, to build 2.0',
      );
      await becomesCurrent(stage, '2.0');
      const second = await pipeline(stage, 'second', 2);
      await asks(second);
      for (const handle of [first, second]) {
        await handle.executeUpdate('approve', { args: [{ by: 'Ann' }] });
        expect(await handle.result()).toMatchObject({ credits: 1_000 });
      }
      expect(await buildOfLastTask(stage, 'first')).toBe('1.0');
      expect(await buildOfLastTask(stage, 'second')).toBe('2.0');
      expect(await buildOfLastTask(stage, stage.ledgerId)).toBe('2.0');
      expect(await stateOf(stage)).toMatchObject({ current: '2.0', '2.0': 'current' });
      const { stdout } = await cli.run(['status'], stage.env);
      expect(stdout).toMatch(/Deployment audit-runner: new runs go to build 2\.0; 1\.0 (still has|has no) runs/);

      await becomesCurrent(stage, '1.0');
      const third = await pipeline(stage, 'third', 1);
      await asks(third);
      await third.executeUpdate('approve', { args: [{ by: 'Ann' }] });
      expect(await third.result()).toMatchObject({ credits: 1_000 });
      expect(await buildOfLastTask(stage, 'third')).toBe('1.0');
      expect(await buildOfLastTask(stage, stage.ledgerId)).toBe('1.0');
      expect(stage.figures()).toMatchObject({ paidTwice: 0, conversions: 3 });

      await startBuild(stage, undefined);
      await typed(makeUnversioned(stage.temporal.client, deploymentName));
      await asks(await pipeline(stage, 'unversioned', 1));
      expect(await buildOfLastTask(stage, 'unversioned')).toBe('');
    }),
  180_000,
);

test(
  'a worker that is not versioned works on as before, beside one whose build nobody has made current',
  () =>
    play(async (stage) => {
      await startBuild(stage, undefined);
      await startBuild(stage, build('1.0'));
      const run = await stage.temporal.client.workflow.start('convertLead', {
        ...{ workflowId: 'plain', taskQueue: WORKFLOW_QUEUE },
        args: [{ leadId: completedLeads(stage)[0] ?? '' }],
      });
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
      expect(await buildOfLastTask(stage, 'plain')).toBe('');
      await isKnown(stage, '1.0');
      expect(
        idleBuild(stage.temporal.client, build('1.0'), await readDeployment(stage.temporal.client, deploymentName)),
      ).toMatch(/no build is current/);
      expect(await readDeployment(stage.temporal.client, 'another')).toBeUndefined();
    }),
  120_000,
);

test(
  'a build that has work and no worker is named, whatever other workers run; the log says that no build is current',
  () =>
    play(async (stage) => {
      const env = { ...stage.env, NO_COLOR: '1' };
      const shown = async () => (await cli.run(['status'], env)).stdout;
      const standing = 'Build 1.0 of the deployment audit-runner has no worker, and ';
      const lines: string[] = [];
      const endFirst = await startBuild(stage, build('1.0'), lines);
      await until(() => lines.some((line) => line.includes('build 1.0 get no new runs: no build is current')));
      const { stdout, code } = await cli.run(['status'], env);
      expect(stdout).toMatch(
        /All workers are versioned, and no build is the current one, .* 1\.0 --yes --address .*`$/m,
      );
      expect(code).toBe(3);
      const doctor = await cli.run(['doctor'], env);
      expect(doctor.stdout).toMatch(/WRONG {2}builds: All workers are versioned.*\n.*make build 1\.0 the current one/);
      expect(doctor.code).toBe(1);

      await becomesCurrent(stage, '1.0');
      const run = await pipeline(stage, 'pinned', 1);
      await asks(run);
      const ended = await pipeline(stage, 'ended', 1);
      await asks(ended);
      await ended.terminate();
      expect(await shown()).not.toContain('to mend it');
      await startBuild(stage, build('2.0'));
      await isKnown(stage, '2.0');
      await endFirst();
      await until(
        async () => (await shown()).includes(`${standing}new runs, ledgers and batches are sent to it`),
        240_000,
      );
      expect(await shown()).toMatch(
        /start workers of it, or make build 2\.0 the current one: `temporal .* 2\.0 --yes --address .*`$/m,
      );

      await becomesCurrent(stage, '2.0');
      await until(async () => (await shown()).includes(`${standing}runs that it began are still open`), 240_000);

      await resetToItsEnd(stage, 'ended');
      // The server calls it drained only after minutes.
      const drained = { deploymentName, current: '2.0', builds: [{ buildId: '1.0', state: 'drained' }] } as const;
      const pinned = async () => (await standingBuilds(stage.temporal, [drained]))[0];
      await until(async () => (await pinned())?.found.includes('open runs are pinned to it') ?? false);
      await typed(movesOn(stage.temporal.client, 'ended'));
      await asks(stage.temporal.client.workflow.getHandle<typeof leadPipeline>('ended'));
      expect(await buildOfLastTask(stage, 'ended')).toBe('2.0');

      await startBuild(stage, build('1.0'));
      await run.executeUpdate('approve', { args: [{ by: 'Ann' }] });
      expect(await run.result()).toMatchObject({ credits: 1_000 });
      await until(async () => !(await shown()).includes('to mend it'));
    }),
  600_000,
);
