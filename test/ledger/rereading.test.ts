/** S8: a ledger that knows less than the books in the storage takes what they say. */
import * as ledger from '../../src/ledger';
import { ADJUSTMENT } from '../../src/ledger';

const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = '2026-11-21';
const budget = { perDay: null, balanceFloor: 0, timeZone: 'UTC' };
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const start = { account: 'a', timing, budget };
const open = () => ledger.openLedger(start, NOW, false);
const request = (subject: string): ledger.BeginSend => ({
  ...{ subject, attempt: `${subject}/1`, run: 'r', credits: 1_000, lookedAt: NOW + 1, runCap: 1e6 },
});
const grant = (state: ledger.LedgerState, subject: string) => ledger.beginSend(state, request(subject), NOW + 2).state;
const settled = (state: ledger.LedgerState, subject: string, at = NOW + 3) => {
  const settlement = { kind: 'paid', credits: 1_000 } as const;
  return ledger.settle(state, { subject, attempt: `${subject}/1`, run: 'r', settlement }, at).state;
};
const paid = (state: ledger.LedgerState, subject: string) => settled(grant(state, subject), subject);
const kept = (state: ledger.LedgerState): ledger.Kept => ({
  ...{ flights: state.flights, days: state.days, bookings: state.bookings },
  runs: Object.fromEntries(Object.entries(state.runs).map(([run, { spent }]) => [run, spent])),
});
const said = (state: ledger.LedgerState) => ({
  ...start,
  booked: { from: '2026-10-22', credits: state.days[TODAY] ?? 0 },
});
const reread = (state: ledger.LedgerState, books: ledger.Kept, open = {}) =>
  ledger.reread(state, { books }, { at: NOW + 10, open }, NOW + 20);
const sums = ({ days, today, runs }: ledger.LedgerState) => [days[TODAY], today?.spent, runs.r?.spent];

test('a ledger that was set back takes sums, runs, bookings and open sends of the books', () => {
  const before = paid(open(), 'lead:1');
  const after = grant(paid(paid(before, 'lead:2'), 'lead:3'), 'lead:4');
  expect(ledger.isBehind(before, said(after))).toBe(true);
  const again = reread(before, kept(after));
  expect(sums(again)).toEqual([3_000, 3_000, 3_000]);
  expect(Object.keys(again.flights.open)).toEqual(['lead:4']);
  expect(ledger.beginSend(again, { ...request('lead:2'), attempt: 'x' }, NOW + 30).answer).toMatchObject({
    kind: 'stale',
  });
  expect(ledger.isBehind(again, said(after))).toBe(false);
});

test('a ledger that knows as much as the books stays as it is, however often it reads them', () => {
  const state = grant(paid(open(), 'lead:1'), 'lead:2');
  expect(ledger.isBehind(state, said(state))).toBe(false);
  expect(reread(reread(state, kept(state)), kept(state))).toEqual(state);
});

test('what is settled while the books are read counts once, whichever of both has heard of it', () => {
  const granted = grant(paid(open(), 'lead:1'), 'lead:2');
  const done = settled(granted, 'lead:2');
  // The ledger first, then the books first; then its message comes.
  expect(sums(reread(done, kept(granted)))).toEqual([2_000, 2_000, 2_000]);
  const early = reread(granted, kept(done));
  expect(early.flights.open).toEqual({});
  expect(sums(settled(early, 'lead:2', NOW + 30))).toEqual([2_000, 2_000, 2_000]);
});

test('what people corrected is kept, and makes no difference to the books', () => {
  const state = paid(open(), 'lead:1');
  const corrected = ledger.book(state, { subject: ADJUSTMENT, run: ADJUSTMENT, credits: -400, at: NOW + 5 });
  expect(ledger.isBehind(corrected, said(state))).toBe(false);
  const more = paid(state, 'lead:2');
  const again = reread(corrected, kept(more));
  expect(sums(again)).toEqual([1_600, 1_600, 2_000]);
  expect(again.bookings.map(({ credits }) => credits)).toEqual([1_000, 1_000, -400]);
  expect(reread(again, kept(more))).toEqual(again);
  // Of a state that an earlier version has left.
  const { adjusted: _, ...earlier } = corrected;
  expect(ledger.isBehind(ledger.whole(earlier, NOW), said(state))).toBe(false);
});

