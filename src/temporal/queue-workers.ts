/** Who asks a task queue for work, and how much of it waits. */
import type { ConnectionLike } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Build } from './deployment';

/** A worker asks at least once a minute; the server lists it for minutes after its end. */
const POLLED_WITHIN_S = 70;
/** The server forgets who has not asked for so long; whoever it lists and seems older shows that this clock is wrong. */
const FORGOTTEN_AFTER_S = 330;

export interface QueueState {
  /** Identities of the workers that have asked lately, one for each poller. */
  identities: string[];
  /** Tasks that wait, about. */
  backlog: number;
  /** Builds that versioned ones of these workers are. */
  builds: Build[];
  /** Some of these workers are not versioned. */
  unversioned: boolean;
  /** The build to which the server sends what is new here; absent where unversioned workers get it. */
  current?: Build;
  /** The build that gets a part of it. */
  ramping?: Build;
  /** Unversioned workers get a part of it. */
  rampsUnversioned: boolean;
}

const VERSIONED = temporal.api.enums.v1.WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED;

/** @param now the server's time, where it is known */
export async function queueState(
  { connection, namespace }: { connection: ConnectionLike; namespace: string },
  queue: string,
  taskQueueType: temporal.api.enums.v1.TaskQueueType,
  now = Date.now(),
): Promise<QueueState> {
  const { pollers, stats, versioningInfo } = await connection.workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue }, taskQueueType },
    ...{ reportPollers: true, reportStats: true },
  });
  const seen = ({ lastAccessTime }: temporal.api.taskqueue.v1.IPollerInfo) => Number(lastAccessTime?.seconds ?? 0);
  const latest = Math.max(...(pollers ?? []).map(seen));
  const off = now / 1_000 - latest;
  const since = (off < 0 || off > FORGOTTEN_AFTER_S ? latest : now / 1_000) - POLLED_WITHIN_S;
  const active = (pollers ?? []).filter((poller) => seen(poller) > since);
  const versions = active.map(({ deploymentOptions: of }) =>
    of?.workerVersioningMode === VERSIONED ? buildIn(of) : undefined,
  );
  const builds = new Map(
    versions.flatMap((build) => (build ? [[`${build.deploymentName}:${build.buildId}`, build]] : [])),
  );
  const [current, ramping] = [
    buildIn(versioningInfo?.currentDeploymentVersion),
    buildIn(versioningInfo?.rampingDeploymentVersion),
  ];
  return {
    identities: active.flatMap(({ identity }) => identity ?? []),
    backlog: Number(stats?.approximateBacklogCount ?? 0),
    builds: [...builds.values()],
    unversioned: versions.some((build) => build === undefined),
    ...(current && { current }),
    ...(ramping && { ramping }),
    rampsUnversioned: !ramping && (versioningInfo?.rampingVersionPercentage ?? 0) > 0,
  };
}

function buildIn(
  version: { deploymentName?: string | null; buildId?: string | null } | null | undefined,
): Build | undefined {
  const { deploymentName, buildId } = version ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}
