/** What stands between the service and its client: compression, redirects, errors of other forms. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createGate } from '../../src/agent-api/gate';
import { perClass, RATE_CLASSES } from '../../src/agent-api/rate-class';
import { apiOf, closeAll, json, type Seen, serve } from './server';

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

  test('of reads of one kind of path says nothing of another kind', async () => {
    const server = await serve((response, { url }) => {
      const [path = '', query] = url.split('?');
      const isCollection = /\/projects\/?$/.test(path);
      const right = path.replace(/\/$/, '') + (isCollection ? '/' : '');
      if (path !== right) return json(response, status, {}, { location: query ? `${right}?${query}` : right });
      json(response, 200, isCollection ? { projects: [] } : { id: 'p1' });
    });
    const api = apiOf(server.baseUrl);
    await api.call('account.user');
    const read = async () => {
      await api.call('projects.list');
      await api.call('projects.get', { id: 'p1' });
    };
    await read();
    await api.call('projects.update', { id: 'p1', body: { description: 'A' } });
    await api.call('projects.audit', { id: 'p1' });
    await read();
    await api.call('projects.list');
    await api.call('projects.create', { body: { clientName: 'A' } });
    const [{ url: list }, ...rest] = server.seen.slice(1) as [Seen, ...Seen[]];
    expect(list).toBe('/api/projects');
    expect(rest.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/projects/',
      'GET /api/projects/p1',
      'PATCH /api/projects/p1',
      'POST /api/projects/p1/audit-analysis',
      'GET /api/projects/',
      'GET /api/projects/p1',
      'GET /api/projects/',
      'POST /api/projects/',
    ]);
  });

  test('of reads of records is that of what is below them, however the account is read', async () => {
    const server = await serve((response, { url }) => {
      const right = url.includes('/user/') || url.endsWith('/') ? url : `${url}/`;
      if (url === right) json(response, 200, lead);
      else json(response, status, {}, { location: right });
    });
    const api = apiOf(server.baseUrl);
    await api.call('account.user');
    await api.call('leads.get', { id: 'l1' });
    await api.call('leads.convert', { id: 'l1' });
    expect(server.seen.at(-1)).toMatchObject({ method: 'POST', url: '/api/lead-generation/leads/l1/convert/' });
  });

  test('of a write leaves unknown what became of it, and the next one goes there', async () => {
    const server = await serve((response, { url }) => {
      const right = /\/leads\/l1\/?$/.test(url) ? '/api/lead-generation/leads/l1/' : url.replace(/\/$/, '');
      if (url === right) json(response, 200, lead);
      else json(response, status, {}, { location: right });
    });
    const api = apiOf(server.baseUrl);
    await api.call('leads.get', { id: 'l1' });
    expect(await api.call('leads.convert', { id: 'l1' })).toMatchObject({ failure: { kind: 'unknown' } });
    await api.call('leads.convert', { id: 'l1' });
    expect(server.seen.slice(-2).map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/lead-generation/leads/l1/convert/',
      'POST /api/lead-generation/leads/l1/convert',
    ]);
  });

  test('of one path is a first guess for others, which go as the document has them when that is not found', async () => {
    const found = ['/api/lead-generation/leads/l1/', '/api/projects/p1', '/api/projects/p1/audit-analysis'];
    const server = await serve((response, { url }) => {
      if (found.includes(url)) json(response, 200, { ...lead, id: 'p1' });
      else if (url === '/api/lead-generation/leads/l1') json(response, status, {}, { location: `${url}/` });
      else json(response, 404, { error: 'Not found', code: 'NOT_FOUND' });
    });
    const api = apiOf(server.baseUrl);
    const project = () => api.call('projects.update', { id: 'p1', body: { description: 'A' } });
    await api.call('leads.get', { id: 'l1' });
    expect(await project()).toMatchObject({ failure: { status: 404 } });
    expect(await project()).toMatchObject({ ok: true });
    await api.call('leads.get', { id: 'l1' });
    expect(await project()).toMatchObject({ ok: true });
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/lead-generation/leads/l1',
      'GET /api/lead-generation/leads/l1/',
      'PATCH /api/projects/p1/',
      'PATCH /api/projects/p1',
      'GET /api/lead-generation/leads/l1/',
      'PATCH /api/projects/p1',
    ]);
  });

  test('in a circle ends', async () => {
    const server = await serve((response, { url }) => json(response, status, {}, { location: url }));
    expect(await apiOf(server.baseUrl).call('leads.get', { id: 'l1' })).toMatchObject({ failure: { status } });
    expect(server.seen.length).toBeLessThanOrEqual(4);
  });
});

describe('how a path ends', () => {
  const refused = (code: number) => [code, { error: 'No', code: 'NO' }] as const;
  /** What is asked for when projects and their analyses are read like this. */
  async function asked(answers: Record<string, readonly [number, object]>, ...reads: [string, ...string[]]) {
    const server = await serve((response, { url }) => {
      const [path = ''] = url.split('?');
      const [code, body] = answers[path] ?? refused(404);
      json(response, code, body, code === 308 ? { location: `${path}/` } : {});
    });
    const api = apiOf(server.baseUrl);
    for (const id of reads)
      await (id.startsWith('l') ? api.call('leads.get', { id }) : api.call('projects.get', { id }));
    return server.seen.map(({ url }) => url.replace('/api/lead-generation', '').replace('/api', ''));
  }
  const moved = [308, {}] as const;
  const slashed = { '/api/lead-generation/leads/l1': moved, '/api/lead-generation/leads/l1/': [200, lead] } as const;

  test('is not learned from a 404', async () => {
    expect(await asked({}, 'l1', 'p1')).toEqual(['/leads/l1', '/projects/p1']);
  });

  test('is guessed again where nothing is found without the guess either', async () => {
    const seen = await asked(
      { ...slashed, '/api/projects/p2/': [200, { id: 'p2' }] },
      'l1',
      'p1',
      'p1',
      'p2',
      'p1',
      'p2',
    );
    expect(seen.slice(2)).toEqual(['/projects/p1/', '/projects/p1', '/projects/p2/', '/projects/p1/', '/projects/p2/']);
  });

  test.each([401, 403, 404, 405])('stays a guess after %d', async (code) => {
    const answers = { ...slashed, '/api/projects/p1/': refused(code) };
    const seen = await asked(answers, 'l1', 'p1', 'p2', 'p3');
    const guessed = [401, 403].includes(code) ? ['/projects/p2/', '/projects/p3'] : ['/projects/p2', '/projects/p3/'];
    expect(seen.slice(2)).toEqual(['/projects/p1/', ...guessed]);
  });

  test.each([400, 409, 422])('is known after %d', async (code) => {
    const seen = await asked({ ...slashed, '/api/projects/p1/': refused(code) }, 'l1', 'p1', 'p2', 'p3');
    expect(seen.slice(2)).toEqual(['/projects/p1/', '/projects/p2/', '/projects/p3/']);
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

describe('S5: a read that is redirected while its class has no place', () => {
  const redirecting = () =>
    serve((response, { url }) => json(response, 308, {}, { location: url.replace('/api/', '/v2/') }));

  test('has not been sent, and is not refused', async () => {
    const server = await redirecting();
    const gate = createGate({ limits: perClass((rateClass) => RATE_CLASSES[rateClass].limit) });
    gate.park('reads', Date.now() + 60_000);
    const attempt = await apiOf(server.baseUrl, { gate }).call('leads.get', { id: 'l1' });
    expect(attempt).toMatchObject({ ok: false, failure: { kind: 'notSent', reason: 'tooLate' } });
    expect(server.seen).toHaveLength(1);
  });

  test('ends as one that was aborted when its process ends meanwhile', async () => {
    const server = await redirecting();
    const ending = new AbortController();
    const acquire = async () => {
      ending.abort();
      throw new Error('the process ends');
    };
    const gate = { acquire, departed: () => undefined, refused: () => undefined, passed: () => undefined };
    const attempt = await apiOf(server.baseUrl, { gate }).call('leads.get', { id: 'l1', signal: ending.signal });
    expect(attempt).toMatchObject({ ok: false, failure: { kind: 'notSent', reason: 'aborted' } });
  });
});
