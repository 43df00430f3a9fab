import { Readable } from 'node:stream';
import { createAgentApi, InvalidCall, tokenFromText, Undocumented } from '../../src/agent-api';
import { apiOf, closeAll, json, serve, TOKEN } from './server';

const conversion = { success: true, data: { auditId: 'p1', creditsUsed: 1000, pdfAttached: true } };
const noLeads = { data: [], pagination: { limit: 50, offset: 0, total: 0 }, filters: {} };

afterEach(closeAll);

describe('what a call sends', () => {
  it('sends method, path, token and no body for a convert, and reads the documented reply', async () => {
    const server = await serve((response) =>
      json(response, 200, conversion, { date: 'Sun, 06 Nov 1994 08:49:37 GMT' }),
    );
    const before = Date.now();
    const attempt = await apiOf(server.baseUrl).call('leads.convert', { id: 'lead-1' });
    expect(attempt).toMatchObject({ ok: true, status: 200, value: { auditId: 'p1', creditsUsed: 1000 } });
    expect(attempt.serverTime).toBe(Date.parse('1994-11-06T08:49:37Z'));
    expect(attempt.sentAt).toBeGreaterThanOrEqual(before);
    expect(attempt.endedAt).toBeGreaterThanOrEqual(attempt.sentAt ?? Number.POSITIVE_INFINITY);
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/lead-generation/leads/lead-1/convert', body: '' });
    expect(seen?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'content-length': '0' });
    expect(seen?.headers['content-type']).toBeUndefined();
  });

  it('puts the path prefix of the base address before every path', async () => {
    const server = await serve((response) => json(response, 200, { id: 'u1' }));
    expect(await apiOf(`${server.baseUrl}/gateway/v1/`).call('account.user')).toMatchObject({
      value: { userId: 'u1' },
    });
    expect(server.seen[0]?.url).toBe('/gateway/v1/api/user/current');
  });

  it('maps query parameters from their meaning to the names of the configuration', async () => {
    const server = await serve((response) => json(response, 200, noLeads));
    const undocumented = Undocumented.parse({ leadsList: { surveyLink: 'link_id', direction: 'dir' } });
    await apiOf(server.baseUrl, { undocumented }).call('leads.list', {
      query: { status: 'active', surveyLink: 'a b', limit: 500, offset: 0, sort: 'created_at', direction: 'asc' },
    });
    expect(server.seen[0]?.url).toBe(
      '/api/lead-generation/leads?status=active&link_id=a+b&limit=500&offset=0&sort=created_at&dir=asc',
    );
  });

  it('sends no paging parameters to the project list when the configuration says so', async () => {
    const server = await serve((response) => json(response, 200, []));
    const undocumented = Undocumented.parse({ projectsList: { paging: 'none' } });
    await apiOf(server.baseUrl, { undocumented }).call('projects.list', { query: { limit: 10, offset: 20 } });
    expect(server.seen[0]?.url).toBe('/api/projects');
  });

  it('passes parameters on as they are where the document shows none', async () => {
    const server = await serve((response) => json(response, 200, { contacts: [] }));
    await apiOf(server.baseUrl).call('contacts.list', { query: { search: 'x', page: undefined } });
    expect(server.seen[0]?.url).toBe('/api/nucleus/contacts?search=x');
  });

  it('sends a body as the schema reads it', async () => {
    const server = await serve((response) => json(response, 201, { id: 'c1', name: 'Ada' }));
    const attempt = await apiOf(server.baseUrl).call('contacts.create', { body: { name: '  Ada ' } });
    expect(attempt).toMatchObject({ ok: true, status: 201, value: { id: 'c1' } });
    expect(server.seen[0]).toMatchObject({ body: '{"name":"Ada"}', headers: { 'content-type': 'application/json' } });
  });

  it('uploads a buffer and a stream, each with its length', async () => {
    const server = await serve((response) => json(response, 200, { ok: true }));
    const api = apiOf(server.baseUrl);
    const source = Readable.from([Buffer.from('hello '), Buffer.from('from a stream')]);
    for (const data of [Buffer.from('hello from a buffer'), { stream: source, length: 19 }])
      await api.call('projects.uploadDocument', { id: 'p1', raw: { contentType: 'text/plain', data } });
    const headers = { 'content-type': 'text/plain', 'content-length': '19' };
    expect(server.seen).toMatchObject([
      { body: 'hello from a buffer', headers },
      { body: 'hello from a stream', headers },
    ]);
    expect(server.seen[1]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('hands on an empty reply of a delete as undefined', async () => {
    const server = await serve((response) => response.writeHead(204).end());
    expect(await apiOf(server.baseUrl).call('memories.delete', { id: 'm1' })).toMatchObject({
      ok: true,
      status: 204,
      value: undefined,
    });
  });
});

describe('what is refused before anything is sent', () => {
  it.each([
    ['an id that is missing', 'leads.get', {}, "GET /api/lead-generation/leads/{id}: 'id' is missing"],
    ['an id that would change the path', 'leads.get', { id: '../x' }, "'id' is not an identifier"],
    ['an id where the path has none', 'leads.list', { id: 'x' }, "'id' is given"],
    ['a query parameter of another name', 'leads.list', { query: { limits: 5 } }, "did you mean 'limit'?"],
    ['a body that the schema refuses', 'contacts.create', { body: { nam: 'x' } }, "'body.name'"],
    ['a missing body', 'projects.create', {}, "'body'"],
    ['a body on a read', 'leads.get', { id: 'x', body: {} }, "no 'body'"],
    [
      'two bodies',
      'projects.uploadDocument',
      { id: 'x', body: {}, raw: { contentType: 'text/plain', data: Buffer.from('x') } },
      'not both',
    ],
  ] as const)('%s', async (_, route, input, message) => {
    const server = await serve((response) => json(response, 200, {}));
    const call = apiOf(server.baseUrl).call(route, input);
    await expect(call).rejects.toThrow(InvalidCall);
    await expect(call).rejects.toThrow(message);
    expect(server.connections()).toBe(0);
  });

  it('S4: quotes no value of a body', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const body = { name: 'Ada', email: 'ada.secret is not an address', relationshipType: 'secret' };
    const call = apiOf(server.baseUrl).call('contacts.create', { body });
    await expect(call).rejects.toThrow("POST /api/nucleus/contacts: 'body.email'");
    await expect(call).rejects.not.toThrow(/secret/);
  });

  it('a token that is none: not sent, and the result does not hold it', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const attempt = await apiOf(server.baseUrl, { token: tokenFromText('aky_short') }).call('account.user');
    expect(attempt).toEqual({ ok: false, failure: { kind: 'notSent', reason: 'token' }, endedAt: expect.any(Number) });
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['http://api.example.com', 'https://'],
    ['ftp://127.0.0.1', 'https://'],
    ['http://127.0.0.1.example.com', 'https://'],
    ['nonsense', 'not a URL'],
    ['https://me:secret@api.example.com', 'user name'],
    ['https://api.example.com/?a=b', 'query'],
  ])('the base address %s', (baseUrl, message) => {
    expect(() => createAgentApi({ baseUrl, token: tokenFromText(TOKEN) })).toThrow(message);
    expect(() => createAgentApi({ baseUrl, token: tokenFromText(TOKEN) })).not.toThrow(/secret/);
  });

  it('a time limit of paid calls below 200 s, unless the service is on this machine', async () => {
    const options = { token: tokenFromText(TOKEN), timeouts: { paidMs: 199_999 } };
    expect(() => createAgentApi({ baseUrl: 'https://api.example.com', ...options })).toThrow('200000');
    for (const baseUrl of ['http://localhost:1', 'http://[::1]:1', 'http://127.8.9.1:1'])
      await createAgentApi({ baseUrl, ...options }).close();
  });
});

