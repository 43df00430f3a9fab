/** Open runs that stay with a build, as a run does that was reset after its build had no runs left. */
import type { Client } from '@temporalio/client';
import { asArgument } from '../text/command';
import { quoted } from '../text/list-filter';
import { type Build, isNone } from './deployment';
import { GRPC, grpcStatus, isPassing } from './grpc-status';
import { serverCommand } from './server-command';

/** How such a run is told to go on with the current build, or with unversioned workers; a command that can be pasted. */
export const movesOn = (client: Client, workflowId: string): string =>
  serverCommand(
    client,
    `workflow update-options --workflow-id ${asArgument(workflowId)} --versioning-override-behavior auto_upgrade`,
  );

/** @returns the workflow ID of one for each of the builds that has any; none where the server's lists cannot tell */
export async function pinnedRuns(client: Client, builds: readonly Build[]): Promise<Map<Build, string>> {
  const found = new Map<Build, string>();
  // As a rule there is none: one question for all of them.
  if (builds.length === 0 || (await pinnedTo(client, builds)) === undefined) return found;
  for (const build of builds) {
    const workflowId = await pinnedTo(client, [build]);
    if (workflowId !== undefined) found.set(build, workflowId);
  }
  return found;
}

async function pinnedTo({ workflowService, options }: Client, builds: readonly Build[]): Promise<string | undefined> {
  const versions = builds.map(({ deploymentName, buildId }) => quoted(`${deploymentName}:${buildId}`)).join(', ');
  const query = `ExecutionStatus = 'Running' AND TemporalWorkflowVersioningBehavior = 'Pinned' AND TemporalWorkerDeploymentVersion IN (${versions})`;
  const { executions } = await workflowService
    .listWorkflowExecutions({ namespace: options.namespace, query, pageSize: 1 })
    .catch((error: unknown) => {
      // A server that does not know these attributes; or lists that are away, which is said elsewhere.
      if (grpcStatus(error) !== GRPC.INVALID_ARGUMENT && !isNone(error) && !isPassing(error)) throw error;
      return { executions: [] };
    });
  return executions?.[0]?.execution?.workflowId ?? undefined;
}
