/** S8: books that have less than the ledger have lost entries: nothing is paid until a person has seen it. */
import * as ledger from '../../src/ledger';
import { ADJUSTMENT } from '../../src/ledger';

const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = '2026-11-21';
const MINUTE = 60_000;
const LATER = NOW + 10 * MINUTE;
const budget = { perRun: null, perDay: null, balanceFloor: 0, timeZone: 'UTC' };
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const start = { account: 'a', timing, budget };
const open = () => ledger.openLedger(start, NOW, false);
const request = (subject: string, lookedAt = NOW + 1): ledger.BeginSend => ({
  ...{ subject, attempt: `${subject}/1`, run: 'r', credits: 1_000, lookedAt, runCap: 1e6 },
});
const grant = (state: ledger.LedgerState, subject: string) => ledger.beginSend(state, request(subject), NOW + 2).state;
const paid = (state: ledger.LedgerState, subject: string, at = NOW + 3) => {
  const settlement = { kind: 'paid', credits: 1_000 } as const;
  return ledger.settle(grant(state, subject), { subject, attempt: `${subject}/1`, run: 'r', settlement }, at).state;
};
const three = () => ['lead:1', 'lead:2', 'lead:3'].reduce((state, lead) => paid(state, lead), open());
const told = (credits: number, reserved = 0, since: Record<string, number> = { '2026-10-22': credits }) => ({
  ...start,
  booked: { from: '2026-10-22', credits, since, reserved },
});
const compared = (state: ledger.LedgerState, said: ledger.LedgerStart, at = LATER) => ledger.compared(state, said, at);

test('books as full as the ledger change nothing, and what is reserved in them counts as there', () => {
  const state = three();
  expect(compared(state, told(3_000))).toBe(state);
  expect(compared(state, told(4_000))).toBe(state);
  // A worker died before it could say what became of one.
  expect(compared(state, told(2_000, 1_000))).toBe(state);
});

test('what was booked lately may be missing; afterwards it must be there', () => {
  const state = paid(three(), 'lead:4', LATER - MINUTE / 2);
  expect(compared(state, told(3_000))).toBe(state);
  expect(compared(state, told(3_000), LATER + 2 * MINUTE).holds).toMatchObject([{ kind: 'books', lacks: 1_000 }]);
});

test('an older worker, one that could not read them or has another time zone, and what people corrected say nothing', () => {
  const state = three();
  expect(compared(state, { ...told(0), budget: { ...budget, timeZone: 'Europe/Berlin' } })).toBe(state);
  expect(compared(state, { ...start, booked: { from: TODAY, credits: 0 } })).toBe(state);
  expect(compared(state, start)).toBe(state);
  const corrected = ledger.book(state, { subject: ADJUSTMENT, run: ADJUSTMENT, credits: 5_000, at: NOW + 5 });
  expect(compared(corrected, told(3_000))).toBe(corrected);
});

test("a worker that is configured with another time zone sums its books up in the ledger's", () => {
  const told = (timeZone: string) => ({
    ...{ ...start, budget: { ...budget, timeZone: 'Europe/Berlin' } },
    booked: { from: '2026-10-22', credits: 0, timeZone, since: { '2026-10-22': 0 } },
  });
  expect(compared(three(), told('UTC')).holds).toMatchObject([{ kind: 'books', lacks: 3_000 }]);
  expect(compared(three(), told('Europe/Berlin')).holds).toEqual([]);
});

test('books that lack something put the account on hold, for what costs alone', () => {
  const held = compared(three(), told(1_000));
  expect(held.holds).toEqual([
    {
      kind: 'books',
      since: LATER,
      reason: '2,000 of the credits booked since 2026-10-22 are missing in them',
      lacks: 2_000,
    },
  ]);
  expect(ledger.beginSend(held, request('lead:4', LATER + 1), LATER + 2).answer).toMatchObject({ kind: 'held' });
  const free = { ...request('note:4', LATER + 1), credits: 0 };
  expect(ledger.beginSend(held, free, LATER + 2).answer).toMatchObject({ kind: 'granted' });
  expect(compared(held, told(1_000), LATER + MINUTE)).toBe(held);
});

