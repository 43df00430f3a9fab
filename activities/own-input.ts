/** The input of the run that an activity belongs to. */

import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';

/** Read from where it stands already: as an argument of an activity it would be in the history once more (S4). */
export async function ownInput({ workflowService, options }: Client): Promise<unknown> {
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: options.namespace,
    execution: Context.current().info.workflowExecution ?? null,
    maximumPageSize: 1,
  });
  let payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const { payloadConverter, payloadCodecs } = options.loadedDataConverter;
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads);
  const [input] = payloads;
  return input && payloadConverter.fromPayload(input);
}
