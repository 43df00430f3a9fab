/** `audit-runner books acts`: what people said to runs, and how runs began that paid. */
import type { Act } from '../../books/entry';
import { oneLine } from '../../text/printable';
import { utc } from '../../time/utc';
import { EXIT } from '../exit';
import { number, print, printJson, table } from '../output';
import { isIn, type Period, periodOf } from '../since';
import { type BooksOptions, booksOf, nameOf, read, type UsersBooks } from './read';

export interface ListActsOptions extends BooksOptions {
  /** Only what was said from then on. A date-time, a date, or a duration back from now. @default the beginning */
  since?: string;
  /** And before this. @default the end */
  until?: string;
  /** The last so many. @default 50 */
  limit?: number;
  /** Of those that stand before this entry. @default the end */
  before?: number;
}

const LIMIT = 50;
/** Workers that do not know of each other may write the same one more than once, soon after each other. */
const REMEMBERED = 1_000;

/** An act, with the number of its entry. */
type Listed = Act & { seq: number };

/** The last ones, the last first. */
interface LastActs {
  acts: Listed[];
  /** How many there are before them. */
  earlier: number;
}

export async function listActsCommand(options: ListActsOptions): Promise<number> {
  const period = periodOf(options, Date.now());
  const all = [];
  for (const books of await booksOf(options)) {
    const last = await lastActs(books, period, options);
    all.push({ user: books.user, account: books.standing.account, ...last });
  }
  if (options.json) printJson(all);
  else print(all.map(describe).join('\n\n'));
  return EXIT.done;
}

async function lastActs(
  books: UsersBooks,
  period: Period,
  { limit = LIMIT, before = Number.POSITIVE_INFINITY }: ListActsOptions,
): Promise<LastActs> {
  let acts: Listed[] = [];
  let earlier = 0;
  const known = new Set<string>();
  for await (const { entry } of read(books)) {
    if (entry.kind !== 'act' || entry.seq >= before || !isIn(period, entry.when) || known.has(entry.id)) continue;
    known.add(entry.id);
    const [first] = known;
    if (known.size > REMEMBERED && first !== undefined) known.delete(first);
    acts.push(entry);
    if (acts.length < 2 * limit) continue;
    earlier += acts.length - limit;
    acts = acts.slice(-limit);
  }
  return { acts: acts.slice(-limit).reverse(), earlier: earlier + Math.max(0, acts.length - limit) };
}

function describe({ user, account, acts, earlier }: LastActs & { user: string; account: string }): string {
  if (acts.length === 0) return `${nameOf(user, account)}: nobody said anything to a run.`;
  const shown = table(
    ['entry', 'when (UTC)', 'what', 'run', 'says to be', "the client's identity", 'the server says', 'said'],
    acts.map(({ seq, when, update, workflowId, by, identity, principal, said }) => [
      ...[seq, utc(when), update, oneLine(workflowId), by, identity, principal, said],
    ]),
  );
  const left =
    earlier === 0
      ? ''
      : `\nThe last ${number(acts.length)} of ${number(acts.length + earlier)}; --before ${acts.at(-1)?.seq} shows those before them.`;
  return `${nameOf(user, account)}\n${shown}${left}`;
}
