/** Where a list goes on after a page of it, by what the service says and by what it shows. Pure. */
import { isSameId } from '../src/agent-api/id';
import type { Page } from '../src/agent-api/record';

/** A place in a list, as the page before it tells. */
export interface ListPlace {
  /** Records before it. */
  offset: number;
  /** Its number, where the service counts pages. */
  page?: number;
  /** What the service calls its next page, under the parameter's name; or the query of its link to it. */
  next?: string;
  /** The first record of the list: who meets it again is at the beginning again. */
  first?: string;
  /** The last record of the first page. */
  last?: string;
  /** The first record of the page before, from the third page on: who meets it again does not get on any more. */
  before?: string;
  /** Records of the first page: one that is shorter is the last. */
  size?: number;
  /** The page before was as long as a page of this list can be. */
  full?: boolean;
  /** Pages without a record that is new just before. */
  empty?: number;
  /** The service said that there is more. */
  sure?: boolean;
}

/** How a list goes on. */
export interface Onward {
  /** The next page; absent when this was the last that can be had. */
  following?: ListPlace;
  /**
   * The list goes on and its next page cannot be had (`more`); or it may go on, since it is just as long as pages usually
   * are and nothing says that it is whole (`perhaps`). What is not found may be there all the same.
   */
  cut?: 'more' | 'perhaps';
}

/** Page sizes that services have: a list of just so many that does not go on may be the first page of a longer one. */
const USUAL_SIZES = [10, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 1_000];

/** Pages without a record that is new, one after the other, that are passed: some services name a next page for ever. */
const MOST_EMPTY = 20;

const isIt = (record: { id: string } | undefined, id: string | undefined): boolean =>
  record !== undefined && id !== undefined && isSameId(record.id, id);
const begins = ({ items }: Page<{ id: string }>, id: string | undefined): boolean => isIt(items[0], id);

/**
 * Whether a page is one that was there before. By its beginning: within it a record of before may stand once more, where
 * many are of the same moment and the service has no order among them.
 */
export function isAgain<T extends { id: string }>(got: Page<T>, place: ListPlace): boolean {
  // Beyond the last page it is given again, or there is no way past it.
  if (begins(got, place.before)) return true;
  // Some say where they are by what they were asked for, and do not go there.
  const isThere = place.offset > 0 && got.offset === place.offset && place.last !== undefined;
  // The parameters have other names here.
  return begins(got, place.first) && !(isThere && !isIt(got.items.at(-1), place.last));
}

/** @param cursor the setting of the parameter that takes what the service calls its next page */
export function goesOn<T extends { id: string }>(
  got: Page<T>,
  place: ListPlace,
  { limit, isPaged, cursor }: { limit: number; isPaged: boolean; cursor: string | undefined },
): Onward {
  const count = got.items.length + (got.unreadable ?? 0);
  if (!isPaged || got.more === false) return {};
  const next = nextOf(got, place, cursor);
  if (count === 0) return got.isNextEmpty ? {} : beyondEmpty(got, place, next);
  const end = Math.max(got.offset ?? 0, place.offset) + count;
  const named = got.next === undefined ? undefined : true;
  const sure = got.more ?? named ?? (got.total === undefined ? undefined : end < got.total);
  // A page that is not full is the last one; where the service says nothing, sizes that pages usually have prove nothing.
  const full = count >= Math.min(got.limit ?? limit, place.size ?? Number.POSITIVE_INFINITY);
  // S2: each page counts for itself: a service gives 10 a page however many are asked for, and does not say so.
  const isLong = full || (place.size === undefined && USUAL_SIZES.includes(count));
  // Who names each next page names none after the last.
  const mayGoOn = sure ?? (place.next === undefined && isLong);
  // S2: some name a next page only to who has asked for a page by its name, and count for who has not.
  const isDoubtful = got.isNextEmpty === true;
  if (!mayGoOn || (isDoubtful && !(got.total !== undefined && place.next === undefined && isLong))) return {};
  const [begins, ends] = [got.items[0]?.id ?? '', got.items.at(-1)?.id ?? ''];
  const following: ListPlace = {
    offset: end,
    ...(place.first === undefined
      ? { first: begins, last: ends, size: count }
      : { first: place.first, before: begins, size: place.size ?? count }),
    ...(place.last !== undefined && { last: place.last }),
    // The page behind such an end may as well be none: a total may count what the filter leaves out.
    ...(full && !isDoubtful && { full }),
    ...(sure && !isDoubtful && { sure }),
    ...next,
  };
  return { following };
}

/**
 * The same page has come again. Under a link or cursor of the service's the list may have moved meanwhile, by records that are
 * new at its beginning: what the page names as the next one is further on, or it was the last.
 * @returns undefined where there is no way past it
 */
export function beyondRepeated<T extends { id: string }>(
  got: Page<T>,
  place: ListPlace,
  cursor: string | undefined,
): Onward | undefined {
  if (place.next === undefined) return undefined;
  // The beginning behind a later page: the cursor has come round, and would do so for ever.
  if (place.before !== undefined && !begins(got, place.before)) return undefined;
  if (got.more === false || got.isNextEmpty) return {};
  if (got.next === undefined) return undefined;
  const onward = beyondEmpty(got, place, nextOf(got, place, cursor));
  return onward.following && onward;
}

/** S2: a page without records is the end only where nothing says that the list goes on. */
function beyondEmpty<T>(got: Page<T>, place: ListPlace, next: Next): Onward {
  const { next: asked, page, empty = 0, ...before } = place;
  const isNamed = got.next !== undefined || got.more === true;
  const isOther = isNamed && ('next' in next ? next.next !== asked : 'page' in next && next.page !== page);
  if (isOther && empty < MOST_EMPTY) return { following: { ...before, ...next, empty: empty + 1 } };
  if (got.more === true) return { cut: 'more' };
  if (isOther) return { cut: 'perhaps' };
  // Totals may count what the filter leaves out: behind a page that was not full they prove nothing.
  const isDeeper = place.full && asked === undefined && (got.total ?? 0) > place.offset;
  return isDeeper ? { cut: 'more' } : {};
}

type Next = Pick<ListPlace, 'next' | 'page'>;

/** What the page after this one is called; nothing where records are counted. */
function nextOf<T>(got: Page<T>, place: ListPlace, cursor: string | undefined): Next {
  if (got.next !== undefined && 'link' in got.next) return { next: `&${got.next.link}` };
  if (got.next !== undefined && 'cursor' in got.next) {
    const { name, value } = got.next.cursor;
    return { next: `${encodeURIComponent(cursor ?? name)}=${encodeURIComponent(value)}` };
  }
  if (got.next !== undefined) return { page: got.next.page };
  const number = got.page ?? place.page;
  return number !== undefined && got.offset === undefined ? { page: number + 1 } : {};
}
