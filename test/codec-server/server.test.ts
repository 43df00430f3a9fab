/** The codec server over real HTTP: who may ask, what it reads and encrypts, and what it never says. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import pino from 'pino';
import { payloadsBody, payloadsIn } from '../../src/codec-server/payloads';
import { type CodecServer, openCodecServer } from '../../src/codec-server/server';
import { sparing } from '../../src/codec-server/sparing-log';
import { EncryptionCodec } from '../../src/temporal/encryption';
import { until } from '../support/until';

const UI = 'http://ui.example:8233';
const SECRET = 'not-what-anybody-would-guess';
const CANARY = 'anna@prospect.example';
const key = randomBytes(32);
const codec = new EncryptionCodec([key], 'default');
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

let log = '';
const servers: CodecServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  log = '';
});

async function opened(encode = false, perSecond = 200): Promise<CodecServer> {
  const server = await openCodecServer({
    ...{ codec, namespace: 'default', secret: SECRET, origins: () => [UI], encode, perSecond },
    log: pino({ level: 'trace' }, { write: (line) => (log += line) }),
  });
  servers.push(server);
  return server;
}

interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function ask({ port }: CodecServer, { path = `/${SECRET}/decode`, method = 'POST', headers, body }: Asked) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: text ?? JSON.stringify({ payloads: [] }) }),
  });
}

test('it decrypts for whoever has the secret, in the address or as a bearer token, and answers in the form it was asked', async () => {
  const server = await opened();
  const body = payloadsBody([...(await codec.encode([payload({ email: CANARY })])), payload('as it was')]);
  for (const how of [{}, { path: '/decode', headers: { authorization: `Bearer ${SECRET}` } }]) {
    const response = await ask(server, { ...how, body });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const plain = payloadsIn(await response.json());
    expect(plain.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([{ email: CANARY }, 'as it was']);
  }
  expect(server.endpoint).toBe(`http://127.0.0.1:${server.port}/${SECRET}`);
});

test.each([
  ['no secret', { path: '/decode' }, 401],
  ['a wrong one in the address', { path: `/${SECRET.toUpperCase()}/decode` }, 401],
  ['a wrong one beside the right one', { path: '/x/decode', headers: { authorization: `Bearer ${SECRET}` } }, 401],
  ['something before it', { path: `/x/${SECRET}/decode` }, 404],
  ['another path', { path: `/${SECRET}/other` }, 404],
  ['a GET', { method: 'GET' }, 405],
  ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
  ['no JSON', { body: CANARY }, 400],
  ['other JSON', { body: { payloads: [{ data: `${CANARY}!` }] } }, 400],
  ['far too much', { body: `{"payloads":"${'x'.repeat(17 * 1024 * 1024)}"}` }, 413],
  ['JSON without end', { body: '['.repeat(1_000_000) }, 400],
  ['a page of somebody else', { headers: { origin: 'http://evil.example' } }, 403],
  ['a page of no origin', { headers: { origin: 'null' } }, 403],
] as const)('%s is refused with a sentence', async (_, asked, status) => {
  const response = await ask(await opened(), asked);
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.stringMatching(/^\{"message":"[A-Z].*"\}$/)]);
  if (status === 403) expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(`${text}${log}`).not.toMatch(new RegExp(`${CANARY}|${SECRET}|evil`, 'i'));
});

test('pages of the Web UI may ask, also before they know the answer', async () => {
  const server = await opened();
  const headers = { origin: UI, 'access-control-request-method': 'POST' };
  const before = await ask(server, { method: 'OPTIONS', headers });
  expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, UI]);
  expect(before.headers.get('access-control-allow-headers')).toContain('x-namespace');
  const wrong = await ask(server, { path: '/wrong/decode', headers: { origin: UI } });
  expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([401, UI]);
  expect((await ask(server, { method: 'OPTIONS', headers: { origin: 'http://evil.example' } })).status).toBe(403);
});

test('what cannot be read stays as it is, and keeps nothing else from being read', async () => {
  const [mine] = await codec.encode([payload(CANARY)]);
  const [foreign] = await new EncryptionCodec([randomBytes(32)], 'default').encode([payload('x')]);
  if (!mine || !foreign) throw new Error('nothing was encrypted');
  const named = { ...mine, metadata: { ...mine.metadata, 'encryption-key-id': Buffer.from(`\x1b[31m${CANARY}`) } };
  const damaged: Payload[] = [foreign, named, { metadata: mine.metadata ?? {} }];
  for (let length = 0; length < 32; length++) damaged.push({ ...mine, data: mine.data?.subarray(0, length) ?? null });
  for (let n = 0; n < (mine.data?.length ?? 0); n++) {
    const data = Buffer.from(mine.data ?? []);
    data[n] = (data[n] ?? 0) ^ 0x41;
    damaged.push({ ...mine, data });
  }
  const response = await ask(await opened(), { body: payloadsBody([...damaged, mine]) });
  const answered = payloadsIn(await response.json());
  expect(payloadsBody(answered.slice(0, -1))).toEqual(payloadsBody(damaged));
  expect(defaultPayloadConverter.fromPayload(answered.at(-1) ?? {})).toBe(CANARY);
  expect(log).toContain('a key without a proper ID');
  expect(log).toContain('was damaged or changed');
  expect(log).not.toContain(CANARY);
});

test('it encrypts what is typed into forms only where that is wanted, and nothing twice', async () => {
  const [sealed] = await codec.encode([payload('before')]);
  const body = payloadsBody([payload(CANARY), sealed ?? {}]);
  const path = `/${SECRET}/encode`;
  expect(await (await ask(await opened(), { path, body })).json()).toEqual(body);
  const answered = payloadsIn(await (await ask(await opened(true), { path, body })).json());
  expect(payloadsBody(answered.slice(1))).toEqual({ payloads: body.payloads.slice(1) });
  expect(answered.map(({ metadata }) => String(Buffer.from(metadata?.encoding ?? [])))).toEqual([
    'binary/encrypted',
    'binary/encrypted',
  ]);
  const plain = await codec.decode(answered);
  expect(plain.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([CANARY, 'before']);
});

test('too many requests at once are told to come back', async () => {
  const server = await opened(false, 2);
  const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await ask(server, {})).status));
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
  await until(async () => (await ask(server, {})).status === 200);
});

test('who may not ask takes nothing from those who may, and does not fill the log', async () => {
  const server = await opened(false, 2);
  const strangers = [{ path: '/wrong/decode' }, { headers: { origin: 'http://evil.example' } }, { method: 'GET' }];
  for (let n = 0; n < 60; n++) expect((await ask(server, strangers[n % strangers.length] ?? {})).status).not.toBe(429);
  expect((await ask(server, {})).status).toBe(200);
  const lines = log.split('\n').filter((line) => line.includes('"level":40'));
  expect(lines).toHaveLength(strangers.length);
});

test('of lines that are equal one is written in ten seconds, of others a few, and how many were not', () => {
  let now = 0;
  const written: object[] = [];
  const sparse = sparing(pino({ base: null }, { write: (line) => written.push(JSON.parse(line)) }), () => now);
  for (let n = 0; n < 100; n++) sparse.warn({ status: 401 }, 'no secret');
  for (let n = 0; n < 100; n++) sparse.warn({}, `another one: ${n}`);
  expect(written).toHaveLength(20);
  now = 10_000;
  sparse.warn({ status: 401 }, 'no secret');
  // The other 99 of the first kind are told with the second line.
  expect(written[1]).toMatchObject({ unsaid: 99, msg: 'another one: 0' });
  expect(written.at(-1)).toMatchObject({ status: 401, unsaid: 81, msg: 'no secret' });
});

test('what it encrypts is bound to the namespace that the Web UI names, and what it reads may be for any run', async () => {
  const server = await opened(true);
  const body = payloadsBody([payload(CANARY)]);
  const sealed = async (headers: Record<string, string>): Promise<unknown> => {
    const answer = await ask(server, { path: `/${SECRET}/encode`, body, headers });
    return codec.open(payloadsIn(await answer.json())[0] ?? {}).binding;
  };
  const at = expect.any(Number);
  expect(await sealed({ 'x-namespace': 'audits' })).toEqual({ namespace: 'audits', at });
  expect(await sealed({})).toEqual({ namespace: 'default', at });
  expect(await sealed({ 'x-namespace': '"},' })).toEqual({ namespace: 'default', at });
  const ofRun = { type: 'workflow', namespace: 'audits', workflowId: 'some-run' } as const;
  const read = await ask(server, { body: payloadsBody(await codec.encode([payload(CANARY)], ofRun)) });
  expect(payloadsIn(await read.json()).map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([CANARY]);
});

test('a body that never ends is not waited for', async () => {
  const socket = connect((await opened()).port, '127.0.0.1');
  socket.write(
    `POST /${SECRET}/decode HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
}, 60_000);

test('a health check needs no secret', async () => {
  expect((await ask(await opened(), { path: '/healthz', method: 'GET' })).status).toBe(200);
});
