/** Kinds of forms that several open points have in common, and what a form is made with. */
import * as put from './put';
import { Answer, type Asking, type Form, form, type Json, type JsonObject, reply } from './wire';

const { arr, obj, under, then, resource, jsonApi, paged } = put;

/** Envelopes of one record. */
const ENVELOPES: Readonly<Record<string, (name: string) => (record: Json) => Json>> = {
  bare: () => (record) => record,
  named: (name) => under(name),
  data: () => under('data'),
  'data-named': (name) => under('data', name),
  'success-data': () => put.beside('data', { success: true }),
  'success-named': (name) => put.beside(name, { success: true, message: 'OK' }),
  result: () => under('result'),
  'result-data': () => under('result', 'data'),
  item: () => under('item'),
  response: () => under('response'),
  payload: () => under('payload'),
  record: () => under('record'),
  'body-data-item': () => under('body', 'data', 'item'),
  array: () => (record) => [record],
  'data-array': () => (record) => ({ data: [record] }),
  'json-api': (name) => jsonApi(name),
  'json-api-array': (name) => then(resource(name), (one) => ({ data: [one] })),
  'beside-meta': (name) => (record) =>
    put.beside(name, {
      meta: { id: `foreign-${String(obj(record).id).slice(0, 8)}`, status: 'ok' },
      links: { self: '/x' },
    })(record),
  embedded: (name) => under('_embedded', name),
  'camel-envelope-with-ids': (name) => (record) =>
    put.beside(name, {
      requestId: 'foreign-trace',
      id: `foreign-${String(obj(record).id).slice(0, 8)}`,
      status: 'success',
    })(record),
};
export const enveloped = (point: string, name: string, only = Object.keys(ENVELOPES)): Form[] =>
  only.map((each) => reply(point, each, ENVELOPES[each]?.(name) ?? ((record) => record)));

/** Envelopes of a list that comes whole. */
const WHOLE: Readonly<Record<string, (name: string) => (all: Json) => Json>> = {
  bare: () => (all) => all,
  data: () => under('data'),
  'data-named': (name) => under('data', name),
  results: () => under('results'),
  content: () => under('content'),
  records: () => under('records'),
  items: () => under('items'),
  'data-items': () => under('data', 'items'),
  values: () => under('values'),
  rows: () => under('rows'),
  'success-data': () => put.beside('data', { success: true }),
  map: () => (all) => Object.fromEntries(arr(all).map((one) => [String(obj(one).id), one])),
  'named-map': (name) => (all) => ({ [name]: Object.fromEntries(arr(all).map((one) => [String(obj(one).id), one])) }),
  edges: (name) => (all) => ({
    [name]: { edges: arr(all).map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: null } },
  }),
  'json-api': (name) => (all) => ({ data: arr(all).map(resource(name)), meta: { total: arr(all).length } }),
  embedded: (name) => under('_embedded', name),
};
export const whole = (point: string, name: string): Form[] =>
  Object.entries(WHOLE).map(([each, envelope]) => reply(point, `list-${each}`, envelope(name)));

