/** How old the status of a ledger may be. */
import type { Client } from '@temporalio/client';
import { LedgerClient, type LedgerConfig } from '../../src/temporal/ledger-client';

afterEach(() => jest.restoreAllMocks());

test('the status is read again after a second, also where the clock was set back', async () => {
  let asked = 0;
  const client = {
    workflow: { getHandle: () => ({}) },
    withDeadline: async () => {
      asked++;
    },
  } as unknown as Client;
  const ledger = new LedgerClient(client, 'ledger', {} as LedgerConfig);
  let [clock, passed] = [Date.now(), 5_000];
  jest.spyOn(Date, 'now').mockImplementation(() => clock);
  jest.spyOn(performance, 'now').mockImplementation(() => passed);
  await ledger.status();
  passed += 1_000;
  await ledger.status();
  expect(asked).toBe(1);
  clock -= 3_600_000;
  passed += 1;
  await ledger.status();
  expect(asked).toBe(2);
});
