import { createHash } from 'node:crypto';
import { idKey } from '../agent-api/id';

/** Workflow ID of the ledger of a user. IDs that are no plain identifiers (an e-mail address) are hashed (S4). */
export function ledgerId(userId: string): string {
  const key = idKey(userId);
  const plain = /^[A-Za-z0-9-]{1,64}$/.test(key);
  return `account-ledger.${plain ? key : createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}
