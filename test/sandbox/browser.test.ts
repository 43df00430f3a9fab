import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import { call, convertible, first, sandboxOf, until } from './helpers';

const session = 'sandbox-session';
const KEYS = '/api/user/api-keys';

describe('access tokens', () => {
  it('are created in a browser session: plaintext once, read only by default, revoked at once', async () => {
    const sandbox = await sandboxOf();
    const created = await call(sandbox, 'POST', KEYS, { session, body: { label: 'mine' } });
    expect(created).toMatchObject({ status: 201, body: { label: 'mine', scopes: ['read'], expiresAt: null } });
    const [, token = ''] = /"plaintext":"(aky_[0-9A-Za-z]{32})"/.exec(created.text) ?? [];
    expect(created.body).toMatchObject({ tokenPrefix: token.slice(0, 6) });
    expect((await call(sandbox, 'GET', '/api/user/current', { token })).status).toBe(200);
    expect((await call(sandbox, 'POST', '/api/projects', { token, body: {} })).status).toBe(403);

    const listed = await call(sandbox, 'GET', KEYS, { session });
    expect(listed.text).not.toContain(token);
    expect(listed.body).toMatchObject({
      apiKeys: expect.arrayContaining([expect.objectContaining({ label: 'mine', lastUsedAt: expect.any(String) })]),
    });
    const id = /"id":"([^"]+)"/.exec(created.text)?.[1];
    expect((await call(sandbox, 'DELETE', `${KEYS}/${id}`, { session })).status).toBe(200);
    expect((await call(sandbox, 'GET', '/api/user/current', { token })).status).toBe(401);
    expect((await call(sandbox, 'GET', KEYS, { session })).text).toContain('"revokedAt":"2');
  });

  it('are at most ten active ones; a revoked one makes room', async () => {
    const sandbox = await sandboxOf();
    const create = () => call(sandbox, 'POST', KEYS, { session, body: { label: 'x' } });
    for (let count = 0; count < 8; count++) expect((await create()).status).toBe(201);
    expect(await create()).toMatchObject({ status: 409, body: { error: expect.any(String) } });
    sandbox.control.revokeToken({ token: sandbox.readToken });
    expect((await create()).status).toBe(201);
  });

  it('expire with 401 without a code', async () => {
    const sandbox = await sandboxOf();
    const body = { label: 'x', expiresAt: new Date(Date.now() - 1000).toISOString() };
    const { text } = await call(sandbox, 'POST', KEYS, { session, body });
    const token = /"plaintext":"([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await call(sandbox, 'GET', '/api/user/current', { token })).body).toEqual({ error: expect.any(String) });
  });

  it('are not created without a valid scope, without a label, or without a session', async () => {
    const sandbox = await sandboxOf();
    const create = (body: object, as = session) => call(sandbox, 'POST', KEYS, { session: as, body });
    expect((await create({ label: 'x', scopes: ['admin'] })).status).toBe(400);
    expect((await create({ label: 'x', scopes: [] })).status).toBe(400);
    expect((await create({ label: '' })).status).toBe(400);
    expect((await create({ label: 'x' }, 'other')).status).toBe(401);
  });

  it('belong to the user of the session', async () => {
    const sandbox = await sandboxOf();
    const { text } = await call(sandbox, 'POST', KEYS, { session: `${session}-2`, body: { label: 'x' } });
    const token = /"plaintext":"([^"]+)"/.exec(text)?.[1] ?? '';
    expect((await call(sandbox, 'GET', '/api/user/current', { token })).body).toMatchObject({
      id: sandbox.otherUserId,
    });
  });
});

const pem = (name: string) => readFileSync(join(__dirname, 'fixtures', name));
const tls: ServerOptions = { key: pem('receiver-key.pem'), cert: pem('receiver-cert.pem') };
const ca = pem('receiver-cert.pem').toString();

/** An HTTPS receiver that answers with the next of the statuses, and with the last one from then on; 0: not at all. */
async function receiver(statuses: number[]): Promise<{ url: string; received: string[]; close: () => void }> {
  const received: string[] = [];
  const server = createServer(tls, (request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push(text);
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      if (status) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `https://localhost:${port}/hook`, received, close };
}

describe('webhooks', () => {
  const register = (sandbox: Sandbox, url: string) =>
    call(sandbox, 'POST', '/api/user/webhooks', { session, body: { url } });
  const deliveries = async (sandbox: Sandbox) =>
    (await call(sandbox, 'GET', '/api/user/webhook-deliveries', { session })).text;
  const convertOne = (sandbox: Sandbox) => sandbox.control.convertLead({ leadId: first(convertible(sandbox)) });

  it('must be HTTPS, and need the Team plan', async () => {
    const sandbox = await sandboxOf();
    expect(await register(sandbox, 'http://localhost/hook')).toMatchObject({
      status: 400,
      body: { code: 'WEBHOOK_HTTPS_REQUIRED' },
    });
    sandbox.control.setTier({ tier: 'professional' });
    expect(await register(sandbox, 'https://localhost/hook')).toMatchObject({
      status: 403,
      body: { requiredTier: 'team' },
    });
  });

  it.each([{ ca }, { insecure: true }])('deliver an event once to a receiver that answers (%#)', async (webhookTls) => {
    const sandbox = await sandboxOf({ webhookTls });
    const { url, received, close } = await receiver([204]);
    expect((await register(sandbox, url)).status).toBe(201);
    const { projectId } = convertOne(sandbox);
    await until(async () => (await deliveries(sandbox)).includes('"status":"delivered"'));
    expect(received).toHaveLength(1);
    expect(JSON.parse(first(received))).toMatchObject({ event: 'lead.converted', data: { projectId } });
    close();
  });

  it('do not deliver to a certificate that nobody vouches for', async () => {
    const sandbox = await sandboxOf();
    const { url, received, close } = await receiver([204]);
    await register(sandbox, url);
    convertOne(sandbox);
    await until(async () => (await deliveries(sandbox)).includes('WEBHOOK_DELIVERY_FAILED'));
    expect(received).toHaveLength(0);
    close();
  });

  it('are attempted three times, recorded as failed, and delivered by a replay', async () => {
    const sandbox = await sandboxOf({ webhookTls: { ca } });
    const { url, received, close } = await receiver([500, 500, 500, 200]);
    await register(sandbox, url);
    convertOne(sandbox);
    await until(async () => (await deliveries(sandbox)).includes('"code":"WEBHOOK_DELIVERY_FAILED"'));
    expect(received).toHaveLength(3);
    const id = /"deliveries":\[{"id":"([^"]+)"/.exec(await deliveries(sandbox))?.[1];
    const replay = await call(sandbox, 'POST', `/api/user/webhook-deliveries/${id}/replay`, { session });
    expect(replay.status).toBe(202);
    await until(async () => (await deliveries(sandbox)).includes('"status":"delivered"'));
    expect(received).toHaveLength(4);
    close();
  });

  it('time out after 10 (scaled) seconds with WEBHOOK_TIMEOUT', async () => {
    const sandbox = await sandboxOf({ webhookTls: { ca }, speed: 50 });
    const { url, close } = await receiver([0]);
    await register(sandbox, url);
    convertOne(sandbox);
    await until(async () => (await deliveries(sandbox)).includes('WEBHOOK_DELIVERY_FAILED'));
    expect((await deliveries(sandbox)).match(/WEBHOOK_TIMEOUT/g)).toHaveLength(3);
    close();
  });
});
