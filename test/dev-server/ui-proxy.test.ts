import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { openUiProxy, type UiProxy } from '../../src/dev-server/ui-proxy';
import { attacksOn, sendRaw } from '../support/listeners';

let proxy: UiProxy;
let behind: Server;
let arrived: {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}[];
beforeEach(async () => {
  arrived = [];
  proxy = await openUiProxy();
  behind = createServer({ maxHeaderSize: 1024 * 1024 }, async (request, response) => {
    const { method, url, headers } = request;
    arrived.push({ method, url, headers, body: await text(request) });
    response.setHeader('Set-Cookie', ['_csrf=one; Path=/; SameSite=Strict', 'other=two']);
    response.writeHead(201).end('x'.repeat(100_000));
  });
  behind.listen(proxy.hidden.port, proxy.hidden.host);
  await once(behind, 'listening');
});
afterEach(async () => {
  await proxy.close();
  behind.closeAllConnections();
  behind.close();
});
const listener = () => ({ address: '127.0.0.1', port: proxy.port });

test.each(['localhost', '127.0.0.1', '[::1]'])(
  'passes on what the pages under %s ask for, and the answer',
  async (name) => {
    const host = `${name}:${proxy.port}`;
    const body = JSON.stringify({ of: 'a run' });
    const { status, text: answer } = await sendRaw(listener(), {
      ...{ method: 'POST', target: '/api/v1/x?y=%20z', body },
      headers: [
        ...([
          ['Host', host],
          ['Origin', `http://${host}`],
          ['Sec-Fetch-Site', 'same-origin'],
        ] as const),
        ...([
          ['X-CSRF-Token', 'one'],
          ['Cookie', '_csrf=one'],
          ['Content-Type', 'application/json'],
        ] as const),
      ],
    });
    expect({ status, cookies: answer.match(/^set-cookie: .*$/gim) }).toEqual({
      status: 201,
      cookies: ['set-cookie: _csrf=one; Path=/; SameSite=Strict', 'set-cookie: other=two'],
    });
    expect(answer).toContain('x'.repeat(1_000));
    expect(arrived).toMatchObject([
      { method: 'POST', url: '/api/v1/x?y=%20z', body, headers: { host, 'x-csrf-token': 'one', cookie: '_csrf=one' } },
    ]);
  },
);

test('passes on the address of a run that has much to say of itself', async () => {
  const target = `/render?content=${'%20'.repeat(60_000)}`;
  expect((await sendRaw(listener(), { target, headers: [['Host', `127.0.0.1:${proxy.port}`]] })).status).toBe(201);
});

test('a link in a mail opens the Web UI in a tab', async () => {
  const headers = Object.entries({
    ...{ Host: `127.0.0.1:${proxy.port}`, 'Sec-Fetch-Site': 'cross-site' },
    ...{ 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
  });
  expect((await sendRaw(listener(), { target: '/', headers })).status).toBe(201);
  expect((await sendRaw(listener(), { method: 'POST', target: '/', headers })).status).toBe(403);
});

test.each(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT'])(
  'no %s of a foreign page reaches it',
  async (method) => {
    const through: string[] = [];
    for (const [name, request] of attacksOn(listener(), '/api/v1/x', method, method === 'GET' ? undefined : '{}')) {
      const { status } = await sendRaw(listener(), request);
      if (status >= 200 && status < 400) through.push(name);
    }
    expect(through).toEqual([]);
    expect(arrived).toEqual([]);
  },
);

test('answers under no other port: whoever sees another one in the address is somewhere else', async () => {
  for (const host of ['127.0.0.1', '127.0.0.1:1', 'localhost:', `127.0.0.1:${proxy.port}:80`, `[::2]:${proxy.port}`])
    expect([host, (await sendRaw(listener(), { target: '/', headers: [['Host', host]] })).status]).toEqual([host, 403]);
});

test('opens no WebSocket: the request is one like any other', async () => {
  const headers = Object.entries({ Host: `127.0.0.1:${proxy.port}`, Connection: 'Upgrade', Upgrade: 'websocket' });
  expect((await sendRaw(listener(), { target: '/', headers })).status).toBe(201);
  expect(arrived[0]?.headers.upgrade).toBeUndefined();
});

test('says so while there is nothing behind it, and goes on when there is again', async () => {
  behind.closeAllConnections();
  behind.close();
  await once(behind, 'close');
  expect((await fetch(`http://127.0.0.1:${proxy.port}/`)).status).toBe(502);
  behind.listen(proxy.hidden.port, proxy.hidden.host);
  await once(behind, 'listening');
  expect((await fetch(`http://127.0.0.1:${proxy.port}/`)).status).toBe(201);
});

test('hides the Web UI where a page cannot look for it', async () => {
  expect(proxy.hidden.host).toMatch(/^127\.\d+\.\d+\.\d+$/);
  if (process.platform === 'linux') expect(proxy.hidden.host).not.toBe('127.0.0.1');
});
