/**
 * Builds to which the server sends workflow tasks, and of which no worker asks for any (S7): what waits for them waits for
 * ever, whatever other workers run.
 */
import { temporal } from '@temporalio/proto';
import type { Connected } from './connect';
import { type Build, type DeploymentState, isNone, makeCurrent, makeUnversioned } from './deployment';
import { movesOn, pinnedRuns } from './pinned-runs';
import { queueState } from './queue-workers';
import { WORKFLOW_QUEUE } from './queues';

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

/** Sentences without their full stops. */
export interface StandingBuild {
  found: string;
  mend: string;
}

/** @param deployments those of the namespace, also of other programs */
export async function standingBuilds(
  connected: Connected,
  deployments: readonly DeploymentState[],
): Promise<StandingBuild[]> {
  const { identities, builds, unversioned, current, ramping, rampsUnversioned } = await queueState(
    connected,
    WORKFLOW_QUEUE,
    TASK_QUEUE_TYPE_WORKFLOW,
  );
  // That nobody works at all is said of the queue.
  if (identities.length === 0) return [];
  const newest = newestOf(builds, deployments);
  const isBefore = newest && current && newestOf([newest, current], deployments) !== newest;
  const instead = newest
    ? `make build ${newest.buildId} the current one${isBefore ? ', if the patches of the later ones were held' : ''}: \`${makeCurrent(connected.client, newest)}\``
    : undefined;
  if (!current && !unversioned)
    return [
      {
        found:
          'All workers are versioned, and no build is the current one, so new runs, ledgers and batches stand still',
        mend: instead ?? 'make a build the current one',
      },
    ];
  const isAway = (build: Build) => !builds.some((one) => isSame(one, build));
  const draining = await oursOf(
    connected,
    deployments.flatMap(({ deploymentName, builds: all }) =>
      all
        .filter(({ state }) => state === 'draining')
        .map(({ buildId }) => ({ deploymentName, buildId }))
        .filter(isAway),
    ),
  );
  const told = [...builds, ...draining, ...[current, ramping].flatMap((build) => build ?? [])];
  const standing = (build: Build, why: string, ...others: (string | undefined)[]): StandingBuild => ({
    found: `Build ${build.buildId} of the deployment ${build.deploymentName} has no worker, and ${why}`,
    mend: ['start workers of it', ...others.flatMap((other) => other ?? [])].join(', or '),
  });
  const handBack = ({ deploymentName }: Build) =>
    unversioned
      ? `give them to the workers that are not versioned: \`${makeUnversioned(connected.client, deploymentName)}\``
      : undefined;
  return [
    ...(current && isAway(current)
      ? [standing(current, 'new runs, ledgers and batches are sent to it', instead, handBack(current))]
      : []),
    ...(ramping && isAway(ramping)
      ? [standing(ramping, 'a part of the new runs, ledgers and batches is sent to it')]
      : []),
    ...(rampsUnversioned && !unversioned
      ? [
          {
            found:
              'A part of the new runs, ledgers and batches is sent to workers that are not versioned, and there is none',
            mend: 'start such workers, or end the ramp',
          },
        ]
      : []),
    ...draining.map((build) => standing(build, 'runs that it began are still open')),
    ...(await pinnedRuns(connected.client, told)).map(({ build, workflowId }) => {
      const move = `move each to the workers that get new runs: \`${movesOn(connected.client, workflowId)}\``;
      return standing(build, `open runs are pinned to it, such as ${workflowId}`, move);
    }),
  ];
}

const isSame = (one: Build, other: Build) =>
  one.deploymentName === other.deploymentName && one.buildId === other.buildId;

/** Of builds that have workers the one that was made last. */
function newestOf(builds: readonly Build[], deployments: readonly DeploymentState[]): Build | undefined {
  const byAge = deployments.flatMap(({ deploymentName, builds: all }) =>
    all.map(({ buildId }) => ({ deploymentName, buildId })),
  );
  const newest = byAge.find((build) => builds.some((one) => isSame(one, build)));
  return builds.find((one) => newest && isSame(one, newest)) ?? builds[0];
}

async function oursOf(connected: Connected, builds: readonly Build[]): Promise<Build[]> {
  const ours = await Promise.all(builds.map(async (build) => ((await isOurs(connected, build)) ? [build] : [])));
  return ours.flat();
}

/** Its workers have taken workflows from our queue: other programs have deployments in the namespace, too. */
async function isOurs({ client }: Connected, version: Build): Promise<boolean> {
  const { workerDeploymentVersionInfo: info } = await client.workflowService
    .describeWorkerDeploymentVersion({ namespace: client.options.namespace, deploymentVersion: version })
    .catch((error: unknown) => {
      if (!isNone(error)) throw error;
      return { workerDeploymentVersionInfo: undefined };
    });
  return (info?.taskQueueInfos ?? []).some(({ name }) => name === WORKFLOW_QUEUE);
}
