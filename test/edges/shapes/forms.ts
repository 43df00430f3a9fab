/**
 * The forms that a service may choose where agent-api.md shows none, and spellings beside what it shows: one line each, the
 * open point, the form's name, and how it is made from what the sandbox says. To add one, add a line.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as put from './put';
import { Answer, type Asking, type Form, form, type Json, type JsonObject, reply, request } from './wire';

const { arr, obj, under, renamed, then, each, resource, jsonApi, having, paged } = put;

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
  'beside-meta': (name) => put.beside(name, { meta: { id: 'req-1', status: 'ok' }, links: { self: '/x' } }),
  embedded: (name) => under('_embedded', name),
  'camel-envelope-with-ids': (name) => put.beside(name, { requestId: 'b4c0', id: 'req-77', status: 'success' }),
};
const enveloped = (point: string, name: string, only = Object.keys(ENVELOPES)): Form[] =>
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
const whole = (point: string, name: string): Form[] =>
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
const pages = (point: string, name: string): Form[] =>
  Object.entries(PAGES).map(([each, wire]) => form(point, `pages-${each}`, wire(name), { has: { projects: 7 } }));

const credits = (body: Json): number => Number(obj(body).balance);
const leadPage = (
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
const second = (change: (record: Json) => Json) => (all: Json) =>
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
const leadNames = (names: Partial<Record<keyof typeof LEADS, string>>) =>
  Object.fromEntries(Object.keys(LEADS).map((plain) => [names[plain as keyof typeof LEADS] ?? plain, plain]));
const projectQuery = (names: Readonly<Record<string, string>>, otherwise: 'ignored' | 400 | 422) =>
  put.parameters(names, otherwise);

const encoded = (name: string, encode: (bytes: Buffer) => Buffer) =>
  reply(
    'everywhere',
    name,
    (body) => new Answer(200, encode(Buffer.from(JSON.stringify(body))), { 'content-encoding': name }),
  );
/** Each address is another one first. */
const redirecting = (code: number) => (asking: Asking) => {
  if (asking.path.endsWith('/')) return Object.assign(asking, { path: asking.path.replace(/\/$/, '') });
  const search = asking.query.size === 0 ? '' : `?${asking.query}`;
  return new Answer(code, undefined, { location: `${asking.path}/${search}` });
};
const identified = (name: string, make: (n: number, id: string) => string | number, point = 'everywhere') =>
  form(point, name, () => {
    const ids = new put.Ids(make);
    return { reply: ids.out, request: ids.in, idOf: (id) => String(ids.of(id)) };
  });
/** The first starts are refused for what is not ready, though the flags say that it is. */
const unready = (name: string, code: number, body: JsonObject) =>
  form('audit.start', `unready-${name}`, () => {
    let starts = 0;
    return { request: (asking) => (starts++ < 2 ? new Answer(code, body) : asking) };
  });
/** A job whose record is put so. */
const job = (name: string, put: (state: 'running' | 'complete' | 'failed', record: JsonObject) => Json | Answer) =>
  reply('job.get', name, (record) => put(obj(record).status as 'running' | 'complete' | 'failed', obj(record)));
const ends = (word: string, running = 'running') =>
  job(`ends-${word}`, (state, { id }) => ({ id: id ?? null, status: state === 'complete' ? word : running }));

