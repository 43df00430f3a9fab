import { MockActivityEnvironment } from '@temporalio/testing';
import { createAccountActivities } from '../../activities/account';
import type { Deps } from '../../activities/deps';
import { FailureType } from '../../src/policy/failures';

/** As where the service does not say who the token belongs to. */
const deps = {
  accounts: new Map([
    [
      'default',
      {
        account: { timing: { holdProbeMs: 1_000 } },
        ledger: () => Promise.reject(new Error('it is not known who the token belongs to')),
      },
    ],
  ]),
} as unknown as Deps;

test('S7: what needs a ledger that cannot be had is told to the run, which says so; Temporal alone would repeat it in silence', async () => {
  const { claimedRefs } = createAccountActivities(deps);
  const asked = new MockActivityEnvironment().run(claimedRefs, { account: 'default', but: 'lead:1' });
  await expect(asked).rejects.toMatchObject({
    type: FailureType.ledger,
    nonRetryable: true,
    message: expect.stringContaining('who the token belongs to'),
  });
});
