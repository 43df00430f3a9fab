/** S5, S7: a read that is redirected while its class has no place for one more request. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { callRoute } from '../../activities/call';
import { FailureType } from '../../src/runs/failure-types';
import { apiOf, closeAll, json, serve } from '../agent-api/server';
import { serviceOf } from './service';

afterEach(closeAll);

/** @param forMs for how long the reads are parked by the time it is redirected */
async function readRedirected(forMs: number) {
  const server = await serve((response, { url }) =>
    json(response, 308, {}, { location: url.replace('/api/', '/v2/') }),
  );
  let until: number | undefined;
  const hop = async () => {
    if (forMs > 0) until = Date.now() + forMs;
    return { ok: false, retryAtMs: Date.now() + 9_000 } as const;
  };
  const told = { departed: () => undefined, refused: () => undefined, passed: () => undefined };
  const { runtime } = await serviceOf(() => ({}));
  const gate = { ...runtime.gate, parkedUntil: () => until };
  const api = apiOf(server.baseUrl, { gate: { ...told, acquire: hop } });
  const read = () => callRoute({ ...runtime, gate, api }, 'leads.get', { id: 'l1' });
  return new MockActivityEnvironment().run(read);
}

test('waits and says that the service asked to wait, where it did', async () => {
  await expect(readRedirected(60_000)).rejects.toMatchObject({ type: FailureType.parked, nonRetryable: true });
});

test('and goes back to its queue where the class is only busy', async () => {
  await expect(readRedirected(0)).rejects.toMatchObject({ type: FailureType.waiting, nextRetryDelay: 1_000 });
});