export const forms: readonly Form[] = [
  // Who the token belongs to.
  ...enveloped('account.user', 'user', [
    'bare',
    'named',
    'data',
    'data-named',
    'success-data',
    'success-named',
    'json-api',
    'array',
    'result',
    'payload',
    'beside-meta',
    'embedded',
  ]),
  reply('account.user', 'userId', renamed({ userId: 'id', email: 'email' })),
  reply('account.user', 'user_id', renamed({ user_id: 'id', email: 'email' })),
  reply('account.user', 'sub', renamed({ sub: 'id', email: 'email' })),
  reply('account.user', '_id', renamed({ _id: 'id', email: 'email' })),
  reply('account.user', 'uuid', renamed({ uuid: 'id', email: 'email' })),
  reply('account.user', 'ID', renamed({ ID: 'id', Email: 'email' })),
  reply(
    'account.user',
    'number',
    having(() => ({ id: 48_213 })),
  ),
  reply('account.user', 'profile', then(renamed({ accountId: 'id', displayName: 'name' }), under('profile')), {
    knows: 'profile.accountId',
  }),
  reply('account.user', 'organisation-too', (user) => ({ organization: { id: 'org-1', name: 'Org' }, user })),
  reply('account.user', 'session-id-outside', (user) => ({ id: 'session-9', user })),
  reply('account.user', 'email-alone', renamed({ email: 'email' }), { knows: 'email' }),
  reply('account.user', 'no-such-route', () => new Answer(404, { error: 'Not found' }), { knows: null }),
  reply('account.user', 'no-content', put.nothing(204), { knows: null }),

  // The plan: only shown to people.
  ...enveloped('account.tier', 'tier', ['named', 'data', 'data-named', 'success-data', 'json-api', 'array']),
  reply('account.tier', 'object', () => ({ tier: { name: 'team', level: 3 } })),
  reply('account.tier', 'plan', () => ({ plan: 'TEAM' })),
  reply('account.tier', 'subscription', () => ({ subscription: { plan: { id: 'team' } } })),
  reply('account.tier', 'number', () => ({ tier: 3 })),
  reply('account.tier', 'text', () => 'team'),

  // The balance.
  reply('account.credits', 'credits', (b) => ({ credits: credits(b) })),
  reply('account.credits', 'object', (b) => ({ credits: { remaining: credits(b), total: 60_000 } })),
  reply('account.credits', 'data', (b) => ({ success: true, data: { balance: credits(b) } })),
  reply('account.credits', 'remaining_credits', (b) => ({ remaining_credits: credits(b), period_total: 60_000 })),
  reply('account.credits', 'text', (b) => ({ balance: String(credits(b)) })),
  reply('account.credits', 'decimals', (b) => ({ balance: `${credits(b)}.00` })),
  reply('account.credits', 'thousands', (b) => ({ balance: credits(b).toLocaleString('en') })),
  reply('account.credits', 'fraction', (b) => ({ balance: credits(b) - 0.5 })),
  reply('account.credits', 'bare-number', credits),
  reply('account.credits', 'header', (b) => new Answer(204, undefined, { 'x-credits-remaining': String(credits(b)) })),
  reply('account.credits', 'used', (b) => ({ allocation: 60_000, used: 60_000 - credits(b) })),
  reply('account.credits', 'wallet', (b) => ({ wallet: { amount: credits(b) } }), { knows: 'wallet.amount' }),
  reply('account.credits', 'json-api', (b) => ({
    data: { type: 'credits', id: '1', attributes: { balance: credits(b) } },
  })),
  reply('account.credits', 'array', (b) => [{ kind: 'audit', balance: credits(b) }]),
  reply('account.credits', 'huge', () => ({ balance: 1e300 })),
  reply('account.credits', 'unlimited', () => ({ balance: null, unlimited: true })),

  // The lead list.
  form('leads.list', 'most-2', () => ({ reply: leadPage({ most: 2 }) })),
  form('leads.list', 'size-ignored', () => ({ reply: leadPage({ size: 'x', usual: 3 }) })),
  form('leads.list', 'counts-text', () => ({ reply: leadPage({}, undefined, String) })),
  form('leads.list', 'counts-text-most-2', () => ({ reply: leadPage({ most: 2 }, undefined, String) })),
  form('leads.list', 'upper-case-statuses', () => ({
    reply: leadPage(
      {},
      put.statuses((s) => s.toUpperCase()),
    ),
  })),
  reply('leads.list', 'null-status-of-one', (all, asking) =>
    leadPage({})(second(having(() => ({ surveyStatus: null })))(all), asking),
  ),
  reply('leads.list', 'no-status-of-one', (all, asking) =>
    leadPage({})(second(put.without('surveyStatus'))(all), asking),
  ),
  reply('leads.list', 'scores-text', (all, asking) =>
    leadPage({})(
      each(
        having((lead) => ({ aiReadinessScore: lead.aiReadinessScore === null ? null : String(lead.aiReadinessScore) })),
      )(all),
      asking,
    ),
  ),
  form('leads.list', 'epoch-ms', () => ({
    reply: leadPage(
      {},
      put.dates((ms) => ms),
    ),
  })),
  form('leads.list', 'epoch-s', () => ({
    reply: leadPage(
      {},
      put.dates((ms) => Math.floor(ms / 1000)),
    ),
  })),
  form('leads.list', 'snake', () => ({ reply: leadPage({}, put.snake) })),
  form('leads.list', 'json-api', () => ({ reply: leadPage({}, resource('lead')) })),
  form('leads.list', 'unpaged', () => ({
    reply: (all) => ({
      data: all,
      pagination: { limit: arr(all).length, offset: 0, total: arr(all).length },
      filters: {},
    }),
  })),
  form('leads.list', 'no-pagination', () => ({ reply: (all) => ({ data: all }) })),
  form('leads.list', 'snake-pagination', () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items, start, size, total }) => ({
      data: items,
      pagination: { page_size: size, offset: start, total_count: total },
    })),
  })),
  request('leads.list', 'link-ignored', put.parameters(leadNames({ staticSlugId: 'linkId' })), {
    knows: { surveyLink: 'linkId' },
  }),
  request('leads.list', 'link-refused-400', put.parameters(leadNames({ staticSlugId: 'survey_link_id' }), 400), {
    knows: { surveyLink: 'survey_link_id' },
  }),
  request('leads.list', 'link-refused-422', put.parameters(leadNames({ staticSlugId: 'slug' }), 422), {
    knows: { surveyLink: 'slug' },
  }),
  request('leads.list', 'offset-ignored', put.parameters(leadNames({ offset: 'skip', limit: 'limit' })), {
    knows: { offset: 'skip' },
    has: { leads: 60 },
  }),
  form(
    'leads.list',
    'offset-ignored-most-3',
    () => ({
      request: put.parameters({ skip: 'offset', limit: 'limit', staticSlugId: 'staticSlugId' }),
      reply: (all, asking) => leadPage({ offset: 'skip', most: 3 })(all, asking),
    }),
    { knows: { offset: 'skip' } },
  ),
  form(
    'leads.list',
    'all-names-other-ignored',
    () => ({
      request: put.parameters({
        skip: 'offset',
        take: 'limit',
        link: 'staticSlugId',
        sortBy: 'sort',
        dir: 'order',
        status: 'status',
      }),
      reply: (all, asking) => leadPage({ offset: 'skip', size: 'take', usual: 3, most: 3 })(all, asking),
    }),
    { knows: { offset: 'skip', limit: 'take', surveyLink: 'link', sort: 'sortBy', direction: 'dir' } },
  ),
  request(
    'leads.list',
    'paging-refused-400',
    put.parameters({ status: 'status', staticSlugId: 'staticSlugId', sort: 'sort', order: 'order' }, 400),
  ),
  request(
    'leads.list',
    'sort-refused-400',
    put.parameters({ status: 'status', staticSlugId: 'staticSlugId', limit: 'limit', offset: 'offset' }, 400),
  ),
  request(
    'leads.list',
    'order-refused-422',
    put.parameters(
      { status: 'status', staticSlugId: 'staticSlugId', limit: 'limit', offset: 'offset', sort: 'sort' },
      422,
    ),
  ),
  request('leads.list', 'limit-over-100-refused', (asking) =>
    Number(asking.query.get('limit') ?? 0) > 100 ? new Answer(400, { error: 'limit must be at most 100' }) : asking,
  ),
  identified('numeric-ids', (n) => 70_000 + n, 'leads.list'),

  // One lead.
  ...enveloped('lead.get', 'lead'),
  reply('lead.get', 'survey-response', under('surveyResponse')),
  reply('lead.get', 'survey-responses-array', (lead) => ({ surveyResponses: [lead] })),
  reply('lead.get', 'data-list-with-pagination', (lead) => ({
    data: [lead],
    pagination: { limit: 1, offset: 0, total: 1 },
  })),
  reply('lead.get', 'beside-its-survey', (lead) => ({
    survey: { id: 's-1', status: 'active', clientName: 'x' },
    lead,
  })),
  reply('lead.get', 'snake', put.snake),
  reply('lead.get', 'snake-data', then(put.snake, under('data'))),
  reply('lead.get', 'pascal', put.pascal),
  reply(
    'lead.get',
    'upper-case-status',
    put.statuses((s) => s.toUpperCase()),
  ),
  reply(
    'lead.get',
    'title-case-status',
    put.statuses((s) => s.charAt(0).toUpperCase() + s.slice(1)),
  ),
  reply(
    'lead.get',
    'epoch-ms',
    put.dates((ms) => ms),
  ),
  reply(
    'lead.get',
    'number-id',
    having(() => ({ id: 4711 })),
  ),
  reply(
    'lead.get',
    'status-null',
    having(() => ({ surveyStatus: null })),
  ),
  reply('lead.get', 'no-status', put.without('surveyStatus')),
  reply(
    'lead.get',
    'status-object',
    having(({ surveyStatus }) => ({ surveyStatus: { value: surveyStatus ?? null } })),
  ),
  reply('lead.get', 'no-created-at', put.without('createdAt', 'updatedAt')),

  // What a conversion answers: shown, and paid for before it can be read.
  ...enveloped('lead.convert', 'conversion', ['bare', 'data', 'data-named', 'result', 'array', 'json-api', 'payload']),
  reply('lead.convert', 'no-audit-id', put.without('auditId')),
  reply(
    'lead.convert',
    'project-id',
    then(renamed({ projectId: 'auditId', creditsUsed: 'creditsUsed' }), under('data')),
  ),
  reply('lead.convert', 'project-object', (data: Json) => ({
    success: true,
    data: { project: { id: obj(data).auditId ?? null, clientName: 'x' }, creditsUsed: 1000 },
  })),
  reply('lead.convert', 'snake', then(put.snake, put.beside('data', { success: true }))),
  reply('lead.convert', 'no-content', put.nothing(204)),
  reply('lead.convert', 'empty-200', put.nothing(200)),
  reply('lead.convert', 'success-alone', () => ({ success: true })),
  reply('lead.convert', 'message-alone', () => ({ message: 'Lead converted' })),
  reply('lead.convert', 'created-201', put.status(201, put.beside('data', { success: true }))),
  reply('lead.convert', 'accepted-202', put.status(202, put.beside('data', { success: true }))),
  reply(
    'lead.convert',
    'location',
    (data) => new Answer(201, undefined, { location: `/api/projects/${obj(data).auditId}` }),
  ),
  reply(
    'lead.convert',
    'text-plain',
    () => new Answer(200, Buffer.from('converted'), { 'content-type': 'text/plain' }),
  ),
  reply(
    'lead.convert',
    'other-audit-id',
    then(
      having(() => ({ auditId: '00000000-0000-4000-8000-000000000001' })),
      put.beside('data', { success: true }),
    ),
  ),
  reply(
    'lead.convert',
    'number-audit-id',
    then(
      having(() => ({ auditId: 815 })),
      put.beside('data', { success: true }),
    ),
  ),
  ...(
    [
      // What the service says, and what that is in whole credits; where it is none, the price.
      ['text', '1000', 1000],
      ['fraction', 999.5, 1000],
      ['half', 0.5, 1],
      ['more', 1250, 1250],
      ['zero', 0, 0],
      ['huge', 1e300, 1000],
      ['negative', -1000, 1000],
      ['null', null, 1000],
      ['word', 'one thousand', 1000],
    ] as const
  ).map(([name, used, says]) =>
    reply(
      'lead.convert',
      `credits-used-${name}`,
      then(
        having(() => ({ creditsUsed: used })),
        put.beside('data', { success: true }),
      ),
      { says },
    ),
  ),
  reply('lead.convert', 'no-credits-used', then(put.without('creditsUsed'), put.beside('data', { success: true }))),

  // The project list.
  ...whole('projects.list', 'projects'),
  ...pages('projects.list', 'projects'),
  reply('projects.list', 'unpaged-of-10', under('projects'), { has: { projects: 10 }, knows: { paging: 'none' } }),
  reply('projects.list', 'unpaged-of-20', (all) => all, { has: { projects: 20 }, knows: { paging: 'none' } }),
  reply('projects.list', 'no-description', then(each(put.without('description')), under('projects'))),
  reply('projects.list', 'null-description', then(each(having(() => ({ description: null }))), under('projects'))),
  reply(
    'projects.list',
    'short-description',
    then(
      each(having(({ description }) => ({ description: String(description ?? '').slice(0, 12) }))),
      under('projects'),
    ),
  ),
  reply(
    'projects.list',
    'escaped-description',
    then(
      each(
        having(({ description }) => ({
          description: String(description ?? '').replace(/[^\w ]/g, (c) => `&#${c.charCodeAt(0)};`),
        })),
      ),
      under('projects'),
    ),
  ),
  reply(
    'projects.list',
    'names-as-name',
    then(
      each((project) => ({ ...obj(put.without('clientName')(project)), name: obj(project).clientName ?? null })),
      under('projects'),
    ),
  ),
  reply('projects.list', 'oldest-first', (all) => ({ projects: [...arr(all)].reverse() })),
  reply('projects.list', 'snake', then(put.snake, under('projects'))),
  reply(
    'projects.list',
    'epoch-ms',
    then(
      put.dates((ms) => ms),
      under('projects'),
    ),
  ),
  request('projects.list', 'names-refused-400', projectQuery({ take: 'limit', skip: 'offset' }, 400), {
    knows: { limit: 'take', offset: 'skip' },
    has: { projects: 7 },
  }),
  request('projects.list', 'names-refused-422', projectQuery({ take: 'limit', skip: 'offset' }, 422), {
    knows: { limit: 'take', offset: 'skip' },
    has: { projects: 7 },
  }),
  request('projects.list', 'limit-refused-422', projectQuery({ page_size: 'limit', offset: 'offset' }, 422), {
    knows: { limit: 'page_size' },
    has: { projects: 7 },
  }),
  form(
    'projects.list',
    'names-ignored',
    () => ({
      request: projectQuery({ take: 'limit', skip: 'offset' }, 'ignored'),
      reply: paged({ offset: 'skip', size: 'take', usual: 2 }, ({ items, total }) => ({ projects: items, total })),
    }),
    { knows: { limit: 'take', offset: 'skip' }, has: { projects: 7 } },
  ),

  // One project.
  ...enveloped('project.get', 'project'),
  reply('project.get', 'snake', put.snake),
  reply(
    'project.get',
    'flags-text',
    having((p) => ({ hasAnalysis: String(p.hasAnalysis), hasInterviewAnalysis: String(p.hasInterviewAnalysis) })),
  ),
  reply(
    'project.get',
    'flags-numbers',
    having((p) => ({ hasAnalysis: p.hasAnalysis ? 1 : 0, hasInterviewAnalysis: p.hasInterviewAnalysis ? 1 : 0 })),
  ),
  reply('project.get', 'no-documents', put.without('documents')),
  reply(
    'project.get',
    'documents-null',
    having(() => ({ documents: null })),
  ),
  reply(
    'project.get',
    'documents-upper-case',
    having(({ documents }) => ({
      documents: arr(documents).map((d) => ({ ...obj(d), fileName: String(obj(d).fileName).toUpperCase() })),
    })),
  ),
  reply(
    'project.get',
    'documents-without-extension',
    having(({ documents }) => ({
      documents: arr(documents).map((d) => ({ ...obj(d), fileName: String(obj(d).fileName).replace(/\.\w+$/, '') })),
    })),
  ),
  reply(
    'project.get',
    'documents-renamed',
    having(({ documents }) => ({
      documents: arr(documents).map((d, i) => ({ ...obj(d), fileName: `1763770000-${i}.bin` })),
    })),
  ),
  reply(
    'project.get',
    'documents-status-upper-case',
    put.statuses((s) => s.toUpperCase()),
  ),
  reply(
    'project.get',
    'documents-status-ready',
    having(({ documents }) => ({
      documents: arr(documents).map((d) => ({
        ...obj(d),
        uploadStatus: obj(d).uploadStatus === 'uploaded' ? 'ready' : 'queued',
      })),
    })),
  ),
  reply(
    'project.get',
    'documents-no-status',
    having(({ documents }) => ({ documents: arr(documents).map(put.without('uploadStatus')) })),
  ),
  reply(
    'project.get',
    'documents-snake',
    having(({ documents }) => ({ documents: arr(documents).map(put.snake) })),
  ),
  reply('project.get', 'no-description', put.without('description')),

  // What a creation answers.
  ...enveloped('project.create', 'project'),
  reply('project.create', 'id-alone', renamed({ id: 'id' })),
  reply('project.create', 'project-id', renamed({ projectId: 'id' })),
  reply('project.create', 'project_id', renamed({ project_id: 'id' })),
  reply('project.create', 'data-project-id', then(renamed({ projectId: 'id' }), under('data'))),
  reply('project.create', 'job-id-too', (p) => ({ id: 'job-5', type: 'job', projectId: obj(p).id ?? null })),
  reply('project.create', 'job-and-project', (project) => ({ job: { id: 'job-5', status: 'queued' }, project })),
  reply('project.create', 'user-and-project', (project) => ({ user: { id: 'u-1' }, id: 'req-9', project })),
  reply('project.create', 'snake', put.snake),
  reply(
    'project.create',
    'number-id',
    having(() => ({ id: 99 })),
  ),
  reply('project.create', 'ok-200', put.status(200)),
  reply('project.create', 'accepted-202', put.status(202)),
  reply('project.create', 'no-content', put.nothing(204)),
  reply('project.create', 'empty-201', put.nothing(201)),
  reply(
    'project.create',
    'success-alone',
    put.status(201, () => ({ success: true })),
  ),
  reply('project.create', 'location', (p) => new Answer(201, undefined, { location: `/api/projects/${obj(p).id}` })),
  reply(
    'project.create',
    'text-plain',
    () => new Answer(201, Buffer.from('created'), { 'content-type': 'text/plain' }),
  ),
  request('project.create', 'description-refused', (asking) =>
    obj(asking.json).description !== undefined && String(obj(asking.json).description).length > 2000
      ? new Answer(400, { error: 'description too long' })
      : asking,
  ),

  // Documents.
  ...enveloped('document.upload', 'document', ['bare', 'data', 'data-named', 'array', 'json-api', 'success-data']),
  reply('document.upload', 'file-id', (d) => ({ fileId: obj(d).id ?? null })),
  reply('document.upload', 'documents', (d) => ({ documents: [d] })),
  reply('document.upload', 'no-content', put.nothing(204)),
  reply('document.upload', 'empty-201', put.nothing(201)),
  reply('document.upload', 'address-alone', (d) => ({ url: `https://files.example.com/${obj(d).id}` })),
  reply('document.upload', 'accepted-202', put.status(202, under('document'))),
  reply(
    'document.upload',
    'renamed',
    then(
      having(() => ({ fileName: 'renamed-1.bin' })),
      under('document'),
    ),
  ),
  ...[400, 415, 422].map((code) =>
    request('document.upload', `multipart-only-${code}`, (asking) =>
      asking.contentType.startsWith('multipart/')
        ? asking
        : new Answer(code, { error: 'Content-Type must be multipart/form-data' }),
    ),
  ),
  ...[400, 415, 422].map((code) =>
    request(
      'document.upload',
      `json-only-${code}`,
      jsonUpload({ file: 'file', fileName: 'fileName', fileType: 'fileType' }, code),
    ),
  ),
  request(
    'document.upload',
    'json-only-content',
    jsonUpload({ file: 'content', fileName: 'fileName', fileType: 'fileType' }, 400),
    { knows: { file: 'content', encoding: 'json' } },
  ),
  request(
    'document.upload',
    'json-only-names-other',
    jsonUpload({ file: 'contentBase64', fileName: 'name', fileType: 'mimeType' }, 400),
    { knows: { file: 'contentBase64', fileName: 'name', fileType: 'mimeType', encoding: 'json' } },
  ),

  // Starting an audit.
  reply('audit.start', 'id', renamed({ id: 'jobId' })),
  reply('audit.start', 'job', (s) => ({ job: { id: obj(s).jobId ?? null, status: 'queued' } })),
  reply('audit.start', 'data', under('data')),
  reply('audit.start', 'data-job', (s) => ({ success: true, data: { job: { id: obj(s).jobId ?? null } } })),
  reply('audit.start', 'job_id', put.snake),
  reply('audit.start', 'task-id', (s) => ({ taskId: obj(s).jobId ?? null })),
  reply('audit.start', 'jobs', (s) => ({ jobs: [{ id: obj(s).jobId ?? null, type: 'audit' }] })),
  reply('audit.start', 'json-api', (s) => ({
    data: { type: 'job', id: obj(s).jobId ?? null, attributes: { status: 'queued' } },
  })),
  reply('audit.start', 'analysis-id-too', (s) => ({ id: 'analysis-1', jobId: obj(s).jobId ?? null })),
  reply('audit.start', 'analysis-id-alone', () => ({ analysisId: 'analysis-1', status: 'running' })),
  reply('audit.start', 'foreign-id', () => ({ id: '00000000-0000-4000-8000-00000000000a', status: 'running' })),
  reply('audit.start', 'number', () => ({ jobId: 12 })),
  reply('audit.start', 'ok-200', put.status(200)),
  reply('audit.start', 'no-content', put.nothing(204)),
  reply('audit.start', 'empty-202', put.nothing(202)),
  reply('audit.start', 'text', () => new Answer(202, Buffer.from('Accepted'), { 'content-type': 'text/plain' })),
  reply('audit.start', 'location', (s) => new Answer(202, undefined, { location: `/api/agent/jobs/${obj(s).jobId}` })),
  request('audit.start', 'wants-a-body-400', (asking) =>
    asking.json === undefined
      ? new Answer(400, { error: 'Body must be a JSON object' })
      : Object.assign(asking, { json: undefined, body: Buffer.alloc(0) }),
  ),
  request('audit.start', 'wants-a-body-415', (asking) =>
    asking.contentType.startsWith('application/json')
      ? Object.assign(asking, { json: undefined, body: Buffer.alloc(0) })
      : new Answer(415, { error: 'Content-Type must be application/json' }),
  ),
  unready('409', 409, { error: 'Missing prerequisites' }),
  unready('400-code', 400, { error: 'Not ready', code: 'PREREQUISITES_MISSING' }),
  unready('412', 412, { error: 'Precondition failed' }),
  unready('422-message', 422, { message: 'document analysis is out of date' }),
  unready('422-errors', 422, { errors: [{ field: 'hasAnalysis', message: 'stale' }] }),
  unready('424', 424, { error: 'Failed dependency' }),
  unready('428', 428, { error: 'Precondition required' }),
  unready('404', 404, { error: 'No current document analysis' }),

  // The job record.
  ...[
    'complete',
    'completed',
    'COMPLETED',
    'succeeded',
    'success',
    'done',
    'finished',
    'ready',
    'processed',
    'completed_with_warnings',
    'partial',
    'closed',
    'ok',
    'resolved',
    'fertig',
  ].map((word) => ends(word)),
  ends('complete', 'in_progress'),
  job('state', (state, { id }) => ({ jobId: id ?? null, state: state.toUpperCase() })),
  job('data-job', (state, { id }) => ({ success: true, data: { job: { id: id ?? null, status: state } } })),
  job('json-api', (state, { id }) => ({ data: { type: 'job', id: id ?? null, attributes: { status: state } } })),
  job('array', (state, { id }) => [{ id: id ?? null, status: state }]),
  job('job_status', (state, { id }) => ({ job_id: id ?? null, job_status: state })),
  job('status-object', (state) => ({ status: { state, percent: state === 'complete' ? 100 : 50 } })),
  job('done-flag', (state) => ({ done: state !== 'running' })),
  job('isComplete-flag', (state) => ({ isComplete: state === 'complete', isFailed: state === 'failed' })),
  job('progress-alone', (state) => ({ progress: state === 'complete' ? 100 : 40 })),
  job('finished-at-alone', (state, { id, finishedAt }) => ({
    id: id ?? null,
    finishedAt: state === 'running' ? null : (finishedAt ?? null),
  })),
  job('phase', (state) => ({ phase: state === 'complete' ? 'completed' : 'running' })),
  job('number-status', (state) => ({ status: state === 'complete' ? 2 : 1 })),
  job('gone-when-done', (state, { id }) =>
    state === 'complete' ? new Answer(404, { error: 'Job not found' }) : { id: id ?? null, status: state },
  ),
  job('see-other-when-done', (state, { id, projectId }) =>
    state === 'complete'
      ? new Answer(303, undefined, { location: `/api/projects/${projectId}/audit-analysis` })
      : { id: id ?? null, status: state },
  ),
  job('no-content-while-running', (state, { id }) =>
    state === 'running' ? new Answer(204) : { id: id ?? null, status: state },
  ),
  job(
    'accepted-while-running',
    (state, { id }) => new Answer(state === 'running' ? 202 : 200, { id: id ?? null, status: state }),
  ),
  job('refused-to-tokens', () => new Answer(403, { error: 'Forbidden' })),

  // What an audit yields: shown, with spellings beside.
  ...enveloped('analysis.get', 'analysis', ['data', 'success-data', 'named', 'array', 'json-api']),
  reply(
    'analysis.get',
    'upper-case-status',
    put.statuses((s) => s.toUpperCase()),
  ),
  reply(
    'analysis.get',
    'completed',
    put.statuses((s) => (s === 'complete' ? 'completed' : s)),
  ),
  reply('analysis.get', 'snake', put.snake),
  reply(
    'analysis.get',
    'epoch-ms',
    put.dates((ms) => ms),
  ),
  reply('opportunities', 'bare', (all) => all),
  reply('opportunities', 'data', under('data')),
  reply('opportunities', 'success-data-named', under('data', 'opportunities')),
  reply('opportunities', 'snake', then(put.snake, under('opportunities'))),
  reply(
    'opportunities',
    'scores-text',
    then(
      each(having((o) => ({ impactScore: String(o.impactScore), effortScore: String(o.effortScore) }))),
      under('opportunities'),
    ),
  ),
  reply('deliverables', 'bare', (d) => d),
  reply('deliverables', 'snake', then(put.snake, put.beside('data', { success: true }))),
  reply(
    'deliverables',
    'without-memos',
    then(put.without('stakeholderMemos', 'risks'), put.beside('data', { success: true })),
  ),

  // Captures: shown, but for the names of the filters and the pages.
  form('captures.list', 'most-2', () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items }) => ({ captures: items })),
  })),
  form('captures.list', 'counts-text', () => ({
    reply: paged({ offset: 'offset', size: 'limit', usual: 2, most: 2 }, ({ items, total, start }) => ({
      captures: items,
      pagination: { total: String(total), offset: String(start) },
    })),
  })),
  reply('captures.list', 'unpaged', under('captures')),
  reply('captures.list', 'bare', (all) => all),
  reply('captures.list', 'data', under('data')),
  reply('captures.list', 'data-named', under('data', 'captures')),
  reply('captures.list', 'snake', then(put.snake, under('captures'))),
  reply(
    'captures.list',
    'upper-case-statuses',
    then(
      put.statuses((s) => s.toUpperCase()),
      under('captures'),
    ),
  ),
  reply(
    'captures.list',
    'epoch-ms',
    then(
      put.dates((ms) => ms),
      under('captures'),
    ),
  ),
  reply('captures.list', 'no-raw-content', then(each(put.without('rawContent')), under('captures')), { asks: true }),
  reply(
    'captures.list',
    'short-raw-content',
    then(each(having(({ rawContent }) => ({ rawContent: `${String(rawContent).slice(0, 10)}…` }))), under('captures')),
    { asks: true },
  ),
  reply(
    'captures.list',
    'escaped-raw-content',
    then(
      each(
        having(({ rawContent }) => ({
          rawContent: String(rawContent).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/'/g, '&#39;'),
        })),
      ),
      under('captures'),
    ),
  ),
  reply('captures.list', 'null-status-of-one', then(second(having(() => ({ status: null }))), under('captures'))),
  request(
    'captures.list',
    'project-ignored',
    put.parameters({ channel: 'channel', status: 'status', limit: 'limit', offset: 'offset', project: 'projectId' }),
    { knows: { project: 'project' } },
  ),
  request(
    'captures.list',
    'project-refused-400',
    put.parameters(
      { channel: 'channel', status: 'status', limit: 'limit', offset: 'offset', project: 'projectId' },
      400,
    ),
    { knows: { project: 'project' } },
  ),
  request(
    'captures.list',
    'project-refused-422',
    put.parameters(
      { channel: 'channel', status: 'status', limit: 'limit', offset: 'offset', project_id: 'projectId' },
      422,
    ),
    { knows: { project: 'project_id' } },
  ),
  request(
    'captures.list',
    'status-ignored',
    put.parameters({ limit: 'limit', offset: 'offset', projectId: 'projectId' }),
  ),
  ...enveloped('capture.get', 'result', ['data', 'success-data', 'result']),
  reply('capture.get', 'bare-capture', (body) => ({ ...obj(obj(body).capture), items: obj(body).items ?? null })),
  reply(
    'capture.get',
    'items-null',
    having(() => ({ items: null })),
  ),
  reply('capture.get', 'no-items', put.without('items')),
  reply('capture.get', 'snake', put.snake),
  reply(
    'capture.get',
    'upper-case-status',
    put.statuses((s) => s.toUpperCase()),
  ),
  reply(
    'capture.get',
    'epoch-ms',
    put.dates((ms) => ms),
  ),
  reply(
    'capture.get',
    'number-item-ids',
    having(({ items }) => ({ items: arr(items).map((item, i) => ({ ...obj(item), id: i + 1 })) })),
  ),
  reply('capture.reprocess', 'accepted-202', put.status(202)),
  reply('capture.reprocess', 'no-content', put.nothing(204)),
  reply('capture.reprocess', 'capture', () => ({ capture: { status: 'pending' } })),
  reply('capture.reprocess', 'empty-200', put.nothing(200)),

  // Notes.
  ...enveloped('note.submit', 'capture', [
    'bare',
    'named',
    'data',
    'data-named',
    'success-data',
    'json-api',
    'array',
    'payload',
  ]),
  reply('note.submit', 'capture-id', renamed({ captureId: 'id' })),
  reply('note.submit', 'capture_id', renamed({ capture_id: 'id' })),
  reply('note.submit', 'data-id', then(renamed({ id: 'id' }), under('data'))),
  reply('note.submit', 'note-id', renamed({ noteId: 'id' })),
  reply('note.submit', 'foreign-id', () => ({ id: '00000000-0000-4000-8000-00000000000b', status: 'queued' })),
  reply('note.submit', 'job', () => ({ job: { id: 'job-1', status: 'queued' } })),
  reply(
    'note.submit',
    'queued',
    put.status(202, () => ({ queued: true })),
  ),
  reply('note.submit', 'no-content', put.nothing(204)),
  reply('note.submit', 'empty-201', put.nothing(201)),
  reply('note.submit', 'number-id', () => ({ id: 5 })),
  reply('note.submit', 'ok-200', put.status(200, under('capture'))),
  request('note.submit', 'text-400', put.fields({ text: 'content' }), { knows: { content: 'text' } }),
  request('note.submit', 'rawContent-400', put.fields({ rawContent: 'content' }), { knows: { content: 'rawContent' } }),
  request('note.submit', 'note-422', put.fields({ note: 'content' }, 422), { knows: { content: 'note' } }),
  request('note.submit', 'needs-a-title-400', put.fields({ title: 'title', content: 'content' }), {
    knows: { title: 'title' },
  }),
  request('note.submit', 'needs-a-title-422', put.fields({ title: 'title', content: 'content' }, 422), {
    knows: { title: 'title' },
  }),
  request(
    'note.submit',
    'project_id',
    (asking) =>
      obj(asking.json).projectId === undefined
        ? put.fields({ content: 'content' })(asking)
        : new Answer(400, { error: 'Unknown field: projectId' }),
    { knows: { project: 'project_id' } },
  ),

  // What `callApi` hands on.
  ...whole('contacts.list', 'contacts').filter(({ name }) => !/values|rows/.test(name)),
  ...enveloped('link.create', 'readylink', ['bare', 'named', 'data', 'json-api', 'array']),
  reply('link.create', 'no-content', put.nothing(204)),
  reply('link.create', 'text', () => new Answer(201, Buffer.from('created'), { 'content-type': 'text/plain' })),
  reply('memories.list', 'data', under('data')),
  reply('memories.list', 'map', (all) => Object.fromEntries(arr(all).map((one) => [String(obj(one).id), one]))),

  // How refusals are put.
  ...(
    [
      ['message', (_: number, message: string) => ({ message })],
      ['errors', (_: number, message: string) => ({ errors: [{ message }] })],
      ['errors-text', (_: number, message: string) => ({ errors: [message] })],
      ['error-object', (status: number, message: string) => ({ error: { message, status } })],
      ['detail', (_: number, detail: string) => ({ detail })],
      [
        'problem',
        (status: number, detail: string) =>
          new Answer(
            status,
            { type: 'about:blank', title: 'Bad Request', status, detail },
            { 'content-type': 'application/problem+json' },
          ),
      ],
      ['success-false', (_: number, message: string) => ({ success: false, message })],
      ['empty', (status: number) => new Answer(status)],
      [
        'text',
        (status: number, message: string) => new Answer(status, Buffer.from(message), { 'content-type': 'text/plain' }),
      ],
      ['status-422', (_: number, error: string) => new Answer(422, { error })],
      ['status-409', (_: number, error: string) => new Answer(409, { error })],
    ] as const
  ).map(([name, refusal]) => form('refusal', name, () => ({ refusal }))),

  // Everything at once.
  ...['snake', 'pascal'].map((name) =>
    form('everywhere', name, () => ({ reply: name === 'snake' ? put.snake : put.pascal })),
  ),
  reply(
    'everywhere',
    'upper-case-statuses',
    put.statuses((s) => s.toUpperCase()),
  ),
  reply(
    'everywhere',
    'epoch-ms',
    put.dates((ms) => ms),
  ),
  reply(
    'everywhere',
    'epoch-s',
    put.dates((ms) => Math.floor(ms / 1000)),
  ),
  reply(
    'everywhere',
    'dates-with-offset',
    put.dates((ms) => new Date(ms + 7_200_000).toISOString().replace('Z', '+02:00')),
  ),
  reply(
    'everywhere',
    'dates-without-zone',
    put.dates((ms) => new Date(ms).toISOString().replace('Z', '')),
  ),
  identified('numeric-ids', (n) => 1000 + n),
  identified('number-text-ids', (n) => String(1000 + n)),
  identified('slashed-ids', (n) => `rec/${n}`),
  identified('object-ids', (n) => `65f0c0ffee0000000000${String(n).padStart(4, '0')}`),
  identified('prefixed-ids', (n) => `id_${n}.v1:eu`),
  identified('upper-case-ids', (_, id) => id.toUpperCase()),
  encoded('gzip', (bytes) => gzipSync(bytes)),
  encoded('br', (bytes) => brotliCompressSync(bytes)),
  request('everywhere', 'redirect-307', redirecting(307)),
  request('everywhere', 'redirect-308', redirecting(308)),
  reply('everywhere', 'all-200', put.status(200)),
  reply('everywhere', 'byte-order-mark', (body) => new Answer(200, Buffer.from(`\ufeff${JSON.stringify(body)}`))),
  reply(
    'everywhere',
    'content-type-text',
    (body) => new Answer(200, Buffer.from(JSON.stringify(body)), { 'content-type': 'text/plain' }),
  ),
];

/** Takes documents as JSON with base64, and hands them to the sandbox as a form. */
function jsonUpload(names: { file: string; fileName: string; fileType: string }, code: number) {
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
