/** Credits that may not be spent now: which limit, by how much, and what ends it (S7). For all who wait for it. */

import { asArgument, PROGRAM } from '../text/command';
import { grouped } from '../text/numbers';
import type { LimitSource } from '.';
import type { Figures, Obstacle } from './messages';

type Capped = Extract<Obstacle, { kind: 'capped' }>;

const utc = (ms: number): string => `${new Date(ms).toISOString().replace('T', ' ').slice(0, 16)} UTC`;

/** Who may give more: a person what a person set, and the configuration what it says. */
function moreFrom(source: LimitSource | undefined, setting: string, account: string): string {
  if (source?.kind !== 'person') return `the configuration of every worker allows more (${setting})`;
  return `somebody changes the limit that ${source.by} set (\`${PROGRAM} set-budget ${asArgument(account, '<account>')}\`, or the update \`setBudget\` of its ledger)`;
}

/** One sentence without a full stop. */
export function describeShortage(
  { cap, credits: next, until, balance }: Capped,
  { account, budget, spentToday, spentThisMonth, reserved, available, unreadable }: Figures,
): string {
  const { perDay, perMonth, balanceFloor, from } = budget;
  const open = reserved > 0 ? ` and ${grouped(reserved)} reserved for calls under way or not yet proven` : '';
  if (cap === 'run') return 'the run has spent what it may';
  const usedUp = (what: string, spent: number, most: number | null, soon: string, more: string) =>
    `${what} ${grouped(spent)} spent${open}, of ${grouped(most ?? 0)} a ${cap}; ` +
    (next > (most ?? 0)
      ? `one call costs ${grouped(next)}, more than the whole of it. It goes on when ${more}`
      : `the next call costs ${grouped(next)}. It goes on ${until === undefined ? soon : `at ${utc(until)}`}, or when ${more}`);
  if (cap === 'day') {
    const more = moreFrom(from.perDay, 'budget.perDay', account);
    return usedUp('the credits of the day are used up:', spentToday, perDay, 'tomorrow', more);
  }
  if (cap === 'month') {
    const more = moreFrom(from.perMonth, 'budget.perMonth', account);
    return usedUp('the credits of the month are used up:', spentThisMonth, perMonth, 'next month', more);
  }
  if (balance === 'unread')
    return 'part of the balance must remain, and the balance has not been read yet; the account goes on when a reading shows enough';
  if (balance === 'unreadable')
    return `part of the balance must remain, and the balance cannot be read: ${unreadable?.problem ?? 'its reply has none'}. It goes on when it can be read, or when ${moreFrom(from.balanceFloor, 'budget.balanceFloor', account)}`;
  return (
    `the balance has reached its floor (${grouped(balanceFloor)} credits must remain): ${grouped(available ?? 0)} are surely left, ` +
    `after deducting what was spent in the last minutes and may not show yet${open}; the next call costs ${grouped(next)}. It goes on when the balance leaves enough, or when ${moreFrom(from.balanceFloor, 'budget.balanceFloor', account)}`
  );
}
