/** A service that puts its lists into pages of another kind than the sandbox does. */
import { match } from '../../../src/sandbox/router';

/** Pages that begin at an offset, of which nothing says how many there are, or that name the next one by a link. */
export interface Pages {
  by: 'offsets' | 'links';
  size: number;
  /** One in the middle has no record. */
  hasEmpty: boolean;
  /** Each begins with the last record of the one before. */
  repeats: boolean;
}

/** The field that has the records. */
const LISTS: Readonly<Partial<Record<string, string>>> = {
  'leads.list': 'data',
  'projects.list': 'projects',
  'captures.list': 'captures',
};
/** The sandbox shows a list whole. */
const WHOLE = { limit: '100', offset: '0' };

/**
 * @param note told of what the page shows, when it is not the only one
 * @returns what the sandbox is asked for, and how its reply is put; undefined of what is no list
 */
export function paged(
  { by, size, hasEmpty, repeats }: Pages,
  method: string,
  path: string,
  note: (what: string) => void,
) {
  const { pathname, searchParams: query } = new URL(path, 'http://service');
  const key = LISTS[match(method, pathname)?.name ?? ''];
  if (key === undefined) return undefined;
  const [, start = '0', empty] = /^(\d+)(e?)$/.exec(query.get('after') ?? query.get('offset') ?? '') ?? [];
  const from = Number(start);
  const put = (text: string): string => {
    const all = recordsOf(text, key);
    if (!all) return text;
    const items = empty ? [] : all.slice(from, from + size);
    const end = from + items.length;
    if (from > 0) note(empty ? 'pages with an empty one' : repeats ? 'pages that repeat a record' : `pages by ${by}`);
    if (by === 'offsets') return JSON.stringify({ [key]: items });
    const isEmptyNext = hasEmpty && from === 0 && !empty;
    query.set('after', isEmptyNext ? `${end}e` : `${repeats && !empty ? end - 1 : end}`);
    const next = end < all.length ? `${pathname}?${query}` : null;
    return JSON.stringify({ [key]: items, links: { next } });
  };
  return { path: `${pathname}?${new URLSearchParams({ ...Object.fromEntries(query), ...WHOLE })}`, put };
}

/** @returns undefined for what is no list */
function recordsOf(text: string, key: string): unknown[] | undefined {
  try {
    const { [key]: records } = JSON.parse(text) as Record<string, unknown>;
    return Array.isArray(records) ? records : undefined;
  } catch {
    return undefined;
  }
}
