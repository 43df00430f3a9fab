/** S1: only a worker that knew the ledger before may remember that it is lost, so each is asked before a new one opens. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { type BooksTold, createBooksActivities } from '../../activities/books';
import { type Deps, SOON_TRIES } from '../../activities/deps';
import { booksBefore } from '../../src/temporal/books-before';
import { type QueueState, queueState } from '../../src/temporal/queue-workers';

jest.mock('../../src/temporal/books-before');
jest.mock('../../src/temporal/queue-workers');

const ledger = {
  ...{ workflowId: 'account-ledger.u1', configured: { account: 'main' }, config: { probeEveryMs: 60_000 } },
  books: { kept: async () => undefined },
};
const account = { timing: { pollMs: 5_000 } };
let known: typeof ledger | undefined;
beforeEach(() => {
  known = ledger;
});
const runtime = { account, ledgerWith: () => known, knownLedger: () => known, ledger: async () => ledger };
const { openBooks } = createBooksActivities({
  accounts: new Map([['main', runtime]]),
  client: { options: {} },
  identity: 'one',
} as unknown as Deps);

/** What a try comes to, and what it tells the next one. */
async function tried(how: { heartbeatDetails?: unknown; attempt?: number }) {
  const workflowExecution = { workflowId: ledger.workflowId, runId: 'run-1' };
  const environment = new MockActivityEnvironment({ attempt: 1, ...how, workflowExecution });
  const said: unknown[] = [];
  environment.on('heartbeat', (details) => said.push(details));
  const came = await environment.run(openBooks).then(
    (told) => (told as BooksTold).before,
    (error: Error) => error.message,
  );
  return { came, said };
}

const works = (...identities: string[]) => jest.mocked(queueState).mockResolvedValue({ identities } as QueueState);
const knowsOfNone = () => jest.mocked(booksBefore).mockResolvedValue({ lost: false, isTold: false });

test('it opens at once where one worker alone takes its questions, or the ledger before has told', async () => {
  works('one', 'one');
  knowsOfNone();
  expect(await tried({})).toEqual({ came: { lost: false }, said: [] });
  works('one', 'other');
  jest.mocked(booksBefore).mockResolvedValue({ lost: true, isTold: true });
  expect(await tried({})).toEqual({ came: { lost: true }, said: [] });
});

test('each try tells the next one which workers were asked, and it opens when these are all', async () => {
  works('one', 'other', 'third');
  knowsOfNone();
  const waits = expect.stringContaining('other workers are asked');
  expect(await tried({})).toEqual({ came: waits, said: [['one']] });
  expect(await tried({ heartbeatDetails: ['one'] })).toEqual({ came: waits, said: [['one']] });
  expect(await tried({ heartbeatDetails: ['other'] })).toEqual({ came: waits, said: [['other', 'one']] });
  expect(await tried({ heartbeatDetails: ['other', 'third'] })).toEqual({ came: { lost: false }, said: [] });
});

test('a worker that does not know whose its token is was asked all the same: it remembers none', async () => {
  known = undefined;
  expect(await tried({ heartbeatDetails: ['other'] })).toEqual({
    came: expect.stringContaining('left to one that does'),
    said: [['other', 'one']],
  });
});

test('what somebody else has put there counts for nothing, and one that never answers is waited for so often', async () => {
  works('one', 'other');
  knowsOfNone();
  for (const heartbeatDetails of ['other', { 0: 'other' }, [5, null], undefined])
    expect(await tried({ heartbeatDetails })).toMatchObject({ said: [['one']] });
  expect(await tried({ attempt: SOON_TRIES })).toEqual({ came: { lost: false }, said: [] });
});