test('payments that it never heard of are not put down to others', () => {
  const funds = ledger.readBalance(open(), 50_000, NOW - 400_000, NOW - 400_000);
  const behind = reread(funds, kept(paid(funds, 'lead:1')));
  const later = NOW + 1_000_000;
  expect(ledger.readBalance(behind, 49_000, later, later).elsewhere).toBe(0);
});

test('where the books lack what became of a call, the ledger keeps what it knows, and does not look for it again', () => {
  const books = kept(grant(paid(open(), 'lead:1'), 'lead:2'));
  const state = settled(grant(paid(open(), 'lead:1'), 'lead:2'), 'lead:2');
  expect(ledger.isBehind(state, { ...said(state), booked: { from: TODAY, credits: 1_000 } })).toBe(false);
  const later = NOW + 2 * 3_600_000;
  const again = ledger.reread(state, { books }, { at: later, open: {} }, later);
  expect(sums(again)).toEqual([2_000, 2_000, 2_000]);
  expect(again.flights.open).toEqual({});
  expect(again.bookings).toHaveLength(2);
  // Also once it has forgotten how that ended.
  const forgetful = { ...state, flights: { ...state.flights, settled: [] } };
  expect(ledger.reread(forgetful, { books }, { at: later, open: {} }, later).flights.open).toEqual({});
});

test('a send that has ended meanwhile, or long ago, is not open again', () => {
  const granted = grant(open(), 'lead:1');
  const refused = { subject: 'lead:1', attempt: 'lead:1/1', run: 'r', settlement: { kind: 'notPaid' } } as const;
  const gone = ledger.settle(granted, refused, NOW + 12).state;
  expect(reread(gone, kept(granted), granted.flights.open).flights.open).toEqual({});
  // By a ledger that was set back it is open; by the books another attempt has paid, which they have forgotten by now.
  const paidFor = kept(paid(gone, 'lead:1'));
  const forgotten = { ...paidFor, flights: { ...paidFor.flights, settled: [] } };
  expect(reread(granted, forgotten).flights.open).toEqual({});
  expect(sums(reread(granted, forgotten))).toEqual([1_000, 1_000, 1_000]);
});

test('what it became, said without credits, does not hide what was paid', () => {
  const books = kept(paid(open(), 'lead:1'));
  const settlement = { kind: 'foundPaid', ref: 'p1' } as const;
  const claimed = ledger.settle(open(), { subject: 'lead:1', attempt: 'x', run: 'x', settlement }, NOW + 9).state;
  const again = reread(claimed, books);
  expect(again.flights.settled).toMatchObject([{ attempt: 'lead:1/1', credits: 1_000, ref: 'p1' }]);
  expect(sums(settled(again, 'lead:1', NOW + 30))).toEqual([1_000, 1_000, 1_000]);
});

test('a payment on the next day by the one and on the day before by the other counts once', () => {
  const state = paid(open(), 'lead:1');
  const books = { ...kept(paid(state, 'lead:2')), days: { '2026-11-20': 1_000, [TODAY]: 1_000 } };
  const { days } = reread(state, books);
  expect([days['2026-11-20'], days[TODAY]]).toEqual([1_000, 1_000]);
  const moved = { ...kept(state), days: { '2026-11-20': 1_000 } };
  expect(reread(state, moved).days).toEqual({ [TODAY]: 1_000 });
});

test('sums of days in another time zone are not compared', () => {
  const state = paid(open(), 'lead:1');
  const elsewhere = { ...said(open()), budget: { ...budget, timeZone: 'Asia/Tokyo' } };
  expect(ledger.isBehind(state, elsewhere)).toBe(false);
  expect(ledger.isBehind(state, start)).toBe(false);
  // In the ledger's own they are, whatever the worker is configured with.
  const more = { ...said(paid(state, 'lead:2')).booked, timeZone: 'UTC' };
  expect(ledger.isBehind(state, { ...elsewhere, booked: more })).toBe(true);
  expect(ledger.isBehind(state, { ...start, booked: { ...more, timeZone: 'Asia/Tokyo' } })).toBe(false);
});
