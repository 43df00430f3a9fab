/** What a reply says of the pages of a list, in whatever words. Pure. */
import { at, fieldOf, isObject, layers, plainKey } from './shape';

/** What a list says of itself, as far as it does. */
export interface Paging {
  limit?: number;
  /** Records before this page. */
  offset?: number;
  /** The number of this page, where the service counts pages. */
  page?: number;
  /** Records of the whole list. */
  total?: number;
  /** The service says whether there is more, in so many words: to name a next page is `next`. */
  more?: boolean;
  /** There is a place for the next page, and nothing in it. */
  isNextEmpty?: true;
  /** The next page: a cursor under the name of the parameter that it most likely has, or the query of a link. */
  next?: { cursor: { name: string; value: string } } | { link: string } | { page: number };
}

/** What the headers of a reply say of it. */
export interface Headers {
  /** The address of the `Link` header with `rel="next"`. */
  readonly next?: string | undefined;
  readonly total?: string | undefined;
}

const NUMBERS = {
  limit: ['limit', 'pageSize', 'perPage', 'itemsPerPage', 'size', 'take'],
  offset: ['offset', 'skip', 'startIndex'],
  page: ['page', 'pageNumber', 'currentPage', 'pageIndex', 'number'],
  total: ['total', 'totalCount', 'totalItems', 'totalElements', 'totalResults', 'totalRecords', 'totalHits'],
} as const;
const MORE = ['hasMore', 'hasNext', 'hasNextPage', 'more', 'moreAvailable', 'isTruncated'];
const LAST = ['last', 'isLast', 'lastPage', 'isLastPage'];
/** A cursor by the field that it stands in, and the parameter that takes it. */
const CURSORS: readonly (readonly [string, string])[] = [
  ['nextCursor', 'cursor'],
  ['nextPageToken', 'pageToken'],
  ['nextToken', 'nextToken'],
  ['continuationToken', 'continuationToken'],
  ['endCursor', 'after'],
  ['nextPage', 'page'],
  ['nextOffset', 'offset'],
  ['nextPageUrl', 'page'],
  ['nextLink', 'cursor'],
  ['nextUrl', 'cursor'],
  ['next', 'cursor'],
  ['cursor', 'cursor'],
];
const LONGEST = 2_000;

/** A number, also as text: some databases give counts as text. */
function asCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function firstOf<T>(places: readonly unknown[], names: readonly string[], as: (value: unknown) => T | undefined) {
  for (const place of places)
    for (const name of names) {
      const value = as(fieldOf(place, name));
      if (value !== undefined) return value;
    }
  return undefined;
}
const asFlag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined;

/** Whether a text is an address: then its query is the next page, and never its host. */
const isLink = (text: string): boolean => /^(https?:|\/|\?)/.test(text);
const linkOf = (text: string): { link: string } | undefined => {
  const query = text.slice(text.indexOf('?') + 1);
  return text.includes('?') && query !== '' ? { link: query.replace(/#.*$/, '') } : undefined;
};

/** @param list where the records stand; what is in there says nothing of pages */
export function pagingIn(body: unknown, list: readonly string[], seen: number, headers: Headers = {}): Paging {
  const isOutside = (path: readonly string[]) => path.length <= 3 && !list.every((key, i) => path[i] === key);
  const places = Array.isArray(body)
    ? []
    : [...layers(body)].filter(({ path }) => list.length > 0 && isOutside(path)).map(({ value }) => value);
  const found: Paging = {};
  for (const key of ['limit', 'offset', 'page', 'total'] as const) {
    const value = firstOf(places, NUMBERS[key], asCount);
    if (value !== undefined) found[key] = value;
  }
  // `count` is that of the page with some, and that of the list with others.
  const count = firstOf(places, ['count'], asCount);
  const total = found.total ?? (count !== undefined && count > seen ? count : asCount(headers.total));
  if (total !== undefined) found.total = total;
  const last = firstOf(places, LAST, asFlag);
  const more = firstOf(places, MORE, asFlag) ?? (last === undefined ? undefined : !last);
  const next = nextIn(places) ?? (headers.next === undefined ? undefined : linkOf(headers.next));
  const pages = firstOf(places, ['totalPages', 'pageCount', 'lastPage', 'pages'], asCount);
  const following = more === false || next === 'end' ? undefined : next;
  if (following !== undefined) found.next = following;
  if (more !== undefined) found.more = more;
  else if (next === 'end') found.isNextEmpty = true;
  else if (following === undefined && pages !== undefined && found.page !== undefined && found.total === undefined)
    found.more = found.page < pages;
  return found;
}

/** @returns `end` where the service has a place for the next page, and it is empty */
function nextIn(places: readonly unknown[]): Paging['next'] | 'end' {
  let end = false;
  for (const [field, parameter] of CURSORS)
    for (const place of places) {
      if (!isObject(place)) continue;
      const key = Object.keys(place).find((one) => plainKey(one) === plainKey(field));
      if (key === undefined) continue;
      const raw = place[key];
      const value = isObject(raw) ? (raw.href ?? raw.url ?? raw.next ?? raw.cursor) : raw;
      if (value === null || value === '' || value === false) end ||= field !== 'cursor' && field !== 'endCursor';
      else if (typeof value === 'number' && Number.isSafeInteger(value) && field !== 'cursor')
        return field === 'nextOffset' ? { cursor: { name: parameter, value: `${value}` } } : { page: value };
      else if (typeof value === 'string' && value.length <= LONGEST) {
        const link = isLink(value) ? linkOf(value) : undefined;
        if (link) return link;
        if (!isLink(value) && field === 'nextPage' && /^\d+$/.test(value)) return { page: Number(value) };
        // `cursor` alone may be that of this very page.
        if (!isLink(value) && (field !== 'cursor' || isObject(raw)))
          return { cursor: { name: key.includes('_') ? snake(parameter) : parameter, value } };
      }
    }
  const link = places.map((place) => at(place, 'links.next') ?? at(place, '_links.next.href')).find((one) => one);
  if (typeof link === 'string') return linkOf(link);
  return end ? 'end' : undefined;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The address of the next page in a `Link` header (RFC 8288). */
export function nextLink(header: string | undefined): string | undefined {
  for (const [, address, parameters] of (header ?? '').matchAll(/<([^>]*)>([^,<]*)/g))
    if (/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(parameters ?? '')) return address;
  return undefined;
}
