/** Whether the caps that hold are at least as strict as this configuration says. */

import type { Account } from '../../config';
import { type BudgetInForce, CAPS, isUnlimited } from '../../ledger';
import { describeBudget, describeCeilings, NO_CEILING } from '../../ledger/details';
import { area, type Check } from './check';

export const MEND_PRICE =
  "compare it with the service's price list: set `credits` of the account to what calls cost, so that plans count right";

/** What this configuration allows at most. */
export function checkCeilings({ name, budget }: Pick<Account, 'name' | 'budget'>): Check {
  const { ok, warning } = area(`account ${name}`);
  const found = describeCeilings(budget).join('; ');
  if (!isUnlimited(budget)) return ok('ceilings', found);
  const [what, mend] = NO_CEILING;
  return warning('ceilings', `${what} (${found})`, mend);
}

/** A worker that has this file enforces it within seconds: what is looser was never read by one. */
export function checkBudget({ name, budget }: Pick<Account, 'name' | 'budget'>, inForce: BudgetInForce): Check {
  const { ok, wrong } = area(`account ${name}`);
  const found = describeBudget(inForce).join('; ');
  const { balanceFloor } = budget;
  const looser = [
    ...CAPS.flatMap((cap) => {
      const value = budget[cap];
      return value !== null && (inForce[cap] ?? Number.POSITIVE_INFINITY) > value ? [`${cap}: ${value}`] : [];
    }),
    ...(inForce.balanceFloor < balanceFloor ? [`balanceFloor: ${balanceFloor}`] : []),
  ];
  if (looser.length === 0) return ok('budget', found);
  return wrong(
    'budget',
    `${found}; this configuration says ${looser.join(', ')}, which no worker has told the ledger`,
    'see that a worker runs with this configuration file; it reads the budget again within seconds',
  );
}
