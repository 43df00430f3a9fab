/** What an account has begun for the user whose token it had before. */
import type { Client } from '@temporalio/client';
import { quoted } from '../text/list-filter';
import { latestLedger, openLedgers } from './latest-ledger';
import { ledgerIdByName } from './ledger-id';
import { OURS_UNDER_WAY } from './queues';

/**
 * How many runs are open that the account has begun for another user, where it has worked for that one last. They would go on
 * for the present user.
 * @param ledger the workflow ID of the present user's
 * @param before a moment, ISO 8601: what was started later is begun for the present one
 */
export async function runsOfAnotherUser(
  client: Client,
  account: string,
  ledger: string,
  before: string,
): Promise<number> {
  // One by name tells nothing of users.
  const own = [ledger, ledgerIdByName(account)];
  if (ledger === own[1] || (await openLedgers(client, account)).every((id) => own.includes(id))) return 0;
  const latest = await latestLedger(client, account);
  // One at rest has heard that the account works for another user now.
  if (!latest || own.includes(latest.workflowId) || latest.status.restingSince !== undefined) return 0;
  const query = `${OURS_UNDER_WAY} AND WorkflowType != 'accountLedger' AND Account = ${quoted(account)} AND StartTime < ${quoted(before)}`;
  return (await client.workflow.count(query)).count;
}
