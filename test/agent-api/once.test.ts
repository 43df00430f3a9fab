import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { interceptors, Pool } from 'undici';
import { type Attempt, createGate, type Failure, LIMITS } from '../../src/agent-api';
import { exchange, type HttpRequest } from '../../src/agent-api/http';
import { steadyNow } from '../../src/steady-clock';
import { apiOf, closeAll, json, latch, serve, serveTcp, until } from './server';

const conversion = { success: true, data: { auditId: 'p1', creditsUsed: 1000 } };
const notSent = (reason: string) => ({ kind: 'notSent', reason });
const failureOf = (attempt: Attempt<unknown>): Failure | 'none' => (attempt.ok ? 'none' : attempt.failure);
/** An address on which nothing listens. */
const nobody = async () => {
  const baseUrl = await serveTcp(() => undefined);
  await closeAll();
  return baseUrl;
};

afterEach(closeAll);

describe('never twice', () => {
  it('a kept connection that the server closes after each reply: every call arrives exactly once', async () => {
    // Says keep-alive and closes all the same, at varying moments around the arrival of the next request.
    let turn = 0;
    const server = await serve((response, _seen, socket) => {
      json(response, 200, { id: _seen.url.split('/').at(-1), surveyStatus: 'completed' }, { connection: 'keep-alive' });
      const delay = turn++ % 4;
      response.on('finish', () => (delay === 0 ? socket.destroy() : setTimeout(() => socket.destroy(), delay)));
    });
    const api = apiOf(server.baseUrl);
    let written = 0;
    const outcomes: (Failure | 'none')[] = [];
    for (let i = 0; i < 120; i++) {
      const call = { id: `lead-${i}`, onWrite: () => written++ };
      outcomes.push(failureOf(await (i % 2 ? api.call('leads.get', call) : api.call('memories.delete', call))));
    }
    const urls = server.seen.map(({ url }) => url);
    expect(new Set(urls).size).toBe(urls.length);
    expect(written).toBe(120);
    for (const outcome of outcomes)
      expect(['none', { kind: 'unknown', reason: 'connectionLost' }]).toContainEqual(outcome);
    // What did not arrive is not reported as done.
    expect(outcomes.filter((outcome) => outcome === 'none').length).toBeLessThanOrEqual(urls.length);
  });

  it.each(['leads.get', 'memories.delete', 'leads.convert'] as const)(
    '%s on a server that drops the second request of a connection: unknown or done, never repeated',
    async (route) => {
      const requests = new Map<number, number>();
      const server = await serve((response, { connection }, socket) => {
        const nth = (requests.get(connection) ?? 0) + 1;
        requests.set(connection, nth);
        if (nth > 1) socket.resetAndDestroy();
        else json(response, 200, route === 'leads.convert' ? conversion : { id: 'x', surveyStatus: 'completed' });
      });
      const api = apiOf(server.baseUrl);
      const first = await api.call(route, { id: 'x' });
      // undici looks at a kept connection again one turn of the event loop later.
      await new Promise(setImmediate);
      const second = await api.call(route, { id: 'x' });
      expect(server.seen).toHaveLength(2);
      expect(first.ok).toBe(true);
      expect(failureOf(second)).toEqual(
        route === 'leads.convert' ? 'none' : { kind: 'unknown', reason: 'connectionLost' },
      );
    },
  );

  it('a layer below that sends again of its own accord is refused the second time', async () => {
    const server = await serve((_response, _seen, socket) => socket.resetAndDestroy());
    const pool = new Pool(server.baseUrl);
    const repeating = pool.compose(
      interceptors.retry({
        methods: ['POST'],
        maxRetries: 3,
        minTimeout: 1,
        errorCodes: ['ECONNRESET', 'UND_ERR_SOCKET'],
      }),
    );
    const request: HttpRequest = {
      method: 'POST',
      origin: server.baseUrl,
      path: '/',
      headers: {},
      connectMs: 1_000,
      timeoutMs: 1_000,
      maxResponseBytes: 1_000,
      onWrite: () => undefined,
    };
    const { sentAt, ending } = await exchange(repeating, request);
    expect(sentAt).toBeDefined();
    expect(ending.kind).toBe('lost');
    expect(server.seen).toHaveLength(1);
    // Negative control: the same layer does repeat where nothing refuses.
    await repeating.request({ method: 'POST', origin: server.baseUrl, path: '/' }).catch(() => undefined);
    expect(server.seen.length).toBeGreaterThan(2);
    await pool.close();
  });
});

