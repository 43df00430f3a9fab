/** What waits for workers that are not there, while others work (S7): of another build, or of another account. */
import type { Account } from '../../config';
import { otherAccounts } from '../../temporal/accounts-of-runs';
import type { Connected } from '../../temporal/connect';
import { readDeployments } from '../../temporal/deployment';
import { standingBuilds } from '../../temporal/standing-builds';
import { accountQueues, describeUnattended, unattended } from '../queue-status';
import { area, type Check } from './check';

const { ok, wrong } = area('Temporal');

/** Where workers are versioned: builds that have work and no worker. */
export async function checkBuilds(connected: Connected): Promise<Check> {
  const standing = await standingBuilds(connected, await readDeployments(connected.client));
  if (standing.length === 0) return ok('builds', 'no build of versioned workers has work and no worker');
  return wrong('builds', standing.map(({ found }) => found).join('; '), standing.map(({ mend }) => mend).join('; '));
}

/** Runs of an account that was renamed or removed here wait for workers that have it, and cannot say so themselves. */
export async function checkOtherAccounts(connected: Connected, accounts: readonly Account[]): Promise<Check> {
  const known = accounts.map(({ name }) => name);
  const names = await otherAccounts(connected.client, known);
  const unserved = (await accountQueues(connected, names, known)).filter(unattended);
  if (unserved.length === 0)
    return ok(
      'other accounts',
      names.length === 0
        ? 'no open run is of one'
        : `of open runs: ${names.join(', ')}; nothing waits without a worker`,
    );
  const { found, mend } = describeUnattended(unserved);
  return wrong('other accounts', found, mend);
}
