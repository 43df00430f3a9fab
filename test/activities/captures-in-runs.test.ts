/** S7: a sweep is not kept from its captures by a server that does not list which runs see to them. */
import { createCaptureSweepActivities } from '../../activities/capture-sweep';
import type { Deps } from '../../activities/deps';
import { GRPC } from '../../src/temporal/grpc-status';
import { asActivity } from './service';

/** A client whose server answers lists with this failure. */
function asked(failure: Error, orUnknown?: boolean): Promise<string[] | undefined> {
  const client = {
    withDeadline: (_: number, work: () => unknown) => work(),
    workflow: {
      list() {
        throw failure;
      },
    },
  };
  const deps = { client, log: { warn: () => undefined } } as unknown as Deps;
  const { capturesInRuns } = createCaptureSweepActivities(deps);
  const call = { account: 'default', captureIds: ['c-1'], ...(orUnknown && { orUnknown }) };
  return asActivity(() => capturesInRuns(call));
}

test.each(['PERMISSION_DENIED', 'INVALID_ARGUMENT', 'UNIMPLEMENTED', 'UNAVAILABLE', 'CANCELLED'] as const)(
  'of a list that the server refuses with %s it says that it is not known; runs of before take none as seen to',
  async (status) => {
    const failure = Object.assign(new Error(status), { code: GRPC[status], details: status, metadata: {} });
    await expect(asked(failure, true)).resolves.toBeUndefined();
    await expect(asked(failure)).resolves.toEqual([]);
  },
);

test('a failure of our own is one', async () => {
  await expect(asked(new TypeError('no such thing'), true)).rejects.toThrow('no such thing');
});