describe('a paid call', () => {
  it('has a connection of its own that no other call uses before or after', async () => {
    const closed = new Set<number>();
    const server = await serve((response, { url, connection }, socket) => {
      socket.on('close', () => closed.add(connection));
      json(response, 200, url.endsWith('convert') ? conversion : { id: 'x', surveyStatus: 'completed' });
    });
    const api = apiOf(server.baseUrl);
    for (let i = 0; i < 5; i++) {
      await api.call('leads.get', { id: 'x' });
      await api.call('leads.convert', { id: 'x' });
    }
    const paid = server.seen.filter(({ method }) => method === 'POST');
    const reads = server.seen.filter(({ method }) => method === 'GET');
    expect(new Set(paid.map(({ connection }) => connection)).size).toBe(5);
    expect(new Set(reads.map(({ connection }) => connection)).size).toBe(1);
    expect(paid.every(({ headers }) => headers.connection === 'close')).toBe(true);
    await until(() => paid.every(({ connection }) => closed.has(connection)));
  });

  it('is also what costs credits by the configuration alone', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const api = apiOf(server.baseUrl, { credits: (route) => (route === 'projects.audit' ? 50 : 0) });
    for (const route of ['projects.audit', 'projects.audit', 'leads.convert'] as const)
      await api.call(route, { id: 'x' });
    expect(server.connections()).toBe(3);
  });

  it('gets the longer time limit', async () => {
    const server = await serve((response) => setTimeout(() => json(response, 200, conversion), 100));
    const attempt = await apiOf(server.baseUrl, { timeouts: { unpaidMs: 20 } }).call('leads.convert', { id: 'x' });
    expect(attempt.ok).toBe(true);
  });
});

describe('S1: written before the moment or not at all', () => {
  it('does not connect when the moment has passed', async () => {
    const server = await serve((response) => json(response, 200, conversion));
    let written = 0;
    const attempt = await apiOf(server.baseUrl).call('leads.convert', {
      id: 'x',
      writeBy: performance.now(),
      onWrite: () => written++,
    });
    expect(failureOf(attempt)).toEqual(notSent('tooLate'));
    expect(attempt.sentAt).toBeUndefined();
    expect({ written, seen: server.seen.length }).toEqual({ written: 0, seen: 0 });
  });

  it('does not write when the connection comes up after the moment', async () => {
    // A TLS handshake that is never answered: TCP is up, the request cannot be written yet.
    const hello = latch();
    let closed = false;
    const baseUrl = await serveTcp((socket) =>
      socket
        .on('data', hello.open)
        .on('end', () => (closed = true))
        .resume(),
    );
    const api = apiOf(baseUrl.replace('http:', 'https:'));
    const attempt = api.call('leads.convert', { id: 'x', writeBy: performance.now() + 100 });
    await hello.promise;
    expect(failureOf(await attempt)).toEqual(notSent('tooLate'));
    await until(() => closed);
  });

  it.each(['leads.convert', 'leads.get'] as const)('%s: not after a process that stood still either', async (route) => {
    const server = await serve((response) => json(response, 200, conversion));
    const api = apiOf(server.baseUrl);
    const writeBy = performance.now() + 50;
    const attempt = api.call(route, { id: 'x', writeBy });
    while (performance.now() < writeBy + 20);
    expect(failureOf(await attempt)).toEqual(notSent('tooLate'));
    expect((await api.call('leads.convert', { id: 'control' })).ok).toBe(true);
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/lead-generation/leads/control/convert']);
  });

  it.each(['leads.convert', 'leads.get'] as const)(
    '%s: nor after a suspension, for which no timer has run',
    async (route) => {
      const server = await serve((response) => json(response, 200, conversion));
      const api = apiOf(server.baseUrl);
      const { uptime } = os;
      const suspended = jest.spyOn(os, 'uptime').mockImplementation(() => uptime() + 3_600);
      try {
        const attempt = await api.call(route, { id: 'x', writeBy: performance.now() + 5_000 });
        expect(failureOf(attempt)).toEqual(notSent('tooLate'));
      } finally {
        suspended.mockRestore();
      }
      expect((await api.call('leads.convert', { id: 'control', writeBy: steadyNow() + 5_000 })).ok).toBe(true);
      expect(server.seen.map(({ url }) => url)).toEqual(['/api/lead-generation/leads/control/convert']);
    },
  );

  it('asks once more at the last moment, on a kept connection too', async () => {
    const server = await serve((response) => json(response, 200, { id: 'x', surveyStatus: 'completed' }));
    const pool = new Pool(server.baseUrl);
    const base = { method: 'GET', origin: server.baseUrl, path: '/', headers: {}, connectMs: 1_000, timeoutMs: 1_000 };
    const request: HttpRequest = { ...base, maxResponseBytes: 1_000, onWrite: () => undefined } as HttpRequest;
    await exchange(pool, request);
    // Stands still in the last step before the writing, after every timer had its chance.
    const late = pool.compose((dispatch) => (options, handler) => {
      const start = handler.onRequestStart?.bind(handler);
      return dispatch(options, {
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
        onRequestStart: (controller, context) => {
          while (performance.now() < writeBy);
          start?.(controller, context);
        },
      });
    });
    const writeBy = performance.now() + 50;
    const { ending, sentAt } = await exchange(late, { ...request, path: '/late', writeBy });
    expect({ ending, sentAt }).toEqual({ ending: { kind: 'tooLate' }, sentAt: undefined });
    await exchange(pool, { ...request, path: '/control' });
    expect(server.seen.map(({ url }) => url)).toEqual(['/', '/control']);
    await pool.close();
  });

  it('writes when the moment has not passed, and says so once, before the request arrives', async () => {
    const events: string[] = [];
    const server = await serve((response) => {
      events.push('arrived');
      json(response, 200, conversion);
    });
    const attempt = await apiOf(server.baseUrl).call('leads.convert', {
      id: 'x',
      writeBy: performance.now() + 5_000,
      onWrite: () => events.push('written'),
    });
    expect(attempt.ok).toBe(true);
    expect(events).toEqual(['written', 'arrived']);
  });
});

