/** Lists are read to their end however the service counts their pages, and never for ever. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { checkFilter } from '../../activities/list-filters';
import { type ListPage, type ListPlace, readPage } from '../../activities/list-pages';
import type { Lead } from '../../src/agent-api/records';
import { FailureType } from '../../src/runs/failure-types';
import { closeAll } from '../agent-api/server';
import { asActivity, type Service, serviceOf } from './service';

afterEach(closeAll);

const leads = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `lead-${i}`, surveyStatus: 'completed', clientName: `Client ${i}` }));
const ORDER = { sort: 'created_at', direction: 'asc' };

/** All pages. */
async function readAll({ runtime }: Service, asked = 500) {
  const ids: string[] = [];
  let last: ListPage<Lead> | undefined;
  let place: ListPlace | undefined = { offset: 0 };
  for (let pages = 0; place !== undefined && pages < 50; pages++) {
    const from: ListPlace = place;
    last = await asActivity(() =>
      readPage(runtime, 'leads.list', { filter: { status: 'active' }, order: ORDER, limit: asked }, from),
    );
    ids.push(...last.items.map(({ id }) => id));
    place = last.following;
  }
  return { count: new Set(ids).size, listed: ids.length, cut: last?.cut, mend: last?.mend };
}

const number = (query: URLSearchParams, name: string, otherwise: number) => Number(query.get(name) ?? otherwise);
const page = (all: object[], from: number, size: number) => all.slice(from, from + size);

type Case = [name: string, reply: (query: URLSearchParams) => object | number, settings?: object];

describe('all leads are read, each once,', () => {
  const all = leads(45);
  const cases: Case[] = [
    [
      'by offsets, with counts as text',
      (q) => ({
        data: page(all, number(q, 'offset', 0), 20),
        pagination: { limit: '20', offset: `${number(q, 'offset', 0)}`, total: '45' },
      }),
    ],
    [
      'by cursors',
      (q) => {
        const from = number(q, 'cursor', 0);
        return { results: page(all, from, 20), nextCursor: from + 20 < 45 ? `${from + 20}` : null };
      },
    ],
    [
      'by links to elsewhere',
      (q) => {
        const from = number(q, 'start_at', 0);
        return {
          leads: page(all, from, 20),
          next: from + 20 < 45 ? `https://inside.example/leads?start_at=${from + 20}` : null,
        };
      },
    ],
    [
      'by offsets, with a place for a cursor that stays empty',
      (q) => ({
        data: page(all, number(q, 'offset', 0), 20),
        pagination: { offset: number(q, 'offset', 0), total: 45, nextCursor: null },
      }),
    ],
    [
      'by page numbers from 1',
      (q) => ({ leads: page(all, (number(q, 'page', 1) - 1) * 20, 20), page: number(q, 'page', 1), total: 45 }),
    ],
    [
      'by page numbers from 0',
      (q) => ({
        content: page(all, number(q, 'page', 0) * 20, 20),
        number: number(q, 'page', 0),
        last: number(q, 'page', 0) === 2,
      }),
    ],
    ['by page numbers that it does not show', (q) => ({ leads: page(all, (number(q, 'page', 1) - 1) * 20, 20) })],
    ['by page numbers from 0 that it does not show', (q) => ({ leads: page(all, number(q, 'page', 0) * 20, 20) })],
    [
      'by hasMore',
      (q) => ({ leads: page(all, number(q, 'offset', 0), 20), hasMore: number(q, 'offset', 0) + 20 < 45 }),
    ],
    ['at once', () => all],
    [
      'by a cursor of another name, which a setting says',
      (q) => {
        const from = number(q, 'bookmark', 0);
        return { leads: page(all, from, 20), cursor: { next: from + 20 < 45 ? `${from + 20}` : null } };
      },
      { leadsList: { cursor: 'bookmark' } },
    ],
  ];
  test.each(cases.map(([name, reply, settings = {}]) => ({ name, reply, settings })))(
    '$name',
    async ({ reply, settings }) => {
      const service = await serviceOf(reply, settings);
      expect(await readAll(service)).toMatchObject({ count: 45, listed: 45, cut: undefined });
      // An inner address is never followed: only its query is.
      expect(service.seen.every(({ url }) => url.startsWith('/api/lead-generation/leads?'))).toBe(true);
      expect(service.seen.every(({ url }) => url.includes('status=active'))).toBe(true);
    },
  );

  test('by the Link header', async () => {
    const all60 = leads(60);
    const service = await serviceOf(
      (q) => page(all60, number(q, 'from', 0), 30),
      {},
      (q) =>
        number(q, 'from', 0) === 0 ? { link: '</api/lead-generation/leads?from=30>; rel="next", <x>; rel="last"' } : {},
    );
    expect(await readAll(service)).toMatchObject({ count: 60, listed: 60, cut: undefined });
  });
});

