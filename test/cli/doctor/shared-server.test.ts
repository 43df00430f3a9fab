/** A server whose settings nobody here can change: managed, or of another team. */
import { queueLimit } from '../../../src/cli/doctor/queue-limit';
import { matching } from '../../../src/cli/doctor/temporal';
import type { Connected } from '../../../src/temporal/connect';

/** @param rate of each queue; none where the server refuses to set it */
function server(partitions: number, rate?: number): Connected {
  const config = rate === undefined ? {} : { queueRateLimit: { rateLimit: { requestsPerSecond: rate } } };
  const workflowService = {
    listTaskQueuePartitions: async () => ({ activityTaskQueuePartitions: Array(partitions).fill({}) }),
    describeTaskQueue: async () => ({ config }),
  };
  return { namespace: 'default', connection: { workflowService } } as unknown as Connected;
}
const WANTED = { rate: 1, held: 0.5 };

test('several partitions are worth a look, and no failure: the limits hold', async () => {
  expect(await matching(server(4), [])).toMatchObject({
    state: 'warning',
    mend: expect.stringContaining('on a server of others leave it so'),
  });
  expect((await matching(server(1), [])).state).toBe('ok');
});

test.each([
  ['reads', 'run a single worker for this account'],
  ['writes', 'writes keep to their limit all the same'],
] as const)(
  'a queue of %s without a limit is worth a look, and the refusal to set one is named',
  async (rateClass, so) => {
    const check = await queueLimit(server(4), 'default', rateClass, WANTED);
    expect(check).toMatchObject({ state: 'warning', mend: expect.stringContaining('refuses to set it') });
    expect(check.mend).toContain(so);
  },
);

test('a limit that somebody else has set is wrong', async () => {
  expect((await queueLimit(server(1, 9), 'default', 'reads', WANTED)).state).toBe('wrong');
  expect((await queueLimit(server(1, 1), 'default', 'reads', WANTED)).state).toBe('ok');
});