describe('replies that are not what the route returns', () => {
  it.each([
    ['a page of HTML', 'account.user', '<html>secret</html>', 'the reply is not JSON'],
    ['JSON that breaks off', 'leads.convert', '{"data":{"auditId":"secret', 'the reply is not JSON'],
    ['another record', 'leads.convert', '{"data":{"id":"secret"}}', 'no conversion in a shape'],
    ['nothing', 'leads.convert', '', 'the reply is empty'],
    ['no list', 'leads.list', '{"data":{"lead":"secret"}}', "'undocumented.lists.leads'"],
    ['a reply without a balance', 'account.credits', '{"total":"secret"}', "'undocumented.account.balance'"],
  ] as const)('%s is unreadable and its text is not handed on', async (_, route, body, problem) => {
    const server = await serve((response) => response.writeHead(200).end(body));
    const attempt = await apiOf(server.baseUrl).call(route, route === 'leads.convert' ? { id: 'x' } : {});
    expect(attempt).toMatchObject({ ok: false, failure: { kind: 'unreadable', status: 200 } });
    expect(JSON.stringify(attempt)).toContain(problem);
    expect(JSON.stringify(attempt)).not.toContain('secret');
  });

  it('a 2xx that says success: false and nothing else proves neither; beside data it is a word of the data', async () => {
    const said = await serve((response) => response.writeHead(200).end('{"success":false,"error":"secret"}'));
    expect(await apiOf(said.baseUrl).call('leads.convert', { id: 'x' })).toMatchObject({
      ok: false,
      failure: { kind: 'unknown', reason: 'saysFailed' },
    });
    const incomplete = '{"success":false,"data":{"projectId":"x","isComplete":false}}';
    const shown = await serve((response) => response.writeHead(200).end(incomplete));
    expect(await apiOf(shown.baseUrl).call('projects.deliverables', { id: 'x' })).toMatchObject({ ok: true });
  });

  it.each([
    ['an empty list', 'projects.list', { projects: [], error: 'secret' }],
    ['no record', 'leads.convert', { error: 'secret' }],
    ['no ID of the job', 'projects.auditAsync', { error: 'secret' }],
    ['nothing else', 'projects.audit', { success: false, data: null, error: 'secret' }],
    ['an envelope', 'leads.convert', { data: { result: { error: { message: 'secret' } } } }],
  ] as const)('S2: a 2xx that shows %s and an error is no answer', async (_, route, body) => {
    const said = await serve((response) => json(response, 200, body));
    expect(await apiOf(said.baseUrl).call(route, route === 'projects.list' ? {} : { id: 'x' })).toMatchObject({
      ok: false,
      failure: { kind: 'unknown', reason: 'saysFailed', status: 200 },
    });
  });

  it('an error of a part is not that of the call: a conversion without an ID that is known counts as paid', async () => {
    const said = await serve((response) => json(response, 200, { data: { entity: { pdf: { error: 'later' } } } }));
    expect(await apiOf(said.baseUrl).call('leads.convert', { id: 'x' })).toMatchObject({
      ok: false,
      failure: { kind: 'unreadable' },
    });
  });

  it('a reply that is too large is unreadable, and is not read to its end', async () => {
    let written = 0;
    const server = await serve((response, _seen, socket) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const pour = () => {
        while (!socket.destroyed && written < 1e9) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536, ' '))) return void response.once('drain', pour);
        }
      };
      pour();
    });
    const attempt = await apiOf(server.baseUrl, { maxResponseBytes: 100_000 }).call('leads.list');
    expect(attempt).toMatchObject({
      failure: { kind: 'unreadable', problem: 'the reply is larger than 100000 bytes' },
    });
    expect(written).toBeLessThan(1e8);
  });
});
