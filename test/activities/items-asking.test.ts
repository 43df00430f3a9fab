/** S7: a batch is not kept from saying what it waits for by a server that does not list who asks. */
import { createBackfillActivities } from '../../activities/backfill';
import type { Deps } from '../../activities/deps';
import { GRPC } from '../../src/temporal/grpc-status';
import { asActivity } from './service';

/** A client whose server answers lists with this failure. */
function askedOf(failure: Error): Promise<number | undefined> {
  const client = {
    withDeadline: (_: number, work: () => unknown) => work(),
    workflow: {
      count: () => Promise.reject(failure),
      list() {
        throw failure;
      },
    },
  };
  const { itemsAsking } = createBackfillActivities({ client } as unknown as Deps);
  return asActivity(() => itemsAsking({ underWay: ['convert-lead.default.1'] }));
}

test.each(['PERMISSION_DENIED', 'INVALID_ARGUMENT', 'UNIMPLEMENTED', 'UNAVAILABLE', 'CANCELLED'] as const)(
  'of a list that the server refuses with %s it says that it is not known',
  async (status) => {
    const failure = Object.assign(new Error(status), { code: GRPC[status], details: status, metadata: {} });
    await expect(askedOf(failure)).resolves.toBeUndefined();
  },
);

test('a failure of our own is one', async () => {
  await expect(askedOf(new TypeError('no such thing'))).rejects.toThrow('no such thing');
});
