import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isListening } from '../../src/dev-server/free-port';
import { ensureTemporal, type OwnServer, startServer, type TemporalServer } from '../../src/dev-server/server';
import { isAlive } from '../../src/system';
import { connectClient } from '../../src/temporal/connect';
import type { Env } from '../../src/temporal/environment';
import { packageRoot } from '../../src/temporal/package-root';
import { ensureQueueLimits, readQueueLimit } from '../../src/temporal/queue-limits';
import { listenersOf } from '../support/listeners';
import { until } from '../support/until';
import { executable, remove, temporaryFolder, version } from '../temporal/support';

let folder: string;
const servers: TemporalServer[] = [];
const kept = <T extends TemporalServer>(server: T): T => {
  servers.push(server);
  return server;
};
/** The machine's environment without a Temporal server that somebody configured there. */
let env: Env;
const portOf = ({ address }: TemporalServer) => Number(address.split(':')[1]);

beforeEach(async () => {
  folder = await temporaryFolder();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  env = { ...Object.fromEntries(own), TEMPORAL_CONFIG_FILE: path.join(folder, 'none.toml') };
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await remove(folder);
});

test('uses the address that is configured, and looks for no server', async () => {
  const configured = { PATH: '', TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_NAMESPACE: 'audits' };
  const server = kept(await ensureTemporal({ env: configured }));
  expect(server).toMatchObject({ kind: 'given', address: 'temporal.example:7233', namespace: 'audits' });
});

test('starts a server of its own, ready for work, and leaves nothing behind', async () => {
  const lines: string[] = [];
  const server = kept(await ensureTemporal({ env, ui: true, namespace: 'audits', log: (line) => lines.push(line) }));
  const { client, close } = await connectClient({ config: server.config });
  await client.workflow.start('anything', {
    workflowId: 'w',
    taskQueue: 'q',
    searchAttributes: { Account: ['main'], NeedsPerson: [true], CreditsSpent: [1] },
  });
  await close();
  await expect(fetch(server.uiUrl ?? '').then(({ status }) => status)).resolves.toBe(200);
  expect(lines.at(-1)).toContain(`${server.address}, Web UI at ${server.uiUrl}`);
  await server.stop();
  await expect(isListening(portOf(server))).resolves.toBe(false);
});

test('the Web UI knows its codec server, whose secret no argument of a process shows', async () => {
  const codecEndpoint = 'http://127.0.0.1:1/a-secret-that-is-in-the-address';
  const server = await startServer({ env, ui: true, codecEndpoint });
  kept(server);
  const args = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0');
  expect(args).toContain('start-dev');
  expect(args.join(' ')).not.toContain('secret');
  const settings: unknown = await (await fetch(`${server.uiUrl}/api/v1/settings`)).json();
  expect(settings).toMatchObject({ Codec: { Endpoint: codecEndpoint } });
  // What it was read from is gone.
  const file = args[args.indexOf('--env-file') + 1] ?? '';
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await server.restart().then(kept);
  expect(await (await fetch(`${server.uiUrl}/api/v1/settings`)).json()).toMatchObject({
    Codec: { Endpoint: codecEndpoint },
  });
});

test('a web page that posts to its ports starts nothing', async () => {
  const server = kept(await startServer({ env, ui: true }));
  const ports = listenersOf(server.pid).map(({ port }) => port);
  expect(ports).toContain(portOf(server));
  const body = JSON.stringify({ workflowType: { name: 'leadPipeline' }, taskQueue: { name: 'audit-runner' } });
  const answers = await Promise.all(
    ports.map((port) =>
      fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/workflows/from-a-page`, {
        method: 'POST',
        // What a browser sends for a page without asking the server first.
        headers: { 'content-type': 'text/plain', origin: 'http://page.example' },
        body,
        signal: AbortSignal.timeout(5_000),
      }).then(
        ({ status }) => status,
        () => 'no HTTP',
      ),
    ),
  );
  // Of the HTTP API; the Web UI has a port of its own, and a token against such posts.
  expect(answers).toContain(403);
  const { client, close } = await connectClient({ config: server.config });
  expect((await client.workflow.count()).count).toBe(0);
  await close();
});

test('keeps workflows and queue limits on its file through a crash, on the same port', async () => {
  const persist = path.join(folder, 'data', 'temporal.db');
  const first = kept(await startServer({ env, persist }));
  // S4: histories are in it.
  const modes = [path.dirname(persist), persist].map(async (file) => (await stat(file)).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
  const before = await connectClient({ config: first.config });
  await before.client.workflow.start('anything', { workflowId: 'kept', taskQueue: 'q' });
  const limit = { max: 20, windowMs: 60_000 };
  await ensureQueueLimits(before.connection, 'default', 'main', { reads: limit, writes: limit, polls: limit });
  await before.close();
  await first.kill();
  expect(isAlive(first.pid)).toBe(false);

  const second = kept(await first.restart());
  expect(second.address).toBe(first.address);
  const after = await connectClient({ config: second.config });
  const { status } = await after.client.workflow.getHandle('kept').describe();
  expect(status.name).toBe('RUNNING');
  await expect(readQueueLimit(after.connection, 'default', 'agent-api.main.writes')).resolves.toMatchObject({
    setBy: 'audit-runner',
  });
  await after.close();
});

test('shares the server that already runs on the file, and does not stop it', async () => {
  const persist = path.join(folder, 'temporal.db');
  const [one, other] = await Promise.all([ensureTemporal({ env, persist }), ensureTemporal({ env, persist })]);
  const own = kept([one, other].find(({ kind }) => kind === 'own') ?? one);
  const shared = [one, other].find(({ kind }) => kind === 'shared');
  expect(shared?.address).toBe(own.address);
  await shared?.stop();
  await expect(isListening(portOf(own))).resolves.toBe(true);
  await own.stop();
  expect(kept(await ensureTemporal({ env, persist }))).toMatchObject({ kind: 'own' });
});

test("fails with the server's own words when it does not start", async () => {
  const bin = path.join(folder, 'bin');
  await executable(
    bin,
    'temporal',
    `[ "$1" = --version ] && ${version('1.29.1')} && exit; echo "disk is full"; exit 1`,
  );
  await expect(ensureTemporal({ env: { ...env, PATH: bin } })).rejects.toThrow('disk is full');
});

test('does not take a port that the user named and somebody has', async () => {
  const server: OwnServer = kept(await startServer({ env }));
  await expect(startServer({ env, port: portOf(server) })).rejects.toThrow(/address already in use/i);
});

test.each(['its work is done', 'SIGTERM', 'SIGKILL'] as const)('ends with its process: %s', async (end) => {
  const script = `
    const { startServer } = require(${JSON.stringify(path.join(packageRoot(), 'dist/src/dev-server/server.js'))});
    startServer().then(({ pid }) => {
      console.log(pid);
      if (${end.startsWith('SIG')}) setInterval(() => undefined, 1_000);
    });`;
  const child = spawn(process.execPath, ['-e', script], { env: { ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(child.stdout, 'data');
  const pid = Number(output);
  expect(pid).toBeGreaterThan(0);
  const ended = once(child, 'exit');
  if (end !== 'its work is done') {
    expect(isAlive(pid)).toBe(true);
    child.kill(end);
  }
  await ended;
  await until(() => !isAlive(pid));
});
