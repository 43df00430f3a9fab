import { MockActivityEnvironment } from '@temporalio/testing';
import type { Deps } from '../../activities/deps';
import { createNotesActivities } from '../../activities/notes';
import { identifyNote } from '../../src/captures/note';
import { FailureType } from '../../src/runs/failure-types';
import { StorageError } from '../../src/storage';

const note = identifyNote('default', undefined, 'Minutes of the meeting', undefined);

test.each([
  ['long', 600_000, { type: FailureType.parked, nonRetryable: true, details: [600_000] }],
  ['short', 2_000, { type: FailureType.waiting, nextRetryDelay: 2_000 }],
])(
  'S7: a pause of the service that keeps a note from its capture, a %s one, is told to the run if it is worth saying',
  async (_, forMs, expected) => {
    const now = 1_000;
    const ledger = {
      ...{ workflowId: 'account-ledger.1', now: () => now, open: async () => [], claims: async () => [] },
      beginSend: async () => ({ kind: 'parked', until: now + forMs }),
    };
    const deps = {
      accounts: new Map([['default', { account: {}, ledger: async () => ledger }]]),
    } as unknown as Deps;
    const { claimCapture } = createNotesActivities(deps);
    const asked = new MockActivityEnvironment().run(claimCapture, {
      account: 'default',
      note,
      captures: ['capture-1'],
    });
    await expect(asked).rejects.toMatchObject(expected);
  },
);

test('S7: a note whose text cannot be read just before it is sent is tried again, less and less often', async () => {
  const away = async () => {
    throw new StorageError('unusable', 'the storage does not answer');
  };
  const deps = {
    accounts: new Map([['default', { account: { undocumented: { note: {} } } }]]),
    storage: { describe: () => 'the storage', read: away, stat: away },
  } as unknown as Deps;
  const { submitNoteOnce } = createNotesActivities(deps);
  const call = { account: 'default', note, noteFile: 'accounts/default/notes/1.txt', lookedAt: 0 };
  expect(await new MockActivityEnvironment().run(submitNoteOnce, call)).toEqual({
    kind: 'notSent',
    reason: 'aborted',
  });
});
