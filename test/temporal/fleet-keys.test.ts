/** A worker begins on a server that lists runs to nobody; a key that its ledger needs is asked for all the same. */
import type { Client } from '@temporalio/client';
import { KEY_ID_ENTRY } from '../../src/temporal/encryption';
import { joinFleet } from '../../src/temporal/fleet-keys';
import { GRPC } from '../../src/temporal/grpc-status';

const KEY = '0123456789abcdef';
const LEDGER = 'account-ledger.u';
const failure = (status: keyof typeof GRPC) =>
  Object.assign(new Error(`${GRPC[status]} ${status}: no`), { code: GRPC[status], details: 'no', metadata: {} });

/** A worker without a key joins where none was noted yet. @param history what its ledger's run has */
function joins(lists: Error, history: object): Promise<unknown> {
  const workflowService = {
    describeSchedule: () => Promise.reject(failure('NOT_FOUND')),
    listWorkflowExecutions: () => Promise.reject(lists),
    getWorkflowExecutionHistory: async () => history,
    describeTaskQueue: async () => ({ pollers: [] }),
  };
  const client = { workflowService, connection: { workflowService }, options: { namespace: 'default' } };
  const joining = { own: [], requires: false, patienceMs: 0, ledgers: async () => new Set([LEDGER]) };
  return joinFleet(client as unknown as Client, joining);
}

test.each(['PERMISSION_DENIED', 'UNIMPLEMENTED', 'INVALID_ARGUMENT', 'CANCELLED', 'UNAVAILABLE'] as const)(
  'where lists fail with %s, its own ledgers are looked at',
  async (status) => {
    await expect(joins(failure(status), {})).resolves.toBeUndefined();
    const written = { metadata: { [KEY_ID_ENTRY]: new TextEncoder().encode(KEY) } };
    await expect(joins(failure(status), written)).rejects.toThrow(`${LEDGER} was written with the key ${KEY}`);
  },
);

test('a failure of our own is one', async () => {
  await expect(joins(new TypeError('no such thing'), {})).rejects.toThrow('no such thing');
});
