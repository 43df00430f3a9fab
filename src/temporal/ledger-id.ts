import { createHash } from 'node:crypto';
import { idKey } from '../agent-api/id';

const PREFIX = 'account-ledger.';

/** Workflow ID of the ledger of a user. IDs that are no plain identifiers (an e-mail address) are hashed (S4). */
export function ledgerId(userId: string): string {
  const key = idKey(userId);
  const plain = /^[A-Za-z0-9-]{1,64}$/.test(key);
  return `${PREFIX}${plain ? key : createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** Workflow ID of the ledger of an account whose service names no user. */
export const ledgerIdByName = (account: string): string => ledgerId(`by-name-${account}`);

/** Whose ledger it is, as the books are named. */
export const ledgerUser = (workflowId: string): string => workflowId.slice(PREFIX.length);