test('it ends by itself when they are there again, and not sooner', () => {
  const held = compared(three(), told(1_000));
  const less = compared(held, told(2_000), LATER + MINUTE);
  expect(less.holds).toMatchObject([{ kind: 'books', since: LATER, lacks: 1_000 }]);
  expect(compared(less, start).holds).toHaveLength(1);
  expect(compared(less, told(3_000)).holds).toEqual([]);
});

test('what a person has released is known, and only what is missing beyond it holds again', () => {
  const released = ledger.releaseAll(compared(three(), told(1_000)), false, NOW);
  expect(released.holds).toEqual([]);
  expect(compared(released, told(1_000))).toBe(released);
  expect(compared(released, told(0)).holds).toMatchObject([{ lacks: 3_000 }]);
  // Nor does a release that has nothing to do with it forget it.
  const manual = ledger.hold(released, { kind: 'manual', since: LATER, reason: 'month end' });
  expect(compared(ledger.releaseAll(manual, false, NOW), told(1_000)).holds).toEqual([]);
});

test('what workers of 0.2 paid, which keep no books, is no loss, and the page says so; what is lost after them is', () => {
  const { perRun: _, ...known } = budget;
  const older = ledger.configure(three(), { ...start, worker: 'old', budget: known }, NOW + 5 * MINUTE);
  const [hour, day] = [NOW + 60 * MINUTE, NOW + 24 * 60 * MINUTE];
  // It has not reported again, and does not count any more when the next one does, however late.
  const state = ledger.configure(ledger.noteUnkept(older), { ...told(1_000), worker: 'new' }, hour);
  const accepted = compared(state, told(1_000), hour);
  expect([accepted.holds, accepted.acceptedLack]).toEqual([[], 2_000]);
  expect(accepted.actions).toMatchObject([
    { by: 'audit-runner', what: 'accepted that the books in the storage lack 2,000 credits' },
  ]);
  expect(compared(accepted, told(1_000), day)).toBe(accepted);
  expect(compared(accepted, told(0), day).holds).toMatchObject([{ kind: 'books', lacks: 3_000 }]);
});

test('while workers of 0.2 count, and until what they sent is settled, nothing that is missing is a loss', () => {
  const { perRun: _, ...known } = budget;
  const state = ledger.noteUnkept(ledger.configure(three(), { ...start, worker: 'old', budget: known }, NOW));
  const [{ until = 0 } = {}] = state.workers.filter(({ worker }) => worker === 'old');
  const one = compared(state, told(2_000), until + MINUTE);
  const two = compared(one, told(0), until + 2 * MINUTE);
  expect([two.holds, two.acceptedLack, two.actions?.length]).toEqual([[], 3_000, 2]);
});

test('what a look finds of them in the end is no loss, also where the next report comes at once', () => {
  const { perRun: _, ...known } = budget;
  const older = grant(open(), 'lead:1');
  const state = ledger.noteUnkept(ledger.configure(older, { ...start, worker: 'old', budget: known }, NOW));
  const hour = NOW + 60 * MINUTE;
  const settlement = { kind: 'foundPaid' } as const;
  const { state: found } = ledger.settle(state, { subject: 'lead:1', attempt: 'lead:1/1', run: 'r', settlement }, hour);
  const soon = compared(found, told(0), hour + MINUTE);
  expect(compared(soon, told(0), hour + 3 * MINUTE)).toMatchObject({ holds: [], acceptedLack: 1_000 });
});

test('nor is what they paid while something else is reserved in the books, which is settled when nobody is left of them', () => {
  const { perRun: _, ...known } = budget;
  const state = ledger.noteUnkept(ledger.configure(three(), { ...start, worker: 'old', budget: known }, NOW));
  const hour = NOW + 60 * MINUTE;
  const over = compared(state, told(2_000, 1_000), hour);
  expect(over).toMatchObject({ acceptedLack: 1_000 });
  expect(over.unkeptUntil).toBeUndefined();
  expect(compared(over, told(2_000), hour + MINUTE).holds).toEqual([]);
  expect(compared(over, told(1_000), hour + MINUTE).holds).toMatchObject([{ kind: 'books', lacks: 2_000 }]);
});

