/** S7: of a ledger that cannot answer yet, since its books are not open, whoever asks hears why, and is not kept for long. */
import { type Client, QueryNotRegisteredError } from '@temporalio/client';
import { FailureType } from '../../src/runs/failure-types';
import { LedgerClient } from '../../src/temporal/ledger-client';
import { LedgerUpdates } from '../../src/temporal/ledger-updates';

const OPENING = 'The ledger is finding out from a worker what is in its books.';
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const budget = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0, timeZone: 'UTC' };

afterEach(() => jest.restoreAllMocks());

/** @param times how often it says that it cannot answer */
function ledger(times: number): LedgerClient {
  let asked = 0;
  const query = async () => {
    if (asked++ < times) throw new QueryNotRegisteredError(OPENING, 3);
    return ['c1'];
  };
  const client = { workflow: { getHandle: () => ({ query }) } } as unknown as Client;
  return new LedgerClient(client, 'account-ledger.u1', { account: 'default', timing, budget, probeEveryMs: 1_000 });
}

test('one that opens meanwhile is asked again', async () => {
  await expect(ledger(1).claims('note:n1')).resolves.toEqual(['c1']);
});

test('of one that takes longer the run is told, which says so itself', async () => {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => {
    now += 6_000;
    return now;
  });
  const asked = ledger(Number.POSITIVE_INFINITY).claims('note:n1');
  await expect(asked).rejects.toMatchObject({
    type: FailureType.ledger,
    nonRetryable: true,
    message: `The account's ledger is not available: ${OPENING}`,
  });
});

test('of one whose workflow task fails the run hears at once what mends it', async () => {
  const said = "The account's ledger cannot answer: its workflow task fails.";
  jest.spyOn(LedgerUpdates.prototype, 'trouble').mockResolvedValue(said);
  // Asked once more it would answer.
  const asked = ledger(1).claims('note:n1');
  await expect(asked).rejects.toMatchObject({ type: FailureType.ledger, message: said });
});
