/** `audit-runner spend`: what was spent, by the books in the storage, and what is live, by the ledgers. */
import { Standing } from '../books/standing';
import { StorageError } from '../storage';
import { passing } from '../storage/passing';
import { booksIn, noBooks } from './books/read';
import { type Asked, DEFAULT_LIMIT, describeSummed, isAllTime, type Summed, summedUp } from './books/summed';
import { EXIT, Exit } from './exit';
import { type Books, readBooks, requireLedgers } from './ledgers';
import { print, printJson, tell } from './output';
import { sentenceOf } from './sentence';
import { withServer } from './server';
import { periodOf } from './since';
import { BY_LEDGER, type Spent, showSpent, summedByLedger, userOf } from './spend/shown';
import type { SummedBy } from './summed-by';

export interface SpendOptions {
  account?: string;
  /** From when on, and up to when: by the books alone, where there are any. */
  since?: string;
  until?: string;
  /** @default 'day' */
  by?: SummedBy;
  /** At most so many sums. @default 50, of days and months all */
  limit?: number;
  config?: string;
  json?: boolean;
}

export async function spendCommand({ since, until, by = 'day', limit, ...options }: SpendOptions): Promise<number> {
  const asked: Asked = { by, period: periodOf({ since, until }, Date.now()), limit: limit ?? DEFAULT_LIMIT[by] };
  // Nothing of a time that somebody names is live.
  const isLive = isAllTime(asked.period);
  let ledgers = isLive ? await readLedgers(options.account) : NOT_ASKED;
  let booked = await readSums(options, asked, ledgers);
  if (!isLive && booked.sums.length === 0) {
    ledgers = await readLedgers(options.account);
    // Books have the name that the account had when they were begun: whose they are, its ledger tells.
    if (ledgers.users.length > 0 && booked.unread === undefined) booked = await readSums(options, asked, ledgers);
  }
  const { sums, none, unread } = booked;
  const { found, missing } = isLive || sums.length === 0 ? ledgers : NOT_ASKED;
  const all = joined(sums, found, asked);
  if (all.length === 0) {
    const { code, sentence } = sentenceOf(missing);
    throw unread ?? new Exit(code, `${none}; and ${sentence}`);
  }
  if (options.json) printJson(all);
  else print(all.map((spent) => (isLive ? showSpent(spent, by) : describeSummed(spent, by))).join('\n\n'));
  if (!isLive && sums.length === 0) tell(none === undefined ? `${BY_LEDGER}.` : `${BY_LEDGER}; ${none}.`);
  if (unread !== undefined) tell(`The books cannot be read: ${sentenceOf(unread).sentence}`);
  if (missing !== undefined) tell(`Balance, holds and calls under way are not known: ${sentenceOf(missing).sentence}`);
  const failure = missing ?? unread;
  return failure === undefined ? EXIT.done : sentenceOf(failure).code;
}

interface Ledgers {
  /** Whose they are, also of those that do not answer. */
  users: string[];
  found: Books[];
  /** Why there are not more. */
  missing?: unknown;
}
const NOT_ASKED: Ledgers = { users: [], found: [] };

async function readLedgers(account: string | undefined): Promise<Ledgers> {
  const users: string[] = [];
  const found: Books[] = [];
  try {
    await withServer('reads', async ({ client }) => {
      const ledgers = await requireLedgers(client, account);
      users.push(...ledgers.map((ledger) => userOf({ ledger })));
      const read = await Promise.allSettled(ledgers.map((ledger) => readBooks(client, ledger)));
      found.push(...read.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
      for (const one of read) if (one.status === 'rejected') throw one.reason;
    });
    return { users, found };
  } catch (missing) {
    if (missing instanceof Exit && missing.code === EXIT.badInput) throw missing;
    return { users, found, missing };
  }
}

/** By the books; none where there are none. @param live of these ledgers, too, and their days begin as theirs */
async function readSums(
  options: Pick<SpendOptions, 'account' | 'config'>,
  asked: Asked,
  live: Ledgers,
): Promise<{ sums: Summed[]; none?: string; unread?: unknown }> {
  const sums: Summed[] = [];
  try {
    const { storage, all } = await booksIn({ ...options, usersToo: live.users });
    for (const { user, ...books } of all) {
      const timeZone = live.found.find((one) => userOf(one) === user)?.status.budget.timeZone;
      const standing = timeZone === undefined ? books.standing : new Standing(timeZone);
      sums.push(await summedUp({ ...books, user, standing }, asked));
    }
    return { sums, none: noBooks(storage, options) };
  } catch (unread) {
    if (passing(unread) === undefined && !(unread instanceof StorageError)) throw unread;
    return { sums, unread };
  }
}

/** Of each user what the books say, or, where they say nothing, the ledger. */
function joined(sums: readonly Summed[], found: readonly Books[], asked: Asked): Spent[] {
  const users = new Set([...found.map(userOf), ...sums.map(({ user }) => user)]);
  return [...users].flatMap((user) => {
    const live = found.find((one) => userOf(one) === user);
    const booked = sums.find((one) => one.user === user) ?? (live && summedByLedger(live, asked));
    return booked ? { ...live, ...booked } : [];
  });
}
