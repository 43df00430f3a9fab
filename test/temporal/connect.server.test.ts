import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { freePort } from '../../src/dev-server/free-port';
import { startServer } from '../../src/dev-server/server';
import { connectClient, connectionConfig, TemporalUnreachable } from '../../src/temporal/connect';
import { connectNative } from '../../src/temporal/connect-worker';
import { explained } from '../../src/temporal/unreachable';
import { startTestTemporal, type TestTemporal } from '../support/temporal';
import { until } from '../support/until';
import { remove, temporaryFolder } from './support';

let folder: string;
let temporal: TestTemporal;
beforeAll(async () => {
  [folder, temporal] = await Promise.all([temporaryFolder(), startTestTemporal()]);
});
afterAll(async () => {
  await temporal.close();
  await remove(folder);
});

test('what is given wins over the environment, and that over the profile', async () => {
  const file = path.join(folder, 'temporal.toml');
  await writeFile(
    file,
    '[profile.production]\naddress = "a.example:7233"\nnamespace = "n"\napi_key = "k"\n[profile.production.tls]\nserver_name = "s"\n',
  );
  const env = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'production', TEMPORAL_NAMESPACE: 'from-environment' };
  expect(connectionConfig({ env })).toMatchObject({
    address: 'a.example:7233',
    namespace: 'from-environment',
    apiKey: 'k',
    tls: { serverNameOverride: 's' },
  });
  expect(connectionConfig({ env, namespace: 'given', address: 'b.example:7233' })).toMatchObject({
    address: 'b.example:7233',
    namespace: 'given',
    apiKey: 'k',
  });
  expect(connectionConfig({ env: { TEMPORAL_CONFIG_FILE: path.join(folder, 'none') } })).toEqual({
    address: '127.0.0.1:7233',
    namespace: 'default',
  });
});

test('a namespace that is not there is named', async () => {
  const config = { address: temporal.address, namespace: 'nowhere' };
  await expect(connectClient({ config })).rejects.toThrow(/has no namespace 'nowhere'/);
  await expect(connectNative({ config })).rejects.toThrow(TemporalUnreachable);
});

test('a request whose repetition comes due when the connection is closed fails, and the process goes on', async () => {
  const [host, port] = temporal.address.split(':');
  const sockets: Socket[] = [];
  const way = createServer((socket) => {
    const onward = connect(Number(port), host);
    sockets.push(socket, onward);
    for (const each of [socket, onward]) each.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const { port: near } = way.address() as AddressInfo;
  const reached = await connectClient({ config: { address: `127.0.0.1:${near}`, namespace: temporal.namespace } });
  way.close();
  for (const socket of sockets) socket.destroy();
  const asked = reached.connection.workflowService.getSystemInfo({});
  const refused = expect(asked).rejects.toThrow(/shut down/);
  await reached.close();
  await refused;
});

test('a proxy in the environment is not asked', async () => {
  const proxy = createServer().listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  let asked = 0;
  proxy.on('connection', (socket) => {
    asked++;
    socket.destroy();
  });
  const { port } = proxy.address() as AddressInfo;
  const names = ['grpc_proxy', 'https_proxy', 'http_proxy', 'no_grpc_proxy', 'no_proxy'];
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  try {
    for (const name of names) {
      if (name.startsWith('no_')) delete process.env[name];
      else process.env[name] = `http://127.0.0.1:${port}`;
    }
    const { address, namespace } = temporal;
    const { connection } = await connectNative({ config: { address, namespace } });
    await connection.close();
    expect(asked).toBe(0);
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    proxy.close();
  }
});

test('without waiting, says where no server answers', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  await expect(connectClient({ config: { address, namespace: 'default' } })).rejects.toThrow(
    `no Temporal server answers at ${address}`,
  );
});

test('of a server that is there, what it does not do is told in its words', async () => {
  const lost = Object.assign(new Error('14 UNAVAILABLE: no lists'), { code: 14, details: 'no lists', metadata: {} });
  const { address, namespace } = temporal;
  const said = async (at: string) => String(await explained({ address: at, namespace }, lost));
  expect(await said(address)).toContain(`the Temporal server at ${address} does not do it: no lists`);
  expect(await said(`127.0.0.1:${await freePort()}`)).toContain('no Temporal server answers');
});

test('waits for a server that is not there yet, saying so, and then connects', async () => {
  const port = await freePort();
  const config = { address: `127.0.0.1:${port}`, namespace: 'default' };
  const lines: string[] = [];
  const connecting = connectNative({ config, wait: true, log: (line) => lines.push(line) });
  await until(() => lines.length > 0);
  expect(lines[0]).toMatch(`waiting for Temporal: no Temporal server answers at ${config.address}`);
  const server = await startServer({ port });
  const { connection } = await connecting;
  await connection.close();
  await server.stop();
});

test('the waiting ends when it is aborted', async () => {
  const config = { address: temporal.address, namespace: 'nowhere' };
  await expect(connectClient({ config, wait: true, signal: AbortSignal.timeout(200) })).rejects.toThrow(
    TemporalUnreachable,
  );
});
