/** One record, or a list, under any legitimate wrapping: known by its fields, or an error that names the setting and the keys. */
import { type RouteName, routes, type Undocumented as Settings } from '../../src/agent-api';
import { Undocumented } from '../../src/agent-api/undocumented';

const read = (name: RouteName, body: unknown, settings: object = {}, id?: string): unknown =>
  routes[name].read(body, Undocumented.parse(settings) as Settings, { id });

const lead = { id: 'l1', surveyStatus: 'completed', clientName: 'Ada', staticSlugId: 's1' };
const { id, ...attributes } = lead;

describe('one record', () => {
  test.each([
    ['bare', lead],
    ['surveyResponse', { surveyResponse: lead }],
    ['item', { item: lead, status: 'success' }],
    ['response', { id: 'request-1', response: lead }],
    ['payload in payload', { payload: { payload: lead } }],
    ['an array of one', [lead]],
    ['an array of one in data', { success: true, data: [lead] }],
    ['JSON:API', { data: { id, type: 'leads', attributes } }],
    ['a graph', { data: { surveyResponse: { node: lead } }, errors: null }],
    ['beside others', { meta: { id: 'm' }, lead, owner: { id: 'u', clientName: 'Ada' } }],
    [
      'snake_case',
      { survey_response: { id: 'l1', survey_status: 'COMPLETED', client_name: 'Ada', static_slug_id: 's1' } },
    ],
    ['PascalCase', { Id: 'l1', SurveyStatus: 'Completed', ClientName: 'Ada', StaticSlugId: 's1' }],
  ])('%s', (_, body) => {
    expect(read('leads.get', body, {}, 'l1')).toMatchObject(lead);
  });

  test('S2: the record of another lead is not the one that was asked for', () => {
    expect(() => read('leads.get', { lead }, {}, 'l2')).toThrow("'undocumented.records.lead'");
    expect(read('leads.get', { previous: { ...lead, id: 'l0' }, next: lead }, {}, 'l1')).toMatchObject(lead);
  });

  test('where two could be meant, a setting decides', () => {
    const body = { before: lead, after: { ...lead, surveyStatus: 'converted' } };
    expect(() => read('leads.get', body, {}, 'l1')).toThrow(/before and after.*'undocumented\.records\.lead'/);
    const named = { records: { lead: 'after' } };
    expect(read('leads.get', body, named, 'l1')).toMatchObject({ surveyStatus: 'converted' });
  });

  test('S4: what cannot be read is told by its keys, never by a value', () => {
    const body = { envelope: { answer: 'Zeb', 'Zeb Smith': 1 }, people: { a1: { n: 'Zeb' }, a2: { n: 'Ada' } } };
    const problem = () => read('leads.get', body, {}, 'l1');
    expect(problem).toThrow('its keys: envelope, envelope.answer, envelope.*, people');
    expect(problem).not.toThrow(/Zeb|Ada|a1/);
  });

  test('numbers are IDs where they are exact, and moments may be numbers', () => {
    const body = {
      id: 17,
      survey_status: 'PENDING',
      clientName: 'Ada',
      createdAt: 1_767_225_600,
      updatedAt: 1_767_225_600_500,
    };
    expect(read('leads.get', { data: body }, {}, '17')).toMatchObject({
      id: '17',
      surveyStatus: 'pending',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.500Z',
    });
    expect(() => read('leads.get', { ...lead, id: 2 ** 60 }, {}, 'l1')).toThrow('no lead');
  });

  test.each([
    [{ id: 'job-1', status: 'queued' }],
    [{ job: { id: 'job-1', status: 'pending', projectId: 'p1' } }],
    [{ id: 'request-1' }],
  ])('S3: the ID of a job or a request is not that of a new project: %j', (body) => {
    expect(() => read('projects.create', body)).toThrow("'undocumented.records.project'");
  });

  test('what a conversion used and became is found beside its project', () => {
    const data = { audit_id: 42, credits_used: '1000', pdf_attached: true };
    const expected = { auditId: '42', creditsUsed: 1_000 };
    expect(read('leads.convert', { result: { conversion: data }, project: { id: 'p' } }, {}, 'l1')).toMatchObject(
      expected,
    );
    expect(read('leads.convert', [data], {}, 'l1')).toMatchObject(expected);
  });

  test('a capture stands beside its items, or around them', () => {
    const items = [{ id: 'i1', item_type: 'decision', content: 'Go' }];
    const capture = { id: 'c1', status: 'NEEDS_REVIEW', channel: 'text_note' };
    const expected = { capture: { id: 'c1', status: 'needs_review' }, items: [{ id: 'i1', itemType: 'decision' }] };
    for (const body of [
      { capture, items },
      { data: { ...capture, items } },
      { payload: { capture: { ...capture, items } } },
    ])
      expect(read('captures.get', body, {}, 'c1')).toMatchObject(expected);
    expect(read('captures.get', { capture }, {}, 'c1')).toMatchObject({ items: [] });
  });
});

