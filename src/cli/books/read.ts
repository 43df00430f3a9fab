/** The books that `audit-runner books …` and `spend` are asked for: read from the storage alone, without a server or a token. */
import { accountOfBooks, type Line, linesOf, usersWithBooks } from '../../books/reading';
import { Standing } from '../../books/standing';
import { openStorage, type Storage } from '../../storage';
import { isTimeZone } from '../../time/day';
import { utc } from '../../time/utc';
import { EXIT, Exit } from '../exit';
import { number } from '../output';
import { progressView } from '../progress';
import { configHere } from '../server';

export interface BooksOptions {
  user?: string;
  /** Only the books of this account, by its name when they were begun. */
  account?: string;
  /** And those of these users: an account may have another name by now. */
  usersToo?: readonly string[];
  /** @default that of the account's configuration */
  timeZone?: string;
  json?: boolean;
  config?: string;
}

/** A user's books. */
export interface UsersBooks {
  readonly user: string;
  readonly storage: Storage;
  /** What they will come to. */
  readonly standing: Standing;
}

/** The books that are asked for. @throws Exit where there are none */
export async function booksOf(options: BooksOptions): Promise<UsersBooks[]> {
  const { storage, all } = await booksIn(options);
  if (all.length === 0) throw new Exit(EXIT.failed, noBooks(storage, options));
  return all;
}

export function noBooks(storage: Storage, { user, account }: BooksOptions): string {
  const whose = user ?? account;
  return `there are no books${whose === undefined ? '' : ` of '${whose}'`} in ${storage.describe()}: they begin with the first payment`;
}

/** Those that are asked for, which may be none, and where they are looked for. */
export async function booksIn({
  user,
  account,
  usersToo = [],
  timeZone,
  config,
}: BooksOptions): Promise<{ storage: Storage; all: UsersBooks[] }> {
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new Exit(EXIT.badInput, `--time-zone: '${timeZone}' is no IANA name such as Europe/Berlin`);
  const { storageUrl, accounts } = await configHere(config, { tokens: false });
  const storage = openStorage(storageUrl);
  const all: UsersBooks[] = [];
  for (const one of await usersWithBooks(storage)) {
    if (user !== undefined && one !== user) continue;
    const owner = timeZone === undefined || account !== undefined ? await accountOfBooks(storage, one) : undefined;
    if (account !== undefined && owner !== account && !usersToo.includes(one)) continue;
    const standing = new Standing(timeZone ?? accounts[account ?? owner ?? '']?.timeZone ?? 'UTC');
    all.push({ user: one, storage, standing });
  }
  return { storage, all };
}

/** A reading that takes longer than this shows how far it is. */
const SHOWN_AFTER_MS = 1_000;
const SHOWN_EVERY = 500;

/**
 * All entries, in their order; at a terminal a long reading says how far it is.
 * @param isSilent the result is written meanwhile
 */
export async function* read({ user, storage, standing }: UsersBooks, isSilent = false): AsyncGenerator<Line> {
  const view = process.stderr.isTTY && !isSilent ? progressView() : undefined;
  const began = performance.now();
  try {
    for await (const line of linesOf(storage, user, standing)) {
      const { seq, at } = line.entry;
      if (view && seq % SHOWN_EVERY === 0 && performance.now() - began > SHOWN_AFTER_MS)
        view.show({ doing: `Reading the books: entry ${number(seq)}, of ${utc(at)} UTC` });
      yield line;
    }
  } finally {
    view?.end();
  }
}

export const summary = (standing: Standing) => ({
  account: standing.account,
  entries: standing.seq,
  lost: standing.lost,
  credits: [...standing.days.values()].reduce((sum, credits) => sum + credits, 0),
  open: standing.reserved(Date.now()),
});

export const nameOf = (user: string, account: string): string => `Account ${account || '(unknown)'}, user ${user}`;
