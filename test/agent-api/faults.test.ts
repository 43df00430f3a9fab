import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Attempt, Failure, RouteName } from '../../src/agent-api';
import { apiOf, closeAll, json, latch, serve, serveTcp, until } from './server';

afterEach(closeAll);

/** A paid write, an unpaid write and a read: what they have in common is said of all three. */
const calls: [RouteName, object][] = [
  ['leads.convert', { id: 'x' }],
  ['readylinks.create', { body: { a: 1 } }],
  ['leads.get', { id: 'x' }],
];
const write: [RouteName, object] = ['leads.convert', { id: 'x' }];
const read: [RouteName, object] = ['leads.get', { id: 'x' }];

const failureOf = (attempt: Attempt<unknown>): Failure | 'none' => (attempt.ok ? 'none' : attempt.failure);
const html = (response: ServerResponse, status: number, headers = {}) =>
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>secret</h1>');

describe('the request left and no answer proves what became of it', () => {
  it.each(calls)('%s: a connection that is reset is unknown, and nothing is sent twice', async (route, input) => {
    const server = await serve((_response, _seen, socket) => socket.resetAndDestroy());
    const attempt = await apiOf(server.baseUrl).call(route, input);
    expect(failureOf(attempt)).toEqual({ kind: 'unknown', reason: 'connectionLost' });
    expect(attempt.sentAt).toBeDefined();
    expect(server.seen).toHaveLength(1);
  });

  it.each(calls)('%s: a connection that is closed without a word is unknown', async (route, input) => {
    const server = await serve((_response, _seen, socket) => socket.end());
    expect(failureOf(await apiOf(server.baseUrl).call(route, input))).toEqual({
      kind: 'unknown',
      reason: 'connectionLost',
    });
    expect(server.seen).toHaveLength(1);
  });

  it.each(calls)('%s: half a body of a 200 is unknown, and the status is told', async (route, input) => {
    const server = await serve((response, _seen, socket) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"data":', () => socket.destroy());
    });
    expect(failureOf(await apiOf(server.baseUrl).call(route, input))).toEqual({
      kind: 'unknown',
      reason: 'connectionLost',
      status: 200,
    });
    expect(server.seen).toHaveLength(1);
  });

  it.each(calls)(
    '%s: no reply within the time limit is unknown, and the connection is given up',
    async (route, input) => {
      let closed = 0;
      const server = await serve((_response, _seen, socket) => socket.on('close', () => closed++));
      const attempt = await apiOf(server.baseUrl, { timeouts: { paidMs: 60, unpaidMs: 60 } }).call(route, input);
      expect(failureOf(attempt)).toEqual({ kind: 'unknown', reason: 'timeout' });
      expect(attempt.endedAt - (attempt.sentAt ?? 0)).toBeGreaterThanOrEqual(58);
      await until(() => closed === 1);
      expect(server.seen).toHaveLength(1);
    },
  );

  it('a body that trickles without end meets the same time limit', async () => {
    const server = await serve((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const attempt = await apiOf(server.baseUrl, { timeouts: { paidMs: 1_000 } }).call(...write);
    expect(failureOf(attempt)).toEqual({ kind: 'unknown', reason: 'timeout', status: 200 });
  });

  it.each(calls)('%s: aborted after it was written is unknown', async (route, input) => {
    const arrived = latch();
    const server = await serve(arrived.open);
    const abort = new AbortController();
    const attempt = apiOf(server.baseUrl).call(route, { ...input, signal: abort.signal });
    await arrived.promise;
    abort.abort();
    expect(failureOf(await attempt)).toEqual({ kind: 'unknown', reason: 'connectionLost' });
  });

  it.each([500, 502, 503, 504])('a %i is unknown, whatever its body', async (status) => {
    const server = await serve((response, { url }) =>
      url.includes('convert') ? html(response, status) : json(response, status, { error: 'x', code: 'SOME' }),
    );
    const expected = { kind: 'unknown', reason: 'serverError', status };
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toEqual(expected);
    expect(failureOf(await apiOf(server.baseUrl).call(...read))).toEqual(expected);
  });

  it('a 4xx that is not JSON proves nothing of a write', async () => {
    const server = await serve((response) => html(response, 404));
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toEqual({
      kind: 'unknown',
      reason: 'unprovenBody',
      status: 404,
    });
    const unproven = { kind: 'rejected', status: 404, unproven: true };
    expect(failureOf(await apiOf(server.baseUrl).call(...read))).toEqual(unproven);
  });

  it.each([[[]], ['error'], [null]])('a 400 with the body %j neither', async (body) => {
    const server = await serve((response) => json(response, 400, body));
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toMatchObject({ reason: 'unprovenBody' });
  });

  it.each([
    [400, {}, undefined],
    [402, { message: 'no credits' }, undefined],
    [409, { error: { code: 'CONFLICT' } }, 'CONFLICT'],
  ])('a %i with an object of another form is a refusal all the same', async (status, body, code) => {
    const server = await serve((response) => json(response, status, body));
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toEqual({
      kind: 'rejected',
      status,
      ...(code && { code }),
    });
  });

  it('a 408 is unknown: the time limit of the service, not of what it began', async () => {
    const server = await serve((response) => json(response, 408, { error: 'too long' }));
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toEqual({
      kind: 'unknown',
      reason: 'timeout',
      status: 408,
    });
    expect(failureOf(await apiOf(server.baseUrl).call(...read))).toMatchObject({ kind: 'unknown', status: 408 });
  });

  it.each([301, 302, 303, 307, 308])('a %i is not followed', async (status) => {
    const elsewhere = await serve((response) => json(response, 200, {}));
    const server = await serve((response) => html(response, status, { location: `${elsewhere.baseUrl}/api` }));
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toEqual({
      kind: 'unknown',
      reason: 'unprovenBody',
      status,
    });
    const unproven = { kind: 'rejected', status, unproven: true };
    expect(failureOf(await apiOf(server.baseUrl).call(...read))).toEqual(unproven);
    expect(elsewhere.connections()).toBe(0);
  });

  it('something that is not HTTP is unknown', async () => {
    const baseUrl = await serveTcp((socket) => socket.once('data', () => socket.end('220 mail ready\r\n')));
    expect(failureOf(await apiOf(baseUrl).call(...write))).toEqual({ kind: 'unknown', reason: 'connectionLost' });
  });

  it('an upload whose source breaks off after its first piece is unknown', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const source = new Readable({ read: () => undefined });
    const attempt = apiOf(server.baseUrl).call('projects.uploadDocument', {
      id: 'p',
      raw: { contentType: 'text/plain', data: { stream: source, length: 100 } },
      onWrite: () => setImmediate(() => source.destroy(new Error('disk'))),
    });
    source.push('first piece');
    expect(failureOf(await attempt)).toEqual({ kind: 'unknown', reason: 'connectionLost' });
    expect(server.seen).toHaveLength(0);
  });
});