describe('a list', () => {
  const two = [lead, { ...lead, id: 'l2' }];
  test.each([
    ['results', { results: two, count: 2 }],
    ['content', { content: two, totalElements: 2, number: 0, last: true }],
    ['records in a response', { response: { records: two } }],
    ['a map by ID', { leads: { l1: attributes, l2: attributes } }],
    ['a map by ID at the top', { l1: lead, l2: { ...lead, id: 'l2' } }],
    ['the edges of a graph', { data: { leads: { edges: two.map((node) => ({ node, cursor: 'x' })), totalCount: 2 } } }],
    [
      'JSON:API, beside what is included',
      {
        data: two.map((one) => ({ id: one.id, type: 'leads', attributes })),
        included: [{ id: 's1', type: 'links', attributes: { title: 'Fair' } }],
        meta: { total: '2' },
      },
    ],
    ['bare', two],
    ['each in an envelope', { items: two.map((one) => ({ lead: one })) }],
    ['snake_case', { data: two.map(({ id: key }) => ({ id: key, survey_status: 'completed', client_name: 'Ada' })) }],
  ])('%s', (_, body) => {
    const page = read('leads.list', body) as { items: { id: string; surveyStatus: string }[] };
    expect(page.items.map((one) => [one.id, one.surveyStatus])).toEqual([
      ['l1', 'completed'],
      ['l2', 'completed'],
    ]);
  });

  test.each([
    [{ leads: [] }],
    [{ data: [], total: 0 }],
    [{ data: { edges: [] } }],
    [{ leads: null }],
    [{ leads: {} }],
    [[]],
    [{ success: true, data: [], error: null, errors: [], message: 'OK' }],
    [{ status: 'success', result: { leads: [] }, error: { code: 0, message: '' } }],
    [{ _embedded: { leads: [] }, links: [] }],
    [{ Leads: [] }],
    [[[]]],
    [{ surveyLeads: [], status: 'failed' }],
    [{ found: [], total: 0 }],
    [{ success: true, data: null, message: 'No leads' }],
  ])('none in %j', (body) => {
    expect(read('leads.list', body)).toEqual(expect.objectContaining({ items: [] }));
  });

  test.each([
    [{ data: null, error: { code: 'X' } }],
    [{ data: null, errors: [{ message: 'x' }] }],
    [{ status: 'error', message: 'x', data: null }],
    [{ status: 'FAIL', leads: [] }],
    [{ ok: false, errors: [] }],
    [{ success: false, data: [] }],
    [{ error: 'x', leads: [], pagination: { limit: 50, offset: 0, total: 0 } }],
    [{ error: 'x' }],
    [{ message: 'oops', details: [] }],
    [{ data: { id: 'x', tags: [] } }],
  ])('S2: none in %j is not believed', (body) => {
    expect(() => read('leads.list', body)).toThrow();
  });

  test('S2: what is shown beside an error is shown', () => {
    expect(read('leads.list', { error: 'x', leads: two })).toMatchObject({ items: [{ id: 'l1' }, { id: 'l2' }] });
    const capture = { id: 'c1', status: 'failed', channel: 'text_note' };
    expect(read('captures.get', { ...capture, error: 'x', items: [] }, {}, 'c1')).toMatchObject({ items: [] });
    const settings = { lists: { items: 'items' } };
    expect(read('captures.get', { ...capture, error: 'x', items: [] }, settings, 'c1')).toMatchObject({ items: [] });
  });

  test('one entry that is odd does not spoil the rest', () => {
    const body = { leads: [{ ...lead, surveyStatus: null }, { clientName: 'No ID' }, { ...lead, id: 'a/b c' }, lead] };
    expect(read('leads.list', body)).toMatchObject({
      items: [{ surveyStatus: null }, { surveyStatus: 'completed' }],
      unreadable: 2,
    });
  });

  test('where two lists could be meant, a setting decides', () => {
    const body = { mine: two, theirs: [lead] };
    expect(() => read('leads.list', body)).toThrow(/mine and theirs.*'undocumented\.lists\.leads'/);
    expect(read('leads.list', body, { lists: { leads: 'theirs' } })).toMatchObject({ items: [{ id: 'l1' }] });
  });

  test('S4: keys that are no names of fields are not told, where it cannot be known which is meant', () => {
    const people = { 'jane.doe@acme.com': two, '+49 170 1234567': [{ ...lead, id: 'l3' }, lead] };
    const told = /at leads\.\* and leads\.\*\)/;
    expect(() => read('leads.list', { leads: people })).toThrow(told);
    const each = { 'jane.doe@acme.com': lead, '+49 170 1234567': { ...lead, clientName: 'Bob' } };
    expect(() => read('leads.get', { leads: [each] })).toThrow(/at leads\.0\.\* and leads\.0\.\*\)/);
    const token = { [`aky_${'a1B2c3D4'.repeat(4)}`]: two, other: two.toReversed() };
    expect(() => read('leads.list', token)).toThrow(/at \* and other\)/);
  });

  test.each([
    [{ pagination: { limit: '50', offset: '0', total: '120' } }, { limit: 50, offset: 0, total: 120 }],
    [{ has_more: true }, { more: true }],
    [{ nextCursor: 'abc' }, { next: { cursor: { name: 'cursor', value: 'abc' } } }],
    [{ meta: { next_page_token: 'abc' } }, { next: { cursor: { name: 'page_token', value: 'abc' } } }],
    [
      { pageInfo: { endCursor: 'abc', hasNextPage: true } },
      { more: true, next: { cursor: { name: 'after', value: 'abc' } } },
    ],
    [{ pageInfo: { endCursor: 'abc', hasNextPage: false } }, { more: false }],
    [{ next: 'https://elsewhere.example/api/leads?page=2&x=1' }, { next: { link: 'page=2&x=1' } }],
    [{ links: { next: '/api/leads?cursor=b', prev: null } }, { next: { link: 'cursor=b' } }],
    [{ _links: { next: { href: '?after=b' } } }, { next: { link: 'after=b' } }],
    [{ next: null, count: 2 }, { isNextEmpty: true }],
    [
      { page: 1, total_pages: 3 },
      { page: 1, more: true },
    ],
    [{ page: { number: 0, size: 2, totalElements: 5 } }, { page: 0, limit: 2, total: 5 }],
  ])('says of its pages: %j', (paging, expected) => {
    expect(read('leads.list', { leads: two, ...paging })).toMatchObject(expected);
  });
});
