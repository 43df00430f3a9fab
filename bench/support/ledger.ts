/** The account's ledger, found by its type: its ID depends on who the token belongs to. */
import type { Client } from '@temporalio/client';
import { until } from './until';

export async function findLedger(client: Client) {
  let found: string | undefined;
  await until('the ledger is there', 60_000, async () => {
    for await (const { workflowId } of client.workflow.list({
      query: "WorkflowType = 'accountLedger' AND ExecutionStatus = 'Running'",
    }))
      found = workflowId;
    return found !== undefined;
  });
  return client.workflow.getHandle(found ?? '');
}