describe('the service answered: nothing happened', () => {
  it.each([
    [400, { error: 'already converted' }, {}],
    [402, { error: 'credits' }, {}],
    [401, { error: 'x', code: 'PAT_MALFORMED' }, { code: 'PAT_MALFORMED' }],
    [
      403,
      { error: 'x', currentTier: 'a', requiredTier: 'team', upgradeUrl: 'u' },
      { currentTier: 'a', requiredTier: 'team' },
    ],
    [503, { error: 'off', code: 'PAT_DISABLED' }, { code: 'PAT_DISABLED' }],
    [503, { error: { message: 'off', code: 'PAT_DISABLED' } }, { code: 'PAT_DISABLED' }],
    [404, { error: 'x', code: 'a sentence of the service' }, {}],
    [404, { error: 'x', code: 7 }, {}],
    [404, { error: 'x', code: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.dQw4w9WgXcQ' }, {}],
    [409, { error: { code: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.' } }, {}],
    [404, { error: 'x', code: 'anna%40example.com', requiredTier: 'anna@example.com' }, {}],
  ])('%i %j', async (status, body, rest) => {
    const server = await serve((response) => json(response, status, body));
    for (const call of [write, read])
      expect(failureOf(await apiOf(server.baseUrl).call(...call))).toEqual({ kind: 'rejected', status, ...rest });
  });

  it.each([
    ['seconds', '7', 7_000],
    ['nothing', undefined, undefined],
    ['a date, by the clock of the service', 'Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['a date that has passed', 'Sun, 06 Nov 1994 08:00:00 GMT', 1_000],
    ['less than nothing', '-3', 1_000],
    ['more than any window', '1767225600', undefined],
    ['nonsense', 'soon', undefined],
  ])('a 429 with %s in Retry-After, with and without a JSON body', async (_, retryAfter, retryAfterMs) => {
    const headers = { date: 'Sun, 06 Nov 1994 08:49:37 GMT', ...(retryAfter && { 'retry-after': retryAfter }) };
    const server = await serve((response, { url }) =>
      url.includes('convert') ? html(response, 429, headers) : json(response, 429, { error: 'slow' }, headers),
    );
    const expected = { kind: 'rejected', status: 429, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    expect(failureOf(await apiOf(server.baseUrl).call(...write))).toEqual({ ...expected, unproven: true });
    expect(failureOf(await apiOf(server.baseUrl).call(...read))).toEqual(expected);
  });

  it('S4: no failure holds the text of the service or the token it echoes', async () => {
    const server = await serve((response, { headers }) =>
      json(response, 403, { error: `secret ${headers.authorization}`, code: headers.authorization?.slice(7) }),
    );
    expect(await apiOf(server.baseUrl).call(...write)).toEqual({
      ok: false,
      failure: { kind: 'rejected', status: 403 },
      sentAt: expect.any(Number),
      endedAt: expect.any(Number),
      serverTime: expect.any(Number),
    });
  });
});
