/** Whether an account works for its user under the name that it had when it began to pay. */
import { accountOfBooks } from '../../books/reading';
import { openStorage } from '../../storage';
import { ledgerUser } from '../../temporal/ledger-id';
import { area, type Check } from './check';

/**
 * What was created under another name is not known again under this one, and would be created and paid again.
 * @param ledger the ID of the user's ledger
 * @returns undefined where nothing tells of another name
 */
export async function checkName(account: string, ledger: string, storageUrl: string): Promise<Check | undefined> {
  const before = await accountOfBooks(openStorage(storageUrl), ledgerUser(ledger));
  if (before === undefined || before === account) return undefined;
  return area(`account ${account}`).warning(
    'name',
    `this user's books were begun by an account named ${before}: notes, and projects without a reference, that were created under that name are not known again under this one`,
    'start no input again that has run under that name, or give the account that name again: see "Precedence" in docs/administrators.md',
  );
}
