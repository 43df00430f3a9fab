/** What `audit-runner spend` shows of one user. */

import { describeHold } from '../../ledger/describe-holds';
import { describeBudget, describeDearer } from '../../ledger/details';
import { ledgerUser } from '../../temporal/ledger-id';
import { utc } from '../../time/utc';
import { type Asked, describeSummed, isInDays, type Summed, tableOf, toldOf } from '../books/summed';
import { EXIT, Exit } from '../exit';
import type { Books } from '../ledgers';
import { number, styled, table } from '../output';
import type { SummedBy } from '../summed-by';

/** What was spent of a user's credits, with what the ledger says beside it. */
export type Spent = Summed & Partial<Books>;

const LAST_BOOKINGS = 30;

/** The user whose ledger it is, as the books name them. */
export const userOf = ({ ledger }: Pick<Books, 'ledger'>): string => ledgerUser(ledger);

/** What the ledger has summed up itself, which forgets all but the last days. @throws Exit for sums that it does not have */
export function summedByLedger(books: Books, { by, period, limit }: Asked): Summed {
  if (by !== 'day' && by !== 'month')
    throw new Exit(EXIT.failed, `there are no books yet, by which alone is known what was spent by ${by}`);
  const { account, reserved, budget } = books.status;
  const sums = new Map<string, number>();
  for (const [day, credits] of Object.entries(books.days).sort())
    if (isInDays(period, day, budget.timeZone)) {
      const key = by === 'day' ? day : day.slice(0, 7);
      sums.set(key, (sums.get(key) ?? 0) + credits);
    }
  const credits = [...sums.values()].reduce((sum, one) => sum + one, 0);
  const told = Object.fromEntries([...sums].slice(-limit));
  return { user: userOf(books), account, entries: 0, lost: 0, open: reserved, credits, ...toldOf(period), by: told };
}

export function showSpent({ ledger = '', status, bookings = [], ...spent }: Spent, by: SummedBy): string {
  if (!status) return describeSummed(spent, by);
  const { account, balance, unreadable, reserved, spentToday, elsewhere, budget, dearer, holds, open } = status;
  const { perDay, timeZone } = budget;
  const unread = unreadable === undefined ? 'not read yet' : `cannot be read: ${unreadable.problem}`;
  const shown = bookings.slice(-LAST_BOOKINGS);
  const facts = [
    `balance          ${balance === undefined ? unread : number(balance)}`,
    `reserved         ${number(reserved)} for calls under way`,
    `spent today      ${number(spentToday)}${perDay === null ? '' : ` of ${number(perDay)}`} (${timeZone})`,
    `spent elsewhere  ${balance === undefined ? 'not known: only the balance shows it' : `${number(elsewhere)}, as the balance shows (web app, or before the ledger)`}`,
  ];
  const parts = [
    `${styled('bold', `Account ${account}`)} (${ledger})`,
    ...holds.map((hold) => styled('yellow', describeHold(hold))),
    ...dearer.map((price) => styled('yellow', describeDearer(price))),
    facts.join('\n'),
    describeBudget(budget).join('\n'),
    `${describeSource(spent)}\n${tableOf(spent, by)}`,
    open.length === 0
      ? 'No paid call is under way.'
      : table(
          ['open send', 'since (UTC)', 'over by (UTC)', 'run'],
          open.map(({ subject, grantedAt, overAt, run }) => [subject, utc(grantedAt), utc(overAt), run]),
        ),
    table(
      ['when (UTC)', 'subject', 'credits', 'run'],
      shown.map(({ at, subject, credits, run }) => [utc(at), subject, credits, run]),
    ),
    ...(bookings.length > shown.length
      ? [`The last ${shown.length} of ${bookings.length} recent bookings; --json shows all, the days have the sums.`]
      : []),
  ];
  return parts.join('\n\n');
}

/** Where sums come from that are not those of books. */
export const BY_LEDGER = 'By the ledger, which knows the last forty days with payments alone';

const describeSource = ({ entries, credits }: Summed): string =>
  entries === 0
    ? `${BY_LEDGER}; there are no books yet`
    : `By the books: ${number(credits)} credits booked since they began`;