test('what was paid a moment ago is not taken for theirs when nobody is left of them', () => {
  const { perRun: _, ...known } = budget;
  const older = ledger.noteUnkept(ledger.configure(three(), { ...start, worker: 'old', budget: known }, NOW));
  const hour = NOW + 60 * MINUTE;
  const over = compared(paid(older, 'lead:4', hour - 200), told(3_000), hour);
  expect([over.unkeptUntil, over.acceptedLack, over.actions]).toEqual([undefined, 0, older.actions]);
});

test('what the account was on hold for before they came still waits for a person', () => {
  const { perRun: _, ...known } = budget;
  const held = compared(three(), told(1_000));
  const older = ledger.noteUnkept(ledger.configure(held, { ...start, worker: 'old', budget: known }, LATER));
  const hour = NOW + 60 * MINUTE;
  const again = compared(compared(older, told(1_000), hour), told(1_000), hour + MINUTE);
  expect(again.holds).toMatchObject([{ kind: 'books', lacks: 2_000 }]);
  const released = ledger.releaseAll(older, false, hour);
  expect(compared(released, told(1_000), hour)).toMatchObject({ holds: [], acceptedLack: 2_000 });
});

test('a call that nobody can look up does not excuse for ever what is missing', () => {
  const { perRun: _, ...known } = budget;
  const older = ledger.configure(grant(three(), 'lead:4'), { ...start, worker: 'old', budget: known }, NOW);
  const hour = NOW + 60 * MINUTE;
  const still = compared(ledger.noteUnkept(older), told(3_000), hour);
  expect(still.unkeptUntil).toBeDefined();
  const over = compared(still, told(3_000), hour + 60 * MINUTE);
  expect(over.unkeptUntil).toBeUndefined();
  expect(compared(over, told(0), hour + 61 * MINUTE).holds).toMatchObject([{ kind: 'books', lacks: 3_000 }]);
});

test('what was accepted is known only as long as it is missing, and nothing is reserved that may be missing again', () => {
  const released = ledger.releaseAll(compared(three(), told(1_000)), false, NOW);
  const reserved = compared(released, told(1_000, 2_000));
  expect(reserved.acceptedLack).toBe(2_000);
  const back = compared(released, told(3_000));
  expect(back.acceptedLack).toBe(0);
  expect(compared(back, told(1_000)).holds).toMatchObject([{ lacks: 2_000 }]);
});

test('what was accepted is not forgotten while a payment is new in both, or not yet in the ledger', () => {
  const released = ledger.releaseAll(compared(three(), told(1_000)), false, NOW);
  const paidNow = paid(released, 'lead:4', LATER - MINUTE / 2);
  expect(compared(paidNow, told(2_000)).acceptedLack).toBe(2_000);
  const underWay = grant(released, 'lead:4');
  expect(compared(underWay, told(2_000)).acceptedLack).toBe(2_000);
});

test('what was written before a midnight and booked after it is no loss', () => {
  const days = { '2026-10-22': 1_000, '2026-10-23': 2_000 };
  const state = { ...three(), days: { ...days, [TODAY]: 3_000 } };
  const books = { '2026-10-22': 5_000, '2026-10-23': 5_000, '2026-10-24': 3_000 };
  expect(compared(state, told(5_000, 0, books))).toBe(state);
});

test('after a change of the time zone days are compared again when all of them are of the new one', () => {
  const state = { ...three(), zonedAt: NOW - 20 * 24 * 60 * MINUTE };
  expect(compared(state, told(0))).toBe(state);
  expect(compared({ ...state, zonedAt: NOW - 40 * 24 * 60 * MINUTE }, told(0)).holds).toHaveLength(1);
});

test('days before those of the worker are not compared', () => {
  const old = { ...three(), days: { '2026-10-20': 50_000, [TODAY]: 3_000 } };
  expect(compared(old, told(3_000))).toBe(old);
});
