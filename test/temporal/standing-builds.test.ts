/** Which builds are said to stand still, for what a server may say; versioning.server.test.ts asks a real one. */
import { ServiceError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Connected } from '../../src/temporal/connect';
import type { Build, BuildState, DeploymentState } from '../../src/temporal/deployment';
import { GRPC } from '../../src/temporal/grpc-status';
import { standingBuilds } from '../../src/temporal/standing-builds';

const { WORKER_VERSIONING_MODE_UNVERSIONED, WORKER_VERSIONING_MODE_VERSIONED } =
  temporal.api.enums.v1.WorkerVersioningMode;
const build = (buildId: string, deploymentName = 'audit-runner'): Build => ({ deploymentName, buildId });

interface Said {
  /** Whose workers ask; undefined is an unversioned one. */
  polls: (Build | undefined)[];
  current?: Build;
  ramping?: Build;
  /** Builds whose workers have taken workflows from our queue. */
  ours?: string[];
  rampingPercent?: number;
  /** The run that is pinned to a build; 'unknown' where the server knows no such attributes. */
  pinned?: Record<string, string> | 'unknown';
}
const refusal = Object.assign(new Error(), { code: GRPC.INVALID_ARGUMENT, details: '', metadata: {} });
const unknownAttribute = new ServiceError('list', { cause: refusal });
const lastAccessTime = { seconds: Math.floor(Date.now() / 1_000) };
function server({ polls, current, ramping, rampingPercent, ours = [], pinned = {} }: Said): Connected {
  const pollers = polls.map((of, i) => ({
    ...{ identity: `worker ${i}`, lastAccessTime },
    // An unversioned worker names a build as well, which the server does not route by.
    deploymentOptions: of
      ? { ...of, workerVersioningMode: WORKER_VERSIONING_MODE_VERSIONED }
      : { ...build('any'), workerVersioningMode: WORKER_VERSIONING_MODE_UNVERSIONED },
  }));
  const versioningInfo = {
    ...{ currentDeploymentVersion: current ?? null, rampingDeploymentVersion: ramping ?? null },
    rampingVersionPercentage: rampingPercent ?? 0,
  };
  const workflowService = {
    describeTaskQueue: async () => ({ pollers, versioningInfo }),
    describeWorkerDeploymentVersion: async ({ deploymentVersion }: { deploymentVersion: Build }) => {
      const name = ours.includes(deploymentVersion.buildId) ? 'audit-runner' : 'queue-of-others';
      return { workerDeploymentVersionInfo: { taskQueueInfos: [{ name }] } };
    },
    async listWorkflowExecutions({ query }: { query: string }) {
      if (pinned === 'unknown') throw unknownAttribute;
      expect(query).toContain("TaskQueue = 'audit-runner' AND TemporalWorkflowVersioningBehavior = 'Pinned'");
      const [, others = ''] = /TemporalWorkerDeploymentVersion NOT IN \((.*)\)$/.exec(query) ?? [];
      const found = Object.entries(pinned).filter(([buildId]) => !others.includes(`'audit-runner:${buildId}'`));
      const executions = found.map(([buildId, workflowId]) => {
        const version = defaultPayloadConverter.toPayload(`audit-runner:${buildId}`);
        const indexedFields = { TemporalWorkerDeploymentVersion: version };
        return { execution: { workflowId }, searchAttributes: { indexedFields } };
      });
      return { executions: executions.slice(0, 1) };
    },
  };
  return {
    ...{ namespace: 'default', connection: { workflowService } },
    client: { workflowService, options: { namespace: 'default' } },
  } as unknown as Connected;
}
const deployment = (deploymentName: string, ...builds: [buildId: string, state: BuildState][]): DeploymentState => ({
  deploymentName,
  builds: builds.map(([buildId, state]) => ({ buildId, state })),
});
const found = async (said: Said, ...deployments: DeploymentState[]) =>
  (await standingBuilds(server(said), deployments)).map((standing) => standing.found);