describe.each([10, 20, 25, 50])('S2: pages of %i, without a word of how many there are,', (size) => {
  const byOffset = (all: object[]) => (q: URLSearchParams) => ({ leads: page(all, number(q, 'offset', 0), size) });
  const byNumber = (all: object[]) => (q: URLSearchParams) => ({
    leads: page(all, (number(q, 'page', 1) - 1) * size, size),
  });
  const ways = { 'by offsets': byOffset, 'by page numbers': byNumber };

  test.each(Object.entries(ways))('are read to the last, %s', async (_, way) => {
    for (const count of [6 * size, 6 * size + 3]) {
      const service = await serviceOf(way(leads(count)));
      expect(await readAll(service)).toMatchObject({ count, listed: count, cut: undefined });
    }
  });

  test('end where the last page is given again beyond the end, and may be cut', async () => {
    const all = leads(3 * size);
    const service = await serviceOf((q) => ({
      leads: page(all, (Math.min(number(q, 'page', 1), 3) - 1) * size, size),
    }));
    expect(await readAll(service)).toMatchObject({ count: 3 * size, listed: 3 * size, cut: 'perhaps' });
    expect(service.seen.length).toBeLessThanOrEqual(6);
  });
});

test.each([10, 20])('a list of just %i that has no pages is neither asked for for ever nor cut', async (count) => {
  const service = await serviceOf(() => leads(count));
  expect(await readAll(service)).toMatchObject({ count, listed: count, cut: 'perhaps' });
  expect(service.seen.length).toBeLessThanOrEqual(4);
  await readAll(service);
  // What was found out is remembered.
  expect(service.seen.length).toBeLessThanOrEqual(6);
});

test('a list that goes on, and cannot be had, is told with its setting', async () => {
  const service = await serviceOf(() => ({ data: leads(20), total: 300 }));
  expect(await readAll(service)).toMatchObject({ listed: 20, cut: 'more', mend: 'undocumented.leadsList.offset' });
  const cursors = await serviceOf(() => ({ data: leads(20), nextCursor: 'b' }));
  expect(await readAll(cursors)).toMatchObject({ cut: 'more', mend: 'undocumented.leadsList.cursor' });
});