/** Lists in pages. A small page, so that there are several. */
const PAGES: Readonly<Record<string, (name: string) => Form['wire']>> = {
  'offset-strings': (name) => () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items, total, start, size }) => ({
      [name]: items,
      pagination: { total: String(total), offset: String(start), limit: String(size) },
    })),
  }),
  'offset-most-2': (name) => () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items, total, start, size }) => ({
      [name]: items,
      pagination: { total, offset: start, limit: size },
    })),
  }),
  'has-more': (name) => () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items, more }) => ({
      [name]: items,
      hasMore: more,
    })),
  }),
  'has_more-data': () => () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items, more }) => ({
      object: 'list',
      data: items,
      has_more: more,
    })),
  }),
  'page-numbers': (name) => () => ({
    reply: paged({ number: 'page', size: 'limit', usual: 2, most: 2 }, ({ items, total, page, size }) => ({
      [name]: items,
      page,
      pageSize: size,
      total,
    })),
  }),
  'page-strings': (name) => () => ({
    reply: paged({ number: 'page', usual: 2 }, ({ items, total, page }) => ({
      [name]: items,
      page: String(page),
      per_page: '2',
      total: String(total),
    })),
  }),
  'page-count': (name) => () => ({
    reply: paged({ number: 'page', usual: 2 }, ({ items, total, page }) => ({
      [name]: items,
      meta: { current_page: page, last_page: Math.ceil(total / 2), per_page: 2 },
    })),
  }),
  'page-spring': () => () => ({
    reply: paged({ number: 'page', usual: 2 }, ({ items, total, page, more }) => ({
      content: items,
      number: page,
      size: 2,
      totalElements: total,
      totalPages: Math.ceil(total / 2),
      last: !more,
    })),
  }),
  cursor: (name) => () => ({
    reply: paged({ cursor: 'cursor', usual: 2 }, (part) => ({
      [name]: part.items,
      nextCursor: part.more ? put.cursorOf(part) : null,
    })),
  }),
  'cursor-in-pagination': (name) => () => ({
    reply: paged({ cursor: 'cursor', usual: 2 }, (part) => ({
      [name]: part.items,
      pagination: { next_cursor: part.more ? put.cursorOf(part) : '', has_more: part.more },
    })),
  }),
  'page-token': (name) => () => ({
    reply: paged({ cursor: 'pageToken', usual: 2 }, (part) => ({
      [name]: part.items,
      ...(part.more && { nextPageToken: put.cursorOf(part) }),
    })),
  }),
  'cursor-edges': (name) => () => ({
    reply: paged({ cursor: 'after', usual: 2 }, (part) => ({
      [name]: {
        edges: part.items.map((node) => ({ node })),
        pageInfo: { hasNextPage: part.more, endCursor: put.cursorOf(part) },
      },
    })),
  }),
  'next-address': () => () => ({
    reply: paged({ number: 'page', usual: 2 }, (part, asking) => ({
      count: part.total,
      next: part.more ? put.nextOf(part, asking) : null,
      previous: null,
      results: part.items,
    })),
  }),
  'next-links': (name) => () => ({
    reply: paged({ number: 'page', usual: 2 }, (part, asking) => ({
      [name]: part.items,
      links: { next: part.more ? put.nextOf(part, asking) : null },
    })),
  }),
  'next-hal': (name) => () => ({
    reply: paged({ number: 'page', usual: 2 }, (part, asking) => ({
      _embedded: { [name]: part.items },
      _links: part.more ? { next: { href: put.nextOf(part, asking) } } : {},
    })),
  }),
  'link-header': () => () => ({
    reply: paged(
      { number: 'page', usual: 2 },
      (part, asking) =>
        new Answer(200, part.items, part.more ? { link: `<${put.nextOf(part, asking)}>; rel="next"` } : {}),
    ),
  }),
  'total-header': () => () => ({
    reply: paged(
      { offset: 'offset', usual: 2 },
      ({ items, total }) => new Answer(200, items, { 'x-total-count': String(total) }),
    ),
  }),
  'range-header': () => () => ({
    reply: paged(
      { offset: 'offset', usual: 2 },
      ({ items, start, total }) =>
        new Answer(total > items.length ? 206 : 200, items, {
          'content-range': `items ${start}-${start + items.length - 1}/${total}`,
        }),
    ),
  }),
};
export const pages = (point: string, name: string): Form[] =>
  Object.entries(PAGES).map(([each, wire]) => form(point, `pages-${each}`, wire(name), { has: { projects: 7 } }));

