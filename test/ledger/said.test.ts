/** S8: what people said of hold and limits outlives the ledger that they said it to. */
import * as ledger from '../../src/ledger';

const NOW = Date.UTC(2026, 10, 21, 12);
const budget: ledger.Budget = { perDay: null, balanceFloor: 0, timeZone: 'UTC' };
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const start = { account: 'a', timing, budget };
const note = <T>(value: T, at: number, by = 'Ada') => ({ value, by, at: NOW + at });
const booksOf = (said: ledger.Said): ledger.Kept => {
  const { flights, days, bookings } = ledger.openLedger(start, NOW, false);
  return { flights, days, bookings, runs: {}, said };
};
const open = (said?: ledger.Said, from = start) =>
  ledger.reopen({ lost: true, ...(said && { books: booksOf(said) }) }, from, NOW + 100);
const heard = (state: ledger.LedgerState, said: ledger.Said) =>
  ledger.reread(state, { books: booksOf(said) }, { at: NOW + 110, open: {} }, NOW + 120);
const told = (said: ledger.Said) => ({
  ...start,
  booked: { from: '2026-10-22', credits: 0, said: ledger.momentsOf(said) },
});
const held = (state: ledger.LedgerState) => state.holds.map(({ reason, since }) => `${reason} ${since - NOW}`);
const perDay = (state: ledger.LedgerState) => ledger.budgetInForce(state, NOW + 130).perDay;

test('a new ledger holds, and limits, as the lost one did', () => {
  const state = open({ hold: note('month end', 2, 'Bob'), perDay: note(5_000, 1) });
  expect(held(state)).toEqual(['month end 2']);
  expect(perDay(state)).toBe(5_000);
  expect(ledger.isUnkept(state)).toBe(false);
  expect(state.actions).toHaveLength(1);
});

test('a limit that is looser than what is configured by now is left to the configuration', () => {
  const state = open({ perDay: note(5_000, 1) }, { ...start, budget: { ...budget, perDay: 4_000 } });
  expect(ledger.budgetInForce(state, NOW)).toMatchObject({ perDay: 4_000, from: { perDay: { kind: 'configured' } } });
});

test('a ledger that went back to a backup is behind, though nothing was paid since, until it has taken what it lacks', () => {
  const said = { hold: note('month end', 20) };
  const state = open();
  expect(ledger.isBehind(state, told(said))).toBe(true);
  const again = heard(state, said);
  expect(held(again)).toEqual(['month end 20']);
  expect(ledger.isBehind(again, told(said))).toBe(false);
  expect(heard(again, said)).toEqual(again);
});

test('of each the later word counts, whatever else was said in between', () => {
  const books = { hold: note('month end', 20), perDay: note(9_000, 20) };
  // A limit was set before it had heard of the hold.
  const state = ledger.say(ledger.setBudget(open({}), { perDay: 3_000 }, 'Cem', NOW + 30), { perDay: note(3_000, 30) });
  expect(ledger.isBehind(state, told(books))).toBe(true);
  expect(ledger.isUnkept(state)).toBe(true);
  const both = heard(state, books);
  expect([held(both), perDay(both)]).toEqual([['month end 20'], 3_000]);
  expect(ledger.isUnkept(both)).toBe(true);
  expect(ledger.isUnkept(heard(both, { ...books, perDay: note(3_000, 30) }))).toBe(false);
});

test('a time zone that this machine does not know is left out, and all else is taken over', () => {
  const state = ledger.setBudget(open(), { timeZone: 'Asia/Tokyo' }, 'Ada', NOW + 10);
  const said = { timeZone: note('Mars/Olympus', 20), perDay: note(5_000, 20) };
  const again = heard(state, said);
  expect([again.timeZone, again.set.timeZone?.value, perDay(again)]).toEqual(['Asia/Tokyo', 'Asia/Tokyo', 5_000]);
  expect([ledger.isBehind(again, told(said)), ledger.isUnkept(again)]).toEqual([false, false]);
  // It is handed on as it was said.
  expect(again.said?.timeZone?.value).toBe('Mars/Olympus');
});

test('a limit as strict as the configuration of the moment is not forgotten when that is loosened', () => {
  const strict = { ...start, budget: { ...budget, perDay: 5_000 } };
  const state = open({ perDay: note(5_000, 1) }, strict);
  expect(perDay(ledger.configure(state, { ...start, budget: { ...budget, perDay: 20_000 } }, NOW + 125))).toBe(5_000);
  // Taken back: as configured.
  const back = ledger.setBudget(state, { perDay: 5_000 }, 'Ada', NOW + 126);
  expect(ledger.wordsOn(back, ['perDay'], 'Ada', NOW + 126)).toEqual({ perDay: note(null, 126) });
  expect(perDay(heard(open({ perDay: note(5_000, 1) }), { perDay: note(null, 126) }))).toBe(null);
});

test('a word counts after the one before it, also by a clock that is behind', () => {
  const state = ledger.say(open({ hold: note('month end', 500) }), { hold: note(null, 30) });
  expect(ledger.saidOf(state).hold).toMatchObject({ value: null, at: NOW + 501 });
});

test('books that were replaced are given what people said once more', () => {
  const state = open({ hold: note('month end', 20) });
  expect(ledger.isUnkept(ledger.configure(state, told({}), NOW + 130))).toBe(true);
  expect(ledger.isUnkept(ledger.configure(state, told({ hold: note('', 20) }), NOW + 130))).toBe(false);
});

test('a first ledger does not wait for what a lost one may have granted, where the books have words alone', () => {
  const unread = ledger.reopen({ lost: false, unread: 'away' }, start, NOW);
  expect(unread.patientUntil).toBeDefined();
  const state = heard(unread, { hold: note('month end', 20) });
  expect(state.patientUntil).toBeUndefined();
  expect(held(state)).toEqual(['month end 20']);
});

test('a hold of which the books know nothing stays, and only a later release lifts one', () => {
  const hold = { kind: 'manual', reason: 'audit', since: NOW + 5 } as const;
  // As an earlier version had it.
  const old = ledger.hold(open(), hold);
  expect(ledger.isUnkept(old)).toBe(true);
  expect(held(heard(old, { perDay: note(5_000, 50) }))).toEqual(['audit 5']);
  expect(held(heard(old, { hold: note(null, 4) }))).toEqual(['audit 5']);
  expect(held(heard(old, { hold: note(null, 6) }))).toEqual([]);
});