describe('records that are shown again', () => {
  const all = leads(1_200);
  const from = (q: URLSearchParams) => number(q, 'offset', 0);
  /** A page that has the first lead of all once more, as where many were created at the same moment. */
  const repeating = (q: URLSearchParams, at: number) =>
    from(q) === 500 ? page(all, 499, 500).toSpliced(at, 1, all[0] ?? {}) : page(all, from(q), 500);
  const shown = (q: URLSearchParams) => ({ pagination: { limit: 500, offset: from(q), total: 1_200 } });

  test.each([
    ['within a later page', 7, () => ({ total: 1_200 })],
    ['within a later page of a service that says where that is', 7, shown],
    ['at the beginning of a page of a service that says where that is', 0, shown],
  ])('%s do not end the list', async (_, at, paging) => {
    const service = await serviceOf((q) => ({ data: repeating(q, at), ...paging(q) }));
    expect(await readAll(service)).toMatchObject({ listed: 1_200, cut: undefined });
    expect(service.seen).toHaveLength(3);
  });

  test('as a whole page are the same page, whatever the service says of its place', async () => {
    const paging = (q: URLSearchParams) => ({ pagination: { limit: 500, offset: from(q), total: 1_000 } });
    const service = await serviceOf((q) => ({ data: page(all, 0, 500), ...paging(q) }));
    expect(await readAll(service)).toMatchObject({ listed: 500, cut: 'more' });
    const numbered = await serviceOf((q) => ({
      data: page(all, (number(q, 'page', 1) - 1) * 500, 500),
      pagination: { offset: from(q), total: 1_000 },
    }));
    expect(await readAll(numbered)).toMatchObject({ count: 1_000, listed: 1_000, cut: undefined });
  });

  test('as the same page, under a link to another one: new records have pushed the list on', async () => {
    const pushed = await serviceOf((q) => {
      const at = number(q, 'after', 0);
      const from = at < 60 ? at : at - 20;
      return { leads: page(leads(60), from, 20), links: { next: at < 60 ? `/?after=${at + 20}` : null } };
    });
    const { count, cut } = await readAll(pushed);
    expect({ count, cut }).toEqual({ count: 60, cut: undefined });
    // A link that leads nowhere new, however often it is named anew, is given up.
    const stuck = await serviceOf((q) => ({
      leads: page(leads(60), 0, 20),
      links: { next: `/?after=${number(q, 'after', 0) + 20}` },
    }));
    expect(await readAll(stuck)).toMatchObject({ count: 20, cut: 'more' });
    expect(stuck.seen.length).toBeLessThan(30);
  });

  test('as the first page, under the cursor of the last: it has come round, and is given up', async () => {
    const round = await serviceOf((q) => {
      const at = number(q, 'cursor', 0);
      return { leads: page(leads(60), at, 20), total: 60, nextCursor: at + 20 < 60 ? `${at + 20}` : '0' };
    });
    expect(await readAll(round)).toMatchObject({ count: 60, listed: 60 });
    expect(round.seen.length).toBeLessThan(6);
  });

  test('as a page that has changed a little end the list at the third', async () => {
    const lists = [all, all.toSpliced(499, 1), all.toSpliced(498, 1)];
    const service = await serviceOf((q) => ({ data: page(lists.shift() ?? all, 0, 500), ...shown(q) }));
    expect(await readAll(service)).toMatchObject({ cut: 'more' });
    expect(service.seen).toHaveLength(3);
  });
});

describe('S2: a page without records', () => {
  const all = leads(45);

  test('is passed where the service names the next one', async () => {
    const service = await serviceOf((q) => {
      const at = number(q, 'cursor', 0);
      // Every other page is empty, as where a filter is applied to pages that were cut before.
      return {
        leads: at % 2 === 0 ? [] : page(all, ((at - 1) / 2) * 20, 20),
        ...(at < 6 && { nextCursor: `${at + 1}` }),
      };
    });
    expect(await readAll(service)).toMatchObject({ count: 45, listed: 45, cut: undefined });
    const numbered = await serviceOf((q) => {
      const at = number(q, 'page', 1);
      return { leads: at % 2 === 1 ? [] : page(all, (at / 2 - 1) * 20, 20), page: at, hasMore: at < 6 };
    });
    expect(await readAll(numbered)).toMatchObject({ count: 45, listed: 45, cut: undefined });
  });

  test.each([
    ['it says that there is more', { leads: [], hasMore: true }, 'more', 1],
    ['it names the same page again', { leads: [], nextCursor: 'b', hasMore: true }, 'more', 2],
    [
      'it says so behind a page that it named, and names none',
      (q: URLSearchParams) => ({ leads: [], hasMore: true, ...(!q.has('cursor') && { nextCursor: 'b' }) }),
      'more',
      2,
    ],
    ['nothing but the same name', { leads: [], nextCursor: 'b' }, undefined, 2],
    ['it says that this was all', { leads: [], nextCursor: 'b', hasMore: false }, undefined, 1],
    ['a total that counts without the filter', { leads: [], total: 300 }, undefined, 1],
  ])('as the only one: %s', async (_, body, cut, asked) => {
    const service = await serviceOf(typeof body === 'function' ? body : () => body);
    expect(await readAll(service)).toMatchObject({ listed: 0, cut });
    expect(service.seen).toHaveLength(asked);
  });

  test('and another, and another: not for ever', async () => {
    const service = await serviceOf((q) => ({ leads: [], nextCursor: `${number(q, 'cursor', 0) + 1}` }));
    expect(await readAll(service)).toMatchObject({ listed: 0, cut: 'perhaps' });
    expect(service.seen.length).toBeLessThan(30);
  });

  test('behind the deepest offset is not the end, by the total', async () => {
    const many = leads(2_000);
    const deepest = (q: URLSearchParams) =>
      number(q, 'offset', 0) < 1_000 ? page(many, number(q, 'offset', 0), 100) : [];
    const service = await serviceOf((q) => ({ leads: deepest(q), total: 2_000 }));
    expect(await readAll(service, 100)).toMatchObject({ listed: 1_000, cut: 'more' });
    // More are asked for than the service gives.
    expect(await readAll(service, 500)).toMatchObject({ listed: 1_000, cut: 'more' });
  });

  test.each([7, 20])(
    'behind %i is the end, where the place for the next is empty and a total counts more',
    async (count) => {
      const service = await serviceOf((q) => ({
        leads: page(leads(count), number(q, 'offset', 0), 500),
        ...{ nextCursor: null, total: 300 },
      }));
      expect(await readAll(service)).toMatchObject({ count, listed: count, cut: undefined });
      expect(service.seen.length).toBeLessThan(3);
    },
  );

  test.each([7, 20])('behind %i is the end, though the total counts without the filter', async (count) => {
    const service = await serviceOf((q) => ({ leads: page(leads(count), number(q, 'offset', 0), 500), total: 300 }));
    expect(await readAll(service)).toMatchObject({ count, listed: count, cut: undefined });
  });
});

