/**
 * Worker versioning (Temporal's worker deployments): which build of the workflows a run goes on with. Only the workflows are
 * versioned: activities are compatible between versions that follow each other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import { ConfigError } from '../config/problems';
import type { Env } from './environment';
import { GRPC, grpcStatus } from './grpc-status';
import { packageVersion } from './package-root';
import { serverCommand } from './server-command';

/** What the server takes as a name: it joins both by a full stop or a colon. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const BUILD = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/;

/** A build of this program in a deployment. */
export interface Build {
  readonly deploymentName: string;
  readonly buildId: string;
}

/**
 * The build that this process is, where its workers are versioned.
 * @param env `AUDIT_RUNNER_DEPLOYMENT`, and `AUDIT_RUNNER_BUILD_ID`, by default the version of the package
 * @throws ConfigError
 */
export function buildOf(env: Env): Build | undefined {
  const { AUDIT_RUNNER_DEPLOYMENT: deploymentName = '', AUDIT_RUNNER_BUILD_ID: given = '' } = env;
  if (deploymentName === '') return undefined;
  const buildId = given === '' ? packageVersion() : given;
  if (!NAME.test(deploymentName))
    throw new ConfigError([
      'AUDIT_RUNNER_DEPLOYMENT: a name has letters, digits, - and _, at most 100, for example audit-runner',
    ]);
  if (!BUILD.test(buildId))
    throw new ConfigError([
      'AUDIT_RUNNER_BUILD_ID: it has letters, digits and - _ . +, at most 100, for example 0.3.0',
    ]);
  return { deploymentName, buildId };
}

/** Runs that end stay with their build; the workflows that last for ever, and batches, go on with the current one. */
export const versionedBy = (version: Build): WorkerDeploymentOptions => ({
  version,
  useWorkerVersioning: true,
  defaultVersioningBehavior: 'PINNED',
});

export type BuildState = 'current' | 'ramping' | 'draining' | 'drained' | 'inactive';

/** How the server sends work to the builds of a deployment. */
export interface DeploymentState {
  readonly deploymentName: string;
  /** Absent: unversioned workers get new runs. */
  readonly current?: string;
  /** Without a build: unversioned workers. */
  readonly ramping?: { readonly buildId?: string; readonly percent: number };
  /** The newest first. */
  readonly builds: readonly { readonly buildId: string; readonly state: BuildState }[];
}

const {
  WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT: CURRENT,
  WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING: RAMPING,
  WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING: DRAINING,
  WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED: DRAINED,
} = temporal.api.enums.v1.WorkerDeploymentVersionStatus;
const STATES = new Map<number, BuildState>([
  [CURRENT, 'current'],
  [RAMPING, 'ramping'],
  [DRAINING, 'draining'],
  [DRAINED, 'drained'],
]);

/** The server has no such thing, or knows or shows none. */
export const isNone = (error: unknown): boolean => {
  const status = grpcStatus(error);
  return [GRPC.NOT_FOUND, GRPC.UNIMPLEMENTED, GRPC.PERMISSION_DENIED].some((code) => code === status);
};

/** @returns undefined where there is no such deployment, or the server knows none or shows none */
export async function readDeployment(
  { workflowService, options: { namespace } }: Client,
  deploymentName: string,
): Promise<DeploymentState | undefined> {
  const { workerDeploymentInfo: info } = await workflowService
    .describeWorkerDeployment({ namespace, deploymentName })
    .catch((error: unknown) => {
      if (!isNone(error)) throw error;
      return { workerDeploymentInfo: undefined };
    });
  if (!info) return undefined;
  const { currentDeploymentVersion, rampingDeploymentVersion, rampingVersionPercentage } = info.routingConfig ?? {};
  const summaries = [...(info.versionSummaries ?? [])].sort(
    (one, other) => Number(other.createTime?.seconds ?? 0) - Number(one.createTime?.seconds ?? 0),
  );
  return {
    deploymentName,
    ...(currentDeploymentVersion?.buildId && { current: currentDeploymentVersion.buildId }),
    ...(rampingDeploymentVersion?.buildId
      ? { ramping: { buildId: rampingDeploymentVersion.buildId, percent: rampingVersionPercentage ?? 0 } }
      : rampingVersionPercentage && { ramping: { percent: rampingVersionPercentage } }),
    builds: summaries.map(({ deploymentVersion, status }) => ({
      buildId: deploymentVersion?.buildId ?? '',
      state: STATES.get(status ?? 0) ?? 'inactive',
    })),
  };
}

