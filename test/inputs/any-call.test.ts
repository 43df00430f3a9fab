import { summarise } from '../../src/agent-api/reply-summary';
import { type Route, type RouteName, routes } from '../../src/agent-api/routes';
import { callKey, checkCall, createsSomething, ownWorkflow, readCall } from '../../src/inputs/any-call';
import { ONCE_ONLY } from '../../src/paying/once-only';

const all = Object.entries(routes as Record<RouteName, Route>).map(([name, route]) => ({
  name: name as RouteName,
  ...route,
}));

test('S2: a route that must be looked up before it is sent again, or that costs, has a workflow of its own', () => {
  const delicate = all.filter(({ afterUnknown, credits, allowlist }) => {
    return afterUnknown === 'look' || credits > 0 || allowlist === 'no' || allowlist === 'unclear';
  });
  expect(delicate.map(({ name }) => name).sort()).toEqual(Object.keys(ONCE_ONLY).sort());
});

test('every other route is taken with what it needs, but for those of the browser', () => {
  const taken = all.filter(({ name, path, body }) => {
    const fields = { name: 'A', label: 'A' };
    const { call } = checkCall({
      route: name,
      ...(path.includes('{id}') && { id: 'some-id' }),
      ...(body && { body: name === 'assessmentConfigs.update' || name === 'contacts.create' ? { name: 'A' } : fields }),
    });
    return call !== undefined;
  });
  const browser = all.filter(({ allowlist }) => allowlist === 'session');
  expect(browser.map(({ name }) => name)).toEqual(['apiKeys.create']);
  expect(taken).toHaveLength(all.length - Object.keys(ONCE_ONLY).length - browser.length);
});

test.each([
  [{ route: 'contact.create' }, "route was given text of 14 characters; did you mean 'contacts.create'?"],
  [{ route: 'captures.submitNote' }, "route 'captures.submitNote' has a workflow of its own: start ingestCapture."],
  [
    { route: 'contacts.list', id: 'a' },
    "id was given, and route 'contacts.list' takes none: GET /api/nucleus/contacts.",
  ],
  [{ route: 'contacts.list', body: {} }, 'body was given, and GET /api/nucleus/contacts takes none.'],
  [{ route: 'contacts.create', body: '{"name": "A"}' }, 'body was given as text; give an object, not text'],
  [{ route: 'contacts.create' }, 'body is missing; give an object with the fields name, email'],
  [{ route: 'projects.update', id: 'a', body: {} }, 'body cannot be sent as it is; allowed is at least one field.'],
  [
    { route: 'memories.list', query: { typ: 'client' } },
    "field 1 of query is unknown (3 characters); did you mean 'query.type'?",
  ],
])('%j is refused in a sentence', (raw, sentence) => {
  const { problems, call } = checkCall(raw);
  expect(problems).toEqual([expect.stringContaining(sentence)]);
  expect(call).toBeUndefined();
});

test('what is wrong with the envelope is told once, together with the rest', () => {
  const read = () => readCall({ route: 'projects.get', id: '../x', query: { a: [1] }, priority: 9, bdy: {} });
  expect(read).toThrow(/\(1\).*\(2\).*\(3\).*\(4\)/);
  expect(read).not.toThrow('(5)');
  expect(() => readCall({})).toThrow("route is missing; give the name of a route such as 'contacts.create'.");
});

test('equal calls have equal keys, in whatever order they are written; anything else makes another', () => {
  const call = { account: 'a', route: 'contacts.create', body: { name: 'A', tags: [1, 2] } } as const;
  const key = callKey(call);
  expect(callKey({ ...call, body: { tags: [1, 2], name: 'A' } })).toBe(key);
  const others = [
    { ...call, account: 'b' },
    { ...call, body: { name: 'A', tags: [2, 1] } },
    { ...call, reference: 'r' },
    { ...call, query: { a: '1' } },
    { ...call, id: 'i' },
  ];
  expect(new Set([key, callKey(call, 'run'), ...others.map((other) => callKey(other))]).size).toBe(7);
});

test('creates are what must not happen twice', () => {
  const creates = all.filter(({ name }) => createsSomething(name) && !ownWorkflow(name));
  expect(creates.map(({ name }) => name)).toEqual([
    'readylinks.create',
    'assessmentConfigs.create',
    'captures.create',
    'memories.create',
    'contacts.create',
    'insights.create',
    'suggestions.create',
    'apiKeys.create',
  ]);
});

test('S4: a summary has numbers and identifiers, and nothing else of a reply', () => {
  const one = { id: 'c-1', name: 'Anna', email: 'anna@example.com' };
  expect(summarise(one)).toEqual({ summary: { ids: ['c-1'] } });
  expect(summarise({ success: true, data: { contact: one } })).toEqual({ summary: { ids: ['c-1'] } });
  const many = { data: { contacts: [one, { id: 'anna@example.com' }, 'Anna'] } };
  expect(summarise(many)).toEqual({ summary: { records: 3, ids: ['c-1'] } });
  expect(summarise({ userId: 'Anna' })).toEqual({});
  expect(summarise(undefined)).toEqual({});
});

test.each([
  ['query', 'memories.list'],
  ['body', 'contacts.create'],
])('of very many wrong fields of a %s the first are named', (part, route) => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field${i}`, i]));
  const { problems } = checkCall({ route, [part]: many });
  expect(problems).toHaveLength(21);
  expect(problems[20]).toMatch(/^49,98\d more problems are not listed here\.$/);
});
