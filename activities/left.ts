/** What may still be spent, for whoever is to approve something. */
import { describeLeft } from '../src/ledger/details';
import type { Deps } from './deps';

/** By the ledger, as far as it answers at once: it is told to a person, and nothing is decided by it. */
export async function creditsLeft(deps: Deps, account: string): Promise<string[]> {
  try {
    const ledger = await deps.accounts.get(account)?.ledger();
    const status = await ledger?.status();
    return status ? describeLeft(status) : [];
  } catch {
    return [];
  }
}
