/** Where the record of the workers' keys cannot be seen no worker starts: `doctor` says so, whatever the reason. */
import type { Client } from '@temporalio/client';
import { encryption } from '../../../src/cli/doctor/temporal';
import { GRPC } from '../../../src/temporal/grpc-status';

/** On a server that answers so where it is asked for a schedule. */
function checked(status: keyof typeof GRPC, details: string) {
  const failure = Object.assign(new Error(`${GRPC[status]} ${status}: ${details}`), {
    ...{ code: GRPC[status], details, metadata: {} },
  });
  const client = {
    options: { namespace: 'default' },
    workflowService: { describeSchedule: () => Promise.reject(failure) },
  };
  return encryption({ client: client as unknown as Client });
}

test.each([
  ['PERMISSION_DENIED', 'Schedules are disabled on this namespace.', 'have it allowed there'],
  ['PERMISSION_DENIED', 'Request unauthorized.', 'check TEMPORAL_API_KEY'],
  ['UNIMPLEMENTED', 'unknown method DescribeSchedule', 'have it allowed there'],
] as const)('%s: %s', async (status, details, mend) => {
  expect(await checked(status, details)).toMatchObject({
    state: 'wrong',
    found: `the server does not let us see which keys the workers have (${details.replace(/\.$/, '')}): no worker starts`,
    mend: expect.stringContaining(mend),
  });
});

test('a server that is away for a moment says nothing about it', async () => {
  await expect(checked('UNAVAILABLE', 'gone')).rejects.toThrow('gone');
});

test('where there is no record, encryption is off', async () => {
  expect(await checked('NOT_FOUND', 'schedule not found')).toMatchObject({ state: 'ok' });
});
