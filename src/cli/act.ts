/** `audit-runner approve | reject | pause | resume`: what a person does to a run that is under way. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { isLost, isPassing } from '../temporal/grpc-status';
import type { Act } from './acts';
import { EXIT, Exit } from './exit';
import { print, printJson } from './output';
import { withServer } from './server';
import { userName } from './user-name';

export interface ActOptions {
  by?: string;
  reason?: string;
  json?: boolean;
}

/** A run that no worker works on takes no update. */
const PATIENCE_MS = 20_000;

export async function actCommand(act: Act, workflowId: string, options: ActOptions): Promise<number> {
  const { by = userName(), reason, json } = options;
  return withServer('reads', async ({ client }) => {
    const said = { ...(by && { by }), ...(reason && { reason }) };
    const answer = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      client.workflow
        .getHandle(workflowId)
        .executeUpdate<string, [typeof said]>(act, { args: [said] })
        .catch((error: unknown) => refused(act, workflowId, error)),
    );
    if (json) printJson({ workflowId, act, answer });
    else print(answer);
    return EXIT.done;
  });
}

function refused(act: string, workflowId: string, error: unknown): never {
  if (error instanceof WorkflowNotFoundError)
    throw new Exit(
      EXIT.badInput,
      `no run with the ID ${workflowId} is under way; audit-runner status lists those that wait`,
    );
  if (error instanceof WorkflowUpdateFailedError)
    throw new Exit(EXIT.badInput, `${workflowId} does not take '${act}': ${error.cause?.message ?? error.message}`);
  if (isPassing(error) && !isLost(error))
    throw new Exit(EXIT.failed, `${workflowId} does not answer: is a worker running (audit-runner worker)?`);
  throw error;
}
