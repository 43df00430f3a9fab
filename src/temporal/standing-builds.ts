/**
 * Builds to which the server sends workflow tasks, and of which no worker asks for any (S7): what waits for them waits for
 * ever, whatever other workers run.
 */
import { temporal } from '@temporalio/proto';
import type { Connected } from './connect';
import { type Build, type DeploymentState, isNone, makeCurrent } from './deployment';
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
  const { identities, builds, unversioned, current, ramping } = await queueState(
    connected,
    WORKFLOW_QUEUE,
    TASK_QUEUE_TYPE_WORKFLOW,
  );
  // That nobody works at all is said of the queue.
  if (identities.length === 0) return [];
  const newest = newestOf(builds, deployments);
  const instead = newest ? `make build ${newest.buildId} the current one: \`${makeCurrent(newest)}\`` : undefined;
  if (!current && !unversioned)
    return [
      {
        found:
          'All workers are versioned, and no build is the current one, so new runs, ledgers and batches stand still',
        mend: instead ?? 'make a build the current one',
      },
    ];
  const draining = deployments.flatMap(({ deploymentName, builds: all }) =>
    all.flatMap(({ buildId, state }) => (state === 'draining' ? [{ deploymentName, buildId }] : [])),
  );
  const isAway = (build: Build) => !builds.some((one) => isSame(one, build));
  const ours = await Promise.all(
    draining.filter(isAway).map(async (build) => ((await isOurs(connected, build)) ? [build] : [])),
  );
  const standing = (build: Build, why: string, other?: string): StandingBuild => ({
    found: `Build ${build.buildId} of the deployment ${build.deploymentName} has no worker, and ${why}`,
    mend: ['start workers of it', ...(other === undefined ? [] : [other])].join(', or '),
  });
  return [
    ...(current && isAway(current) ? [standing(current, 'new runs, ledgers and batches are sent to it', instead)] : []),
    ...(ramping && isAway(ramping) ? [standing(ramping, 'a part of the new runs is sent to it')] : []),
    ...ours.flat().map((build) => standing(build, 'runs that it began are still open')),
  ];
}

const isSame = (one: Build, other: Build) =>
  one.deploymentName === other.deploymentName && one.buildId === other.buildId;

/** Of builds that have workers the one that was made last. */
function newestOf(builds: readonly Build[], deployments: readonly DeploymentState[]): Build | undefined {
  const byAge = deployments.flatMap(({ deploymentName, builds: all }) =>
    all.map(({ buildId }) => ({ deploymentName, buildId })),
  );
  return byAge.find((build) => builds.some((one) => isSame(one, build))) ?? builds[0];
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
