/** S5: of the partitions a server tells only to how many it writes, and divides the limits by those that it reads from. */

import { matching } from '../../../src/cli/doctor/temporal';
import type { Connected } from '../../../src/temporal/connect';

function checked(written: number) {
  const partitions = Array.from({ length: written }, (_, n) => ({ key: `/_sys/queue/${n}` }));
  const workflowService = { listTaskQueuePartitions: async () => ({ activityTaskQueuePartitions: partitions }) };
  const connection = { workflowService } as unknown as Connected['connection'];
  return matching({ connection, namespace: 'default' }, []);
}

test('does not claim to know from how many partitions is read', async () => {
  const { state, found } = await checked(1);
  expect(state).toBe('ok');
  expect(found).toMatch(/^1 partition is written to in each queue; from how many it is read cannot be seen/);
});
