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
import { type Spent, showSpent, summedByLedger, userOf } from './spend/shown';
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
  const early = isLive ? await readLedgers(options.account) : NOT_ASKED;
  const { sums, none, unread } = await readSums(options, asked, early.found);
  const { found, missing } = isLive || sums.length > 0 ? early : await readLedgers(options.account);
  const all = joined(sums, found, asked);
  if (all.length === 0) {
    const { code, sentence } = sentenceOf(missing);
    throw unread ?? new Exit(code, `${none}; and ${sentence}`);
  }
  if (options.json) printJson(all);
  else print(all.map((spent) => (isLive ? showSpent(spent, by) : describeSummed(spent, by))).join('\n\n'));
  if (unread !== undefined) tell(`The books cannot be read: ${sentenceOf(unread).sentence}`);
  if (missing !== undefined) tell(`Balance, holds and calls under way are not known: ${sentenceOf(missing).sentence}`);
  const failure = missing ?? unread;
  return failure === undefined ? EXIT.done : sentenceOf(failure).code;
}

interface Ledgers {
  found: Books[];
  /** Why there are not more. */
  missing?: unknown;
}
const NOT_ASKED: Ledgers = { found: [] };

async function readLedgers(account: string | undefined): Promise<Ledgers> {
  const found: Books[] = [];
  try {
    await withServer('reads', async ({ client }) => {
      const ledgers = await requireLedgers(client, account);
      const read = await Promise.allSettled(ledgers.map((ledger) => readBooks(client, ledger)));
      found.push(...read.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
      for (const one of read) if (one.status === 'rejected') throw one.reason;
    });
    return { found };
  } catch (missing) {
    if (missing instanceof Exit && missing.code === EXIT.badInput) throw missing;
    return { found, missing };
  }
}

/** By the books; none where there are none. @param live their days begin as those of these ledgers */
async function readSums(
  options: Pick<SpendOptions, 'account' | 'config'>,
  asked: Asked,
  live: readonly Books[],
): Promise<{ sums: Summed[]; none?: string; unread?: unknown }> {
  const sums: Summed[] = [];
  try {
    const { storage, all } = await booksIn(options);
    for (const { user, ...books } of all) {
      const timeZone = live.find((one) => userOf(one) === user)?.status.budget.timeZone;
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
