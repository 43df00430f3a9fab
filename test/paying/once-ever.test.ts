/** What happens once ever: what the ledger and a run know of it where the service shows nothing. */
import { advance, start } from '../../src/paying/attempt-plan';
import { admit, noOpenSends, type OpenSends, type Settlement, settle, take } from '../../src/paying/open-sends';

const TIMING = { sendWindowMs: 1_000, paidTimeoutMs: 1_000, settlingMs: 1_000 };
const PROJECT = 'project:one';
const request = { subject: PROJECT, attempt: 'second', run: 'again', credits: 1_000, lookedAt: 60_000 };

function after(settlement: Settlement, subject = PROJECT, credits = 1_000): OpenSends {
  const first = { ...request, subject, credits, attempt: 'first', run: 'first', lookedAt: 1 };
  const answer = admit(noOpenSends(), first, 10, TIMING);
  if (answer.kind !== 'granted') throw new Error(answer.kind);
  const flying = take(noOpenSends(), subject, answer.flight);
  return settle(flying, subject, 'first', 'first', settlement, 20).flights;
}
const admits = (flights: OpenSends, more: object = {}) => admit(flights, { ...request, ...more }, 61_000, TIMING).kind;

test('S2: what was paid for and never found is not granted again, unless a person says so', () => {
  const flights = after({ kind: 'paid', credits: 1_000 });
  expect(admit(flights, request, 61_000, TIMING)).toEqual({ kind: 'done' });
  expect(admits(flights, { again: true })).toBe('granted');
  expect(admits(after({ kind: 'notPaid' }))).toBe('granted');
});

test('S2: a note that was taken and never found is not granted again, one that was refused or given up is', () => {
  const note = { subject: 'note:one', credits: 0 };
  expect(admits(after({ kind: 'paid', credits: 0 }, note.subject, 0), note)).toBe('done');
  const over = settle(after({ kind: 'notPaid' }, note.subject, 0), note.subject, '', '', { kind: 'over' }, 30).flights;
  expect(admits(over, note)).toBe('granted');
});

test('S2: an audit may be wanted again', () => {
  expect(admits(after({ kind: 'paid', credits: 0 }, 'audit:one', 0), { subject: 'audit:one' })).toBe('granted');
});

test('what a subject became is claimed, also where the ledger has forgotten who sent it', () => {
  const { flights } = settle(noOpenSends(), PROJECT, '', 'run', { kind: 'foundPaid', ref: 'p1' }, 70_000);
  expect(flights.settled).toMatchObject([{ subject: PROJECT, ref: 'p1', credits: 0 }]);
  const late = settle(
    after({ kind: 'paid', credits: 1_000 }),
    PROJECT,
    '',
    'run',
    { kind: 'foundPaid', ref: 'p1' },
    3_000_000,
  );
  // For an hour from then on, not from when it was paid for.
  expect(late.flights.settled).toMatchObject([{ ref: 'p1', credits: 1_000, at: 3_000_000 }]);
  expect(late.booking).toBeUndefined();
});

test('a person who wants it sent again is not asked the same once more', () => {
  const looked = (course: ReturnType<typeof start>, found: 'cannotTell' | 'found', at: number) =>
    advance(course, { type: 'looked', askedAt: at, found }, at, 1_000);
  const asks = looked(start(0), 'cannotTell', 0);
  expect(asks.step).toEqual({ do: 'ask', why: 'cannotTell' });
  const insists = advance(asks, { type: 'decided', decision: 'sendAgain' }, 1, 1_000);
  expect(looked(insists, 'cannotTell', 2).step).toMatchObject({ do: 'send', again: true });
  expect(looked(insists, 'found', 2).step).toMatchObject({ do: 'end', how: 'alreadyDone' });
  // For one attempt: of the next nobody has said anything.
  const unknown = advance(
    looked(insists, 'cannotTell', 2),
    { type: 'sent', outcome: { kind: 'unknown', overAt: 9 } },
    3,
    1_000,
  );
  expect(looked(unknown, 'cannotTell', 10).step).toEqual({ do: 'ask', why: 'cannotTell' });
});

test('S2: what the ledger knows to be paid for, without what it became, is a question', () => {
  const sent = advance(start(0), { type: 'sent', outcome: { kind: 'done' } }, 1, 1_000);
  expect(sent.step).toEqual({ do: 'ask', why: 'paidBefore' });
});
