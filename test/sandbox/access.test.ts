import { type Route, routes } from '../../src/agent-api/routes';
import type { Sandbox } from '../../src/sandbox';
import { call, sandboxOf } from './helpers';

const ID = '3f2b8c1e-0d4a-4e7b-9a51-6c2d8e4f7a10';
const all: [string, Route][] = Object.entries(routes);
const table = all.filter(([, { allowlist }]) => allowlist !== 'session');
const ask = (sandbox: Sandbox, { method, path }: Route, token?: string | null) =>
  call(sandbox, method, path.replace('{id}', ID), token === undefined ? {} : { token });

describe('who may call what', () => {
  it('answers 401 without a code to no token and to a token that matches no active key, on every route', async () => {
    const sandbox = await sandboxOf();
    for (const [name, route] of table)
      for (const token of [null, `aky_${'0'.repeat(32)}`]) {
        const { status, body } = await ask(sandbox, route, token);
        expect({ name, status, body }).toEqual({ name, status: 401, body: { error: expect.any(String) } });
      }
  });

  it.each(['aky_short', `aky_${'0'.repeat(33)}`, `aky_${'0'.repeat(31)}-`, `akx_${'0'.repeat(32)}`])(
    'answers 401 PAT_MALFORMED to %s',
    async (token) => {
      const { status, body } = await call(await sandboxOf(), 'GET', '/api/user/current', { token });
      expect({ status, body }).toMatchObject({ status: 401, body: { code: 'PAT_MALFORMED' } });
    },
  );

  it('needs the write scope for every write and none for reads', async () => {
    const sandbox = await sandboxOf();
    for (const [name, route] of table) {
      const { status, body } = await ask(sandbox, route, sandbox.readToken);
      if (route.scope === 'write')
        expect({ name, status, body }).toEqual({
          name,
          status: 403,
          body: { error: expect.stringContaining('write'), code: 'PAT_SCOPE_INSUFFICIENT' },
        });
      else expect({ name, refused: status === 403 || status === 401 }).toEqual({ name, refused: false });
    }
  });

  it('answers 404 without a code for an ID that does not exist, on every route with an ID', async () => {
    const sandbox = await sandboxOf();
    for (const [name, route] of table.filter(([, { path }]) => path.includes('{id}'))) {
      const form = new FormData();
      form.append('file', new Blob(['x']), 'x.txt');
      const answer = name.endsWith('uploadDocument')
        ? await call(sandbox, route.method, route.path.replace('{id}', ID), { form })
        : await ask(sandbox, route);
      expect({ name, status: answer.status, body: answer.body }).toEqual({
        name,
        status: 404,
        body: { error: expect.any(String) },
      });
    }
  });

  it("hides a user's rows from another user's token", async () => {
    const sandbox = await sandboxOf();
    const [lead] = sandbox.control.leads();
    const [project] = sandbox.control.projects();
    for (const path of [`/api/lead-generation/leads/${lead?.id}`, `/api/projects/${project?.id}`]) {
      expect((await call(sandbox, 'GET', path)).status).toBe(200);
      expect((await call(sandbox, 'GET', path, { token: sandbox.otherToken })).status).toBe(404);
    }
    const { body } = await call(sandbox, 'GET', '/api/projects', { token: sandbox.otherToken });
    expect(body).toMatchObject({ pagination: { total: 1 } });
  });

  it.each([
    ['GET', '/api/billing/invoices'],
    ['POST', '/api/lead-generation/leads/x/web-research'],
    ['PUT', '/api/projects'],
    ['DELETE', `/api/projects/${ID}`],
  ])('answers 403 PAT_ROUTE_NOT_ALLOWED to %s %s', async (method, path) => {
    const { status, body } = await call(await sandboxOf(), method, path);
    expect({ status, body }).toMatchObject({ status: 403, body: { code: 'PAT_ROUTE_NOT_ALLOWED' } });
  });

  it('refuses the two routes of which the document is unsure when told to', async () => {
    const sandbox = await sandboxOf({ documentsRoute: 'refused', noteRoute: 'refused' });
    for (const route of [routes['projects.uploadDocument'], routes['captures.submitNote']])
      expect(await ask(sandbox, route)).toMatchObject({ status: 403, body: { code: 'PAT_ROUTE_NOT_ALLOWED' } });
  });

  it('answers 403 PAT_NOT_SUPPORTED_FOR_ENDPOINT to a token on a browser-session endpoint', async () => {
    const sandbox = await sandboxOf();
    for (const [method, path] of [
      ['POST', '/api/user/api-keys'],
      ['GET', '/api/user/api-keys'],
      ['POST', '/api/user/webhooks'],
    ] as const)
      expect(await call(sandbox, method, path)).toMatchObject({
        status: 403,
        body: { code: 'PAT_NOT_SUPPORTED_FOR_ENDPOINT' },
      });
  });

  it('answers 503 PAT_DISABLED on every route while the agent API is off, and serves again afterwards', async () => {
    const sandbox = await sandboxOf();
    sandbox.control.setAgentApi({ enabled: false });
    for (const [, route] of table)
      expect(await ask(sandbox, route)).toMatchObject({ status: 503, body: { code: 'PAT_DISABLED' } });
    sandbox.control.setAgentApi({ enabled: true });
    expect((await call(sandbox, 'GET', '/api/user/current')).status).toBe(200);
  });

  it('revokes a token with the very next request', async () => {
    const sandbox = await sandboxOf();
    sandbox.control.revokeToken({ token: sandbox.token });
    const { status, body } = await call(sandbox, 'GET', '/api/user/current');
    expect({ status, body }).toEqual({ status: 401, body: { error: expect.any(String) } });
    sandbox.control.restoreToken({ token: sandbox.token });
    expect((await call(sandbox, 'GET', '/api/user/current')).status).toBe(200);
  });

  it('answers HEAD as GET without a body, and OPTIONS with the methods, without a scope', async () => {
    const sandbox = await sandboxOf();
    const head = await call(sandbox, 'HEAD', '/api/projects', { token: sandbox.readToken });
    expect(head).toMatchObject({ status: 200, text: '' });
    const options = await call(sandbox, 'OPTIONS', '/api/projects', { token: sandbox.readToken });
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('GET, POST, OPTIONS');
  });

  it('answers errors as JSON: a body that is too large, not JSON, or of another type', async () => {
    const sandbox = await sandboxOf({ bodyLimit: 1000 });
    const post = (body: string, type: string) =>
      fetch(`${sandbox.baseUrl}/api/projects`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sandbox.token}`, 'Content-Type': type },
        body,
      });
    for (const [body, type, status] of [
      [JSON.stringify({ clientName: 'x'.repeat(2_000_000) }), 'application/json', 413],
      ['{"clientName":', 'application/json', 400],
      ['clientName=x', 'application/x-www-form-urlencoded', 400],
    ] as const) {
      const response = await post(body, type);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ error: expect.any(String) });
    }
  });
});
