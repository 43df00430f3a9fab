/** Which accounts open runs are of, in a namespace that other programs use, too. */
import type { Client } from '@temporalio/client';
import { otherAccounts } from '../../src/temporal/accounts-of-runs';

const RUNS = [
  { account: 'old-name', queue: 'audit-runner' },
  { account: 'default', queue: 'audit-runner' },
  { account: 'acme', queue: 'billing' },
];

/** As the server filters: by the queue and by the accounts that are left out. */
async function* list({ query }: { query: string }) {
  const [, queue] = / AND TaskQueue = '(.*?)'/.exec(query) ?? [];
  for (const run of RUNS)
    if ((queue === undefined || run.queue === queue) && !query.includes(`Account != '${run.account}'`))
      yield { typedSearchAttributes: { get: () => run.account } };
}

test('a run of another program with an attribute called Account is of no account of ours', async () => {
  expect(await otherAccounts({ workflow: { list } } as unknown as Client, ['default'])).toEqual(['old-name']);
});
