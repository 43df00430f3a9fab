/** The input of the run that an activity belongs to. */
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { inputOf } from '../src/temporal/who';

/** Read from where it stands already: as an argument of an activity it would be in the history once more (S4). */
export function ownInput(client: Client): Promise<unknown> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  return inputOf(client, { workflowId, runId });
}
