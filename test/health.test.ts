/** What probes are told of a worker process. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHealth, WorkerHealth } from '../src/health';
import { credentialsWatch } from '../src/temporal/connect';
import type { RunningWorker } from '../src/worker';
import { until } from './support/until';

const asked = async (path: string, health: WorkerHealth) => {
  const server = await serveHealth('127.0.0.1:0', health);
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const answer = [response.status, (await response.text()).trim()];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return answer;
};
const OK = [200, 'ok'];

test('a process lives from its start, and is ready while it takes work', async () => {
  const health = new WorkerHealth();
  expect(await asked('/healthz', health)).toEqual(OK);
  expect(await asked('/readyz', health)).toEqual([503, 'connecting to the Temporal server']);
  let state: ReturnType<RunningWorker['state']> = 'running';
  health.runs({ state: () => state }, async () => undefined);
  await until(() => health.notReady() === undefined);
  expect(await asked('/readyz', health)).toEqual(OK);
  state = 'failed';
  expect(await asked('/readyz', health)).toEqual([503, 'a part of the worker has failed']);
  expect(await asked('/healthz', health)).toEqual([503, 'a part of the worker has failed']);
  // By itself, since the configuration cannot be worked with: it is not killed while it hears out its calls.
  state = 'stopping';
  expect(await asked('/readyz', health)).toEqual([503, 'finishing the calls in flight']);
  expect(await asked('/healthz', health)).toEqual(OK);
  state = 'running';
  health.stops();
  health.runs({ state: () => state }, async () => 'too many');
  await until(() => health.notReady() !== undefined);
  expect(await asked('/readyz', health)).toEqual([
    503,
    'the Temporal server refuses workers that ask for work (too many)',
  ]);
  expect(await asked('/healthz', health)).toEqual(OK);
  health.stops();
  expect(await asked('/readyz', health)).toEqual([503, 'finishing the calls in flight']);
  expect(await asked('/healthz', health)).toEqual(OK);
});

test('an address without a port is refused', async () => {
  for (const address of ['8080', '0.0.0.0', '127.0.0.1:http'])
    await expect(serveHealth(address, new WorkerHealth())).rejects.toThrow('host:port');
});

test('a Temporal server that does not answer makes it not ready, and is no reason to kill it', async () => {
  const health = new WorkerHealth();
  health.runs({ state: () => 'running' }, () => Promise.reject(new Error('UNAVAILABLE: 10.0.0.1')));
  expect(await asked('/readyz', health)).toEqual([503, 'the Temporal server does not answer']);
  expect(await asked('/healthz', health)).toEqual(OK);
  expect(await asked('/anything', health)).toEqual([404, '']);
  health.stops();
});

test('a worker whose certificate was renewed is to be restarted once the server does not take the old one any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-health-'));
  const [certificate, key] = [join(folder, 'client.pem'), join(folder, 'client.key')];
  const fixture = (name: string) => readFileSync(join(__dirname, 'sandbox', 'fixtures', name), 'utf8');
  const first = fixture('receiver-cert.pem');
  writeFileSync(certificate, first);
  writeFileSync(key, fixture('receiver-key.pem'));
  let [now, answers] = [0, true];
  const isRenewed = credentialsWatch({ TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key });
  const health = new WorkerHealth(isRenewed, () => now);
  const connecting = new WorkerHealth(isRenewed, () => now);
  const ask = async () => {
    if (!answers) throw new Error('UNAVAILABLE');
    return undefined;
  };
  health.runs({ state: () => 'running' }, ask);
  await until(() => health.notReady() === undefined);
  answers = false;
  now = 121_000;
  expect(health.fault()).toBeUndefined();
  renameSync(certificate, join(folder, 'before.pem'));
  expect(health.fault()).toBeUndefined();
  writeFileSync(certificate, `${first}# second\n`);
  for (const one of [health, connecting])
    expect(one.fault()).toMatch(/^the Temporal server does not answer.* was renewed/);
  now = 119_000;
  for (const one of [health, connecting]) expect(one.fault()).toBeUndefined();
  now = 121_000;
  health.stops();
  expect(health.fault()).toBeUndefined();
  rmSync(folder, { recursive: true });
});
