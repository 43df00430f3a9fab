/** What stands between the service and its client: compression, redirects, errors of other forms. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { apiOf, closeAll, json, serve } from './server';

afterEach(closeAll);

const lead = { id: 'l1', surveyStatus: 'completed' };

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('a reply or an error that comes as %s is read all the same', async (encoding, compress) => {
  const server = await serve((response, { method }) => {
    const body = method === 'GET' ? lead : { error: 'Taken', code: 'TAKEN' };
    response
      .writeHead(method === 'GET' ? 200 : 400, { 'content-encoding': encoding })
      .end(compress(Buffer.from(JSON.stringify(body))));
  });
  const api = apiOf(server.baseUrl, { maxResponseBytes: 1_000 });
  expect(await api.call('leads.get', { id: 'l1' })).toMatchObject({ ok: true, value: lead });
  expect(await api.call('leads.convert', { id: 'l1' })).toMatchObject({ failure: { kind: 'rejected', code: 'TAKEN' } });
});

test('a small reply that becomes too large is not read', async () => {
  const server = await serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.from(`"${'x'.repeat(100_000)}"`)));
  });
  const attempt = await apiOf(server.baseUrl, { maxResponseBytes: 10_000 }).call('leads.get', { id: 'l1' });
  expect(attempt).toMatchObject({ failure: { kind: 'unreadable', problem: expect.stringContaining('larger') } });
});

describe.each([301, 302, 307, 308])('a redirect with %i', (status) => {
  test('is followed by a read, within the service', async () => {
    const server = await serve((response, { url }) => {
      if (url.startsWith('/v2/')) json(response, 200, lead);
      else json(response, status, {}, { location: '/v2/leads/l1?x=1' });
    });
    expect(await apiOf(server.baseUrl).call('leads.get', { id: 'l1' })).toMatchObject({ ok: true, value: lead });
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/lead-generation/leads/l1', '/v2/leads/l1?x=1']);
  });

  test('to another address gets neither the token nor a write, and proves nothing of one', async () => {
    const other = await serve((response) => json(response, 200, lead));
    const server = await serve((response, { method, url }) =>
      json(response, status, {}, { location: method === 'GET' ? `${other.baseUrl}${url}` : url }),
    );
    const api = apiOf(server.baseUrl);
    expect(await api.call('leads.get', { id: 'l1' })).toMatchObject({ failure: { kind: 'rejected', status } });
    expect(await api.call('leads.convert', { id: 'l1' })).toMatchObject({ failure: { kind: 'unknown' } });
    expect(other.seen).toHaveLength(0);
    expect(server.seen).toHaveLength(2);
  });

  test('of reads to paths with a slash at their end is a habit that writes go by', async () => {
    const server = await serve((response, { url }) => {
      const [path = '', query] = url.split('?');
      if (path.endsWith('/')) json(response, 200, lead);
      else json(response, status, {}, { location: `${path}/${query ? `?${query}` : ''}` });
    });
    const api = apiOf(server.baseUrl);
    expect(await api.call('leads.get', { id: 'l1' })).toMatchObject({ ok: true, value: lead });
    await api.call('leads.convert', { id: 'l1' });
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/lead-generation/leads/l1',
      'GET /api/lead-generation/leads/l1/',
      'POST /api/lead-generation/leads/l1/convert/',
    ]);
  });

  test('in a circle ends', async () => {
    const server = await serve((response, { url }) => json(response, status, {}, { location: url }));
    expect(await apiOf(server.baseUrl).call('leads.get', { id: 'l1' })).toMatchObject({ failure: { status } });
    expect(server.seen.length).toBeLessThanOrEqual(4);
  });
});

test.each([[{ message: 'No' }], [{ errors: ['No'] }], [[{ code: 'NO' }]]])(
  'a refusal in JSON of another form is one: %j',
  async (body) => {
    const server = await serve((response) => json(response, 409, body));
    expect(await apiOf(server.baseUrl).call('leads.convert', { id: 'l1' })).toMatchObject({
      failure: { kind: 'rejected', status: 409 },
    });
  },
);

test('an identifier with slashes is one part of the path', async () => {
  const server = await serve((response) => json(response, 200, { ...lead, id: 'lead/2026/17' }));
  expect(await apiOf(server.baseUrl).call('leads.get', { id: 'lead/2026/17' })).toMatchObject({ ok: true });
  expect(server.seen[0]?.url).toBe('/api/lead-generation/leads/lead%2F2026%2F17');
  for (const id of ['..', 'a/../b', 'a/.', 'a b', "a'b", 'ada@example.com', 'a\\b', ''])
    await expect(apiOf(server.baseUrl).call('leads.get', { id })).rejects.toThrow("'id' is not");
});

test('a reply that is taken as it comes may be of any form, and empty', async () => {
  const server = await serve((response) => response.writeHead(204).end());
  expect(await apiOf(server.baseUrl).call('account.credits', { asIs: true })).toMatchObject({ ok: true, status: 204 });
});

test('S4: a refusal names plans, an address without its query, and scopes; never the text', async () => {
  const upgradeUrl = 'https://app.example.com/upgrade?token=secret';
  const body = {
    error: 'Zeb needs write',
    code: 'PAT_SCOPE_INSUFFICIENT',
    currentTier: 'free',
    requiredTier: 'team',
    upgradeUrl,
  };
  const server = await serve((response) => json(response, 403, body));
  const attempt = await apiOf(server.baseUrl).call('leads.convert', { id: 'l1' });
  expect(attempt).toMatchObject({
    failure: {
      currentTier: 'free',
      requiredTier: 'team',
      upgradeUrl: 'https://app.example.com/upgrade',
      missingScopes: ['write'],
    },
  });
  expect(JSON.stringify(attempt)).not.toMatch(/Zeb|secret/);
});
