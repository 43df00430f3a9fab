/** Which builds are said to stand still, for what a server may say; versioning.server.test.ts asks a real one. */
import { temporal } from '@temporalio/proto';
import type { Connected } from '../../src/temporal/connect';
import type { Build, BuildState, DeploymentState } from '../../src/temporal/deployment';
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
}
const lastAccessTime = { seconds: Math.floor(Date.now() / 1_000) };
function server({ polls, current, ramping, ours = [] }: Said): Connected {
  const pollers = polls.map((of, i) => ({
    ...{ identity: `worker ${i}`, lastAccessTime },
    // An unversioned worker names a build as well, which the server does not route by.
    deploymentOptions: of
      ? { ...of, workerVersioningMode: WORKER_VERSIONING_MODE_VERSIONED }
      : { ...build('any'), workerVersioningMode: WORKER_VERSIONING_MODE_UNVERSIONED },
  }));
  const versioningInfo = { currentDeploymentVersion: current ?? null, rampingDeploymentVersion: ramping ?? null };
  const workflowService = {
    describeTaskQueue: async () => ({ pollers, versioningInfo }),
    describeWorkerDeploymentVersion: async ({ deploymentVersion }: { deploymentVersion: Build }) => {
      const name = ours.includes(deploymentVersion.buildId) ? 'audit-runner' : 'queue-of-others';
      return { workerDeploymentVersionInfo: { taskQueueInfos: [{ name }] } };
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
    'Build 3 of the deployment audit-runner has no worker, and a part of the new runs is sent to it',
    'Build 1 of the deployment audit-runner has no worker, and runs that it began are still open',
  ]);
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