describe('what never left', () => {
  it.each(['leads.convert', 'leads.get'] as const)('%s: nobody listens', async (route) => {
    expect(failureOf(await apiOf(await nobody()).call(route, { id: 'x' }))).toEqual(notSent('refused'));
  });

  it('TLS with a server that speaks none', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const api = apiOf(server.baseUrl.replace('http:', 'https:'));
    expect(failureOf(await api.call('leads.convert', { id: 'x' }))).toEqual(notSent('tls'));
  });

  it('a connection that does not come up in time', async () => {
    const baseUrl = await serveTcp((socket) => socket.resume());
    const api = apiOf(baseUrl.replace('http:', 'https:'), { timeouts: { connectMs: 50 } });
    expect(failureOf(await api.call('leads.get', { id: 'x' }))).toEqual(notSent('connectTimeout'));
  });

  it('a handshake that is reset', async () => {
    const baseUrl = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const api = apiOf(baseUrl.replace('http:', 'https:'));
    expect(failureOf(await api.call('leads.get', { id: 'x' }))).toEqual(notSent('unreachable'));
  });

  it('aborted before it was written', async () => {
    const hello = latch();
    const baseUrl = await serveTcp((socket) => socket.on('data', hello.open).resume());
    const api = apiOf(baseUrl.replace('http:', 'https:'));
    const abort = new AbortController();
    const attempt = api.call('leads.convert', { id: 'x', signal: abort.signal });
    await hello.promise;
    abort.abort();
    expect(failureOf(await attempt)).toEqual(notSent('aborted'));
    expect(failureOf(await api.call('leads.get', { id: 'x', signal: abort.signal }))).toEqual(notSent('aborted'));
  });

  it('an upload whose source fails before its first piece', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const stream = new Readable({ read: (): void => void stream.destroy(new Error('disk')) });
    const attempt = await apiOf(server.baseUrl).call('projects.uploadDocument', {
      id: 'p',
      raw: { contentType: 'text/plain', data: { stream, length: 100 } },
    });
    expect(failureOf(attempt)).toEqual(notSent('aborted'));
    expect(server.seen).toHaveLength(0);
  });
});

describe('S5: the gate is told', () => {
  it('a 429 parks its class for exactly what the service says, and no other class', async () => {
    const server = await serve((response) => json(response, 429, { error: 'slow' }, { 'retry-after': '7' }));
    const gate = createGate({ limits: LIMITS });
    const attempt = await apiOf(server.baseUrl, { gate }).call('leads.get', { id: 'x' });
    const until = gate.parkedUntil('reads') ?? 0;
    expect(Math.abs(until - attempt.endedAt - 7_000)).toBeLessThan(1_000);
    expect(gate.parkedUntil('writes')).toBeUndefined();
  });
});