export const credits = (body: Json): number => Number(obj(body).balance);
export const leadPage = (
  how: Parameters<typeof paged>[0],
  item: (lead: Json) => Json = (lead) => lead,
  numbers: (n: number) => Json = (n) => n,
) =>
  paged({ offset: 'offset', size: 'limit', usual: 50, ...how }, ({ items, start, size, total }) => ({
    data: items.map(item),
    pagination: { limit: numbers(size), offset: numbers(start), total: numbers(total) },
    filters: {},
  }));
/** Of a list, one is otherwise. */
export const second = (change: (record: Json) => Json) => (all: Json) =>
  arr(all).map((one, i) => (i === 1 ? change(one) : one));
const LEADS = {
  status: 'status',
  staticSlugId: 'surveyLink',
  limit: 'limit',
  offset: 'offset',
  sort: 'sort',
  order: 'order',
};
/** What the sandbox calls them. */
export const leadNames = (names: Partial<Record<keyof typeof LEADS, string>>) =>
  Object.fromEntries(Object.keys(LEADS).map((plain) => [names[plain as keyof typeof LEADS] ?? plain, plain]));
export const projectQuery = (names: Readonly<Record<string, string>>, otherwise: 'ignored' | 400 | 422) =>
  put.parameters(names, otherwise);

export const encoded = (name: string, encode: (bytes: Buffer) => Buffer) =>
  reply(
    'everywhere',
    name,
    (body) => new Answer(200, encode(Buffer.from(JSON.stringify(body))), { 'content-encoding': name }),
  );
/** Each address is another one first. */
export const redirecting = (code: number) => (asking: Asking) => {
  if (asking.path.endsWith('/')) return Object.assign(asking, { path: asking.path.replace(/\/$/, '') });
  const search = asking.query.size === 0 ? '' : `?${asking.query}`;
  return new Answer(code, undefined, { location: `${asking.path}/${search}` });
};
export const identified = (name: string, make: (id: string) => string | number) =>
  form('everywhere', name, () => {
    const ids = new put.Ids(make);
    return { reply: ids.out, request: ids.in, idOf: (id) => String(ids.of(id)) };
  });
/** The first starts are refused for what is not ready, though the flags say that it is. */
export const unready = (name: string, code: number, body: JsonObject) =>
  form('audit.start', `unready-${name}`, () => {
    let starts = 0;
    return { request: (asking) => (starts++ < 2 ? new Answer(code, body) : asking) };
  });
/** A job whose record is put so. */
export const job = (
  name: string,
  put: (state: 'running' | 'complete' | 'failed', record: JsonObject) => Json | Answer,
) => reply('job.get', name, (record) => put(obj(record).status as 'running' | 'complete' | 'failed', obj(record)));
export const ends = (word: string, running = 'running') =>
  job(`ends-${word}`, (state, { id }) => ({ id: id ?? null, status: state === 'complete' ? word : running }));

/** Takes documents as JSON with base64, and hands them to the sandbox as a form. */
export function jsonUpload(names: { file: string; fileName: string; fileType: string }, code: number) {
  return (asking: Asking): Asking | Answer => {
    const given = obj(asking.json);
    const missing = Object.values(names).filter((name) => typeof given[name] !== 'string');
    if (missing.length > 0) return new Answer(code, { error: `A JSON body with ${missing.join(', ')} is needed` });
    const boundary = 'edges-of-a-form';
    const name = String(given[names.fileName]).replace(/"/g, '%22');
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${given[names.fileType]}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(head),
      Buffer.from(String(given[names.file]), 'base64'),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const { json: _, ...rest } = asking;
    return { ...rest, body, contentType: `multipart/form-data; boundary=${boundary}` };
  };
}

/** A text of the body that the service keeps otherwise than it was sent; undefined: not at all. */
export const kept =
  (field: string, how: (text: string) => string | undefined) =>
  (asking: Asking): Asking => {
    const { [field]: text, ...others } = obj(asking.json);
    const after = typeof text === 'string' ? how(text) : text;
    return Object.assign(asking, { json: { ...others, ...(after !== undefined && { [field]: after }) } });
  };