/** All deployments of the namespace; none where the server knows or shows none. */
export async function readDeployments(client: Client): Promise<DeploymentState[]> {
  const { workflowService, options } = client;
  const { workerDeployments } = await workflowService
    .listWorkerDeployments({ namespace: options.namespace })
    .catch((error: unknown) => {
      if (!isNone(error)) throw error;
      return { workerDeployments: [] };
    });
  const all = await Promise.all((workerDeployments ?? []).map(({ name }) => readDeployment(client, name ?? '')));
  return all.flatMap((one) => one ?? []);
}

/** One sentence for people. */
export function describeDeployment({ deploymentName, current, ramping, builds }: DeploymentState): string {
  const routed = [
    current === undefined
      ? 'no build is current, so new runs go to workers that are not versioned'
      : `new runs go to build ${current}`,
    ...(ramping
      ? [
          `${ramping.percent} % of them, and of the open ledgers and batches, to ${ramping.buildId === undefined ? 'workers that are not versioned' : `build ${ramping.buildId}`}`,
        ]
      : []),
  ].join(', ');
  const others = builds
    .filter(({ state }) => state !== 'current' && state !== 'ramping')
    .map(({ buildId, state }) => `${buildId} ${STATE_TEXT[state]}`);
  return `Deployment ${deploymentName}: ${[routed, ...others].join('; ')}`;
}

const STATE_TEXT: Readonly<Record<BuildState, string>> = {
  current: 'gets new runs',
  ramping: 'gets a part of the new runs',
  draining: 'still has runs of its own: keep its workers',
  drained: 'has no runs any more: its workers may end',
  inactive: 'gets no runs',
};

/** How a build is made the current one; a command that can be pasted. */
export const makeCurrent = (client: Client, { deploymentName, buildId }: Build): string =>
  serverCommand(
    client,
    `worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId} --yes`,
  );

/** How new runs, ledgers and batches are given to workers that are not versioned; a command that can be pasted. */
export const makeUnversioned = (client: Client, deploymentName: string): string =>
  serverCommand(
    client,
    `worker deployment set-current-version --deployment-name ${deploymentName} --unversioned --yes`,
  );

/** Why a worker of this build gets no new runs, a sentence; undefined where it does, or that cannot be known. */
export function idleBuild(client: Client, build: Build, deployment: DeploymentState | undefined): string | undefined {
  if (!deployment || deployment.current === build.buildId || deployment.ramping?.buildId === build.buildId)
    return undefined;
  const others =
    deployment.current === undefined ? 'no build is current' : `build ${deployment.current} is the current one`;
  const state = deployment.builds.find(({ buildId }) => buildId === build.buildId)?.state;
  // Ledgers and batches have taken patches of the build after it, most likely, and would stand still on this one.
  const next =
    state === 'draining' || state === 'drained'
      ? 'They end what it began.'
      : `\`${makeCurrent(client, build)}\` makes it the current one.`;
  return `The workers of build ${build.buildId} get no new runs: ${others}. ${next}`;
}

const ASKED_EVERY_MS = 2_000;
/** A server that knows no deployments, or shows none, never says that it knows the build. */
const ASKED_FOR_MS = 120_000;

/** Tells {@link idleBuild} of a worker that has begun to run: the server hears of a build by the first request for work. */
export async function sayIdle(
  client: Client,
  build: Build,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let left = ASKED_FOR_MS; left > 0; left -= ASKED_EVERY_MS) {
    await sleep(ASKED_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const deployment = await readDeployment(client, build.deploymentName).catch(() => undefined);
    if (!deployment?.builds.some(({ buildId }) => buildId === build.buildId)) continue;
    const idle = idleBuild(client, build, deployment);
    if (idle !== undefined) tell(idle);
    return;
  }
}