test('a service that refuses names is asked which, and all of them are told at once', async () => {
  const takes = ['status', 'sort', 'take', 'skip'];
  const all = leads(45);
  const reply = (q: URLSearchParams) => {
    if ([...q.keys()].some((name) => !takes.includes(name))) return 400;
    const from = number(q, 'skip', 0);
    return { data: page(all, from, number(q, 'take', 20)), pagination: { limit: 20, offset: from, total: 45 } };
  };
  const service = await serviceOf(reply);
  const { mend } = await readAll(service);
  expect(mend).toBe('undocumented.leadsList.offset (it refuses undocumented.leadsList.limit, too)');
  expect(service.seen.at(-1)?.url).toContain('sort=created_at');
  const corrected = await serviceOf(reply, { leadsList: { offset: 'skip' } });
  expect(await readAll(corrected)).toMatchObject({ count: 45, cut: undefined });
});

test('two who find out at once which names are refused both get the list', async () => {
  const late: (() => void)[] = [];
  const all = leads(5);
  let refusals = 0;
  const service = await serviceOf(async (q) => {
    if (!q.has('limit')) return { leads: all };
    refusals++;
    // The first two wait for each other, and so do those that try this name alone.
    if (refusals % 2 === 1) await new Promise<void>((resolve) => void late.push(resolve));
    else late.pop()?.();
    return 400;
  });
  const [one, other] = await Promise.all([readAll(service), readAll(service)]);
  expect([one.count, other.count]).toEqual([5, 5]);
});

test('a refusal that has nothing to do with the parameters is told as it is', async () => {
  const service = await serviceOf(() => 400);
  await expect(readAll(service)).rejects.toMatchObject({ type: 'Refused' });
});

describe('B8: a list that ignores the filter by survey link', () => {
  const LINK = 'c1f0a0de-0000-4000-8000-000000000001';
  const OTHER = 'c1f0a0de-0000-4000-8000-000000000002';
  const check = ({ runtime }: Service, records: Partial<Lead>[]) =>
    asActivity(() =>
      checkFilter<Partial<Lead>>(
        runtime,
        {
          ...{
            route: 'leads.list',
            parameter: 'surveyLink',
            setting: 'undocumented.leadsList.surveyLink',
            wanted: LINK,
          },
          shown: ({ staticSlugId }) => staticSlugId,
        },
        records,
      ),
    );
  const ignored = { type: 'WrongGuess', message: expect.stringContaining('undocumented.leadsList.surveyLink') };

  test('is stopped at the first record of another link, and costs no call where all show theirs', async () => {
    const service = await serviceOf(() => leads(3));
    await expect(check(service, [{ staticSlugId: LINK }, { staticSlugId: OTHER }])).rejects.toMatchObject(ignored);
    await check(service, [{ staticSlugId: LINK }, { staticSlugId: LINK.toUpperCase() }]);
    expect(service.seen).toHaveLength(0);
  });

  test('is found out where records do not show their link: it lists leads of one that nobody has', async () => {
    const service = await serviceOf(() => leads(3));
    await expect(check(service, [{}, { staticSlugId: LINK }])).rejects.toMatchObject(ignored);
  });

  test.each([
    { data: null, error: 'x' },
    { message: 'x', details: [] },
  ])('is not cleared by %j', async (body) => {
    let isWell = false;
    const service = await serviceOf(() => (isWell ? leads(3) : body));
    await expect(check(service, [{}])).rejects.toThrow();
    isWell = true;
    await expect(check(service, [{}])).rejects.toMatchObject(ignored);
  });

  test.each<[string, (query: URLSearchParams) => object | number]>([
    ['an empty list', (q) => (q.get('staticSlugId') === LINK ? leads(3) : [])],
    ['404', () => 404],
    ['400', () => 400],
  ])('is cleared by %s for such a link, once', async (_, reply) => {
    const service = await serviceOf(reply);
    await check(service, [{}]);
    await check(service, [{}]);
    expect(service.seen).toHaveLength(1);
  });
});

