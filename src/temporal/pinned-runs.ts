/**
 * Open runs that stay with a build: one that was drained before they were reset, that was deleted, or to which another
 * deployment has succeeded. The server says nothing of them.
 */
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { asArgument } from '../text/command';
import { quoted } from '../text/list-filter';
import { type Build, isNone } from './deployment';
import { GRPC, grpcStatus, isPassing } from './grpc-status';
import { OURS_UNDER_WAY } from './queues';
import { serverCommand } from './server-command';

/** How such a run is told to go on with the current build, or with unversioned workers; a command that can be pasted. */
export const movesOn = (client: Client, workflowId: string): string =>
  serverCommand(
    client,
    `workflow update-options --workflow-id ${asArgument(workflowId)} --versioning-override-behavior auto_upgrade`,
  );

export interface PinnedRun {
  workflowId: string;
  build: Build;
}

/** Builds of which one run each is told; there are few, as a rule none. */
const MOST_BUILDS = 10;

/**
 * One run for each build that has any.
 * @param others builds that are not asked about @returns none where the server's lists cannot tell
 */
export async function pinnedRuns(client: Client, others: readonly Build[]): Promise<PinnedRun[]> {
  const found: PinnedRun[] = [];
  while (found.length < MOST_BUILDS) {
    const next = await pinnedTo(client, [...others, ...found.map(({ build }) => build)]);
    if (!next) break;
    found.push(next);
  }
  return found;
}

/** Of any build but these. */
async function pinnedTo(
  { workflowService, options }: Client,
  others: readonly Build[],
): Promise<PinnedRun | undefined> {
  const versions = others.map(({ deploymentName, buildId }) => quoted(`${deploymentName}:${buildId}`)).join(', ');
  const query = [
    `${OURS_UNDER_WAY} AND TemporalWorkflowVersioningBehavior = 'Pinned'`,
    ...(others.length > 0 ? [`TemporalWorkerDeploymentVersion NOT IN (${versions})`] : []),
  ].join(' AND ');
  const { executions } = await workflowService
    .listWorkflowExecutions({ namespace: options.namespace, query, pageSize: 1 })
    .catch((error: unknown) => {
      // A server that does not know these attributes; or lists that are away, which is said elsewhere.
      if (grpcStatus(error) !== GRPC.INVALID_ARGUMENT && !isNone(error) && !isPassing(error)) throw error;
      return { executions: [] };
    });
  const { execution, searchAttributes } = executions?.[0] ?? {};
  const build = buildIn(searchAttributes?.indexedFields?.TemporalWorkerDeploymentVersion);
  return execution?.workflowId && build ? { workflowId: execution.workflowId, build } : undefined;
}

/** The server joins both by a colon, which neither has. */
function buildIn(payload: Payload | null | undefined): Build | undefined {
  const version: unknown = payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
  const [, deploymentName, buildId] = /^([^:]+):(.+)$/.exec(typeof version === 'string' ? version : '') ?? [];
  return deploymentName !== undefined && buildId !== undefined ? { deploymentName, buildId } : undefined;
}