test('a build with work and no worker stands still, and no other', async () => {
  const drained = deployment('audit-runner', ['3', 'ramping'], ['2', 'current'], ['1', 'draining'], ['0', 'drained']);
  const [two, three] = [build('2'), build('3')];
  expect(await found({ polls: [build('1'), two, three], current: two, ramping: three }, drained)).toEqual([]);
  expect(await found({ polls: [undefined], current: two, ramping: three, ours: ['1', '0'] }, drained)).toEqual([
    'Build 2 of the deployment audit-runner has no worker, and new runs, ledgers and batches are sent to it',
    'Build 3 of the deployment audit-runner has no worker, and a part of the new runs, ledgers and batches is sent to it',
    'Build 1 of the deployment audit-runner has no worker, and runs that it began are still open',
  ]);
});

test('runs that were reset after their build had none left are named, with the command that moves them', async () => {
  // Of build 0 nothing is left in the deployment: it was deleted.
  const all = deployment('audit-runner', ['2', 'current'], ['1', 'drained'], ['9', 'drained']);
  const said = { polls: [build('2'), build('9')], current: build('2') };
  const pinned = { '0': "it's mine", '1': 'convert-lead.a', '9': 'goes on' };
  expect(await standingBuilds(server({ ...said, pinned }), [all])).toEqual([
    { found: expect.stringContaining("such as it's mine"), mend: expect.stringContaining('--workflow-id <run> ') },
    {
      found:
        'Build 1 of the deployment audit-runner has no worker, and open runs are pinned to it, such as convert-lead.a',
      mend: 'start workers of it, or move each to the workers that get new runs: `temporal workflow update-options --workflow-id convert-lead.a --versioning-override-behavior auto_upgrade`',
    },
  ]);
  expect(await found({ ...said, pinned: {} }, all)).toEqual([]);
  // A server that lists the same run again and again is not asked without end.
  expect(
    await found({ ...said, pinned: Object.fromEntries([...'abcdefghijklmn'].map((id) => [id, id])) }, all),
  ).toHaveLength(10);
  expect(await found({ ...said, pinned: 'unknown' }, all)).toEqual([]);
});

test('where the current build is away and unversioned workers ask, new runs can be given to them', async () => {
  const all = deployment('audit-runner', ['3', 'inactive'], ['2', 'current'], ['1', 'drained']);
  const mend = async (...polls: Said['polls']) =>
    (await standingBuilds(server({ polls, current: build('2') }), [all])).map((standing) => standing.mend);
  const back = /give them to the workers that are not versioned: `temporal worker .* --unversioned --yes`$/;
  expect(await mend(undefined)).toEqual([expect.stringMatching(back)]);
  expect(await mend(undefined, build('1'))).toEqual([expect.stringMatching(back)]);
  // What has taken a patch of the later build could not go on with the earlier one.
  const if1 = 'make build 1 the current one, if the patches of the later ones were held: `temporal worker ';
  expect(await mend(build('1'))).toEqual([expect.stringContaining(if1)]);
  expect(await mend(build('3'))).toEqual([expect.stringContaining('make build 3 the current one: `temporal worker ')]);
});

test('a ramp to workers that are not versioned, of which there is none', async () => {
  const all = deployment('audit-runner', ['2', 'current']);
  const said = { polls: [build('2')], current: build('2') };
  const text =
    'A part of the new runs, ledgers and batches is sent to workers that are not versioned, and there is none';
  expect(await found({ ...said, rampingPercent: 10 }, all)).toEqual([text]);
  expect(await found({ ...said, polls: [build('2'), undefined], rampingPercent: 10 }, all)).toEqual([]);
  expect(await found({ ...said, ramping: build('2'), rampingPercent: 10 }, all)).toEqual([]);
});

test('deployments of other programs in the namespace are not ours', async () => {
  const theirs = deployment('theirs', ['9', 'current'], ['8', 'draining']);
  expect(await found({ polls: [undefined] }, theirs)).toEqual([]);
  expect(await found({ polls: [build('1')], current: build('1') }, theirs)).toEqual([]);
});

test('versioned workers without a current build are named unless unversioned ones work too', async () => {
  const both = deployment('audit-runner', ['2', 'inactive'], ['1', 'inactive']);
  const [standing, ...more] = await standingBuilds(server({ polls: [build('1'), build('2')] }), [both]);
  expect(standing?.found).toContain('no build is the current one');
  expect(standing?.mend).toContain('--build-id 2 --yes');
  expect(more).toEqual([]);
  expect(await found({ polls: [build('1'), undefined] }, both)).toEqual([]);
  // That nobody works at all is said of the queue.
  expect(await found({ polls: [], current: build('1') }, both)).toEqual([]);
});