test('S5: each further way to a page is another task, and numbers come first once they were the way', async () => {
  const all = leads(45);
  const { runtime, seen } = await serviceOf((q) => ({ leads: page(all, (number(q, 'page', 1) - 1) * 20, 20) }));
  const read = (place: ListPlace, survey = 'a') =>
    new MockActivityEnvironment().run(() =>
      readPage(runtime, 'leads.list', { filter: { surveyLink: survey }, limit: 20 }, place),
    );
  const { following } = (await read({ offset: 0 })) as ListPage<Lead>;
  if (!following) throw new Error('the list ends');
  // By the records before it, by page 1, and by page 2.
  for (const asked of [2, 3]) {
    await expect(read(following)).rejects.toMatchObject({ type: FailureType.waiting });
    expect(seen).toHaveLength(asked);
  }
  expect(await read(following)).toMatchObject({ items: all.slice(20, 40).map(({ id }) => ({ id })) });
  await expect(read(following, 'b')).rejects.toMatchObject({ type: FailureType.waiting });
  expect(await read(following, 'b')).toMatchObject({ items: all.slice(20, 40).map(({ id }) => ({ id })) });
  expect(seen).toHaveLength(6);
});

test.each([
  ['from 0', 0],
  ['from 1', 1],
])(
  'S2: lists of a service that counts pages %s are all read whole, however their tasks take turns',
  async (_, from) => {
    const all = leads(45);
    const { runtime } = await serviceOf((q) => ({ leads: page(all, (number(q, 'page', from) - from) * 20, 20) }));
    const listing = (survey: string) => {
      let place: ListPlace | undefined = { offset: 0 };
      const ids: string[] = [];
      return {
        ids,
        /** One task. @returns whether there is more to do */
        async step() {
          if (!place) return false;
          const at = place;
          const asked = { filter: { surveyLink: survey }, limit: 20 };
          const got = await new MockActivityEnvironment()
            .run(() => readPage(runtime, 'leads.list', asked, at))
            .then(
              (read) => read as ListPage<Lead>,
              (error) => {
                if (error.type !== FailureType.waiting) throw error;
              },
            );
          if (got) {
            ids.push(...got.items.map(({ id }) => id));
            place = got.following;
          }
          return true;
        },
      };
    };
    const lists = ['a', 'b', 'c'].map(listing);
    // The third begins when the others have found out.
    for (let n = 0; n < 30; n++) for (const list of n < 5 ? lists.slice(0, 2) : lists) await list.step();
    for (const { ids } of lists) expect(ids).toEqual(all.map(({ id }) => id));
  },
);

test.each([
  ['from 0', 0],
  ['from 1', 1],
])(
  'a list that fills its only page keeps none of a service that counts pages %s from being read whole',
  async (_, from) => {
    const all = leads(45);
    // Beyond the end the last page is given again.
    const pageOf = (of: object[], nth: number) => page(of, Math.min(nth, Math.ceil(of.length / 20) - 1) * 20, 20);
    const service = await serviceOf((q) => {
      const of = q.get('status') === 'archived' ? all.slice(0, 20) : all;
      return { leads: pageOf(of, number(q, 'page', from) - from) };
    });
    const whole = await readAll(service);
    expect(whole.count).toBe(45);
    const { runtime } = service;
    const full = { filter: { status: 'archived' }, limit: 500 };
    const first = await asActivity(() => readPage(runtime, 'leads.list', full, { offset: 0 }));
    const { following } = first;
    if (!following) throw new Error('it may go on');
    expect(await asActivity(() => readPage(runtime, 'leads.list', full, following))).toMatchObject({ items: [] });
    expect((await readAll(service)).count).toBe(45);
  },
);
