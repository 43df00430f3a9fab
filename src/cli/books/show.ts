/** `audit-runner books show`: credits by day, month, run, subject or person. */
import { EXIT } from '../exit';
import { print, printJson } from '../output';
import { periodOf } from '../since';
import type { SummedBy } from '../summed-by';
import { type BooksOptions, booksOf } from './read';
import { DEFAULT_LIMIT, describeSummed, type Summed, summedUp } from './summed';

export interface ShowBooksOptions extends BooksOptions {
  by: SummedBy;
  /** A date-time, a date, or a duration back from now. @default the beginning */
  since?: string;
  /** The same. @default the end */
  until?: string;
  /** At most so many sums. @default 50, of days and months all */
  limit?: number;
}

export async function showBooksCommand({ by, since, until, limit, ...options }: ShowBooksOptions): Promise<number> {
  const period = periodOf({ since, until }, Date.now());
  const all: Summed[] = [];
  for (const books of await booksOf(options))
    all.push(await summedUp(books, { by, period, limit: limit ?? DEFAULT_LIMIT[by] }));
  if (options.json) printJson(all);
  else print(all.map((summed) => describeSummed(summed, by)).join('\n\n'));
  return EXIT.done;
}
