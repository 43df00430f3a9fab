/** What probes are told of a worker process. */
import type { AddressInfo } from 'node:net';
import { serveHealth, WorkerHealth } from '../src/health';
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
  let state: 'running' | 'failed' = 'running';
  health.runs({ state: () => state }, async () => undefined);
  await until(() => health.notReady() === undefined);
  expect(await asked('/readyz', health)).toEqual(OK);
  state = 'failed';
  expect(await asked('/readyz', health)).toEqual([503, 'a part of the worker has failed']);
  expect(await asked('/healthz', health)).toEqual([503, 'a part of the worker has failed']);
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
