/** S1, S3, S8: what a message says to the ledger is bounded by what can be true. */
import * as ledger from '../../src/ledger';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const budget = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0, timeZone: 'UTC' };
const said = (worker: string, over: Partial<ledger.LedgerStart> = {}): ledger.LedgerStart => ({
  ...{ account: 'a', worker, timing, budget },
  ...over,
});
const open = (over: Partial<ledger.LedgerStart> = {}) => ledger.openLedger(said('w1', over), NOW, false);
const request = (over: Partial<ledger.BeginSend> = {}): ledger.BeginSend => ({
  ...{ subject: 'lead:1', attempt: 'one', run: 'r', credits: 1_000, lookedAt: NOW - 1, runCap: 1e6 },
  ...over,
});
const settle = (state: ledger.LedgerState, settlement: ledger.Settle['settlement'], now = NOW + 1) =>
  ledger.settle(state, { subject: 'lead:1', attempt: 'one', run: 'r', settlement }, now).state;

test('S1: a call settles by the times of its sender, whatever the ledger was told by others', () => {
  const told = ledger.configure(
    ledger.leave(open(), 'w1', NOW),
    said('somebody', { timing: { sendWindowMs: 1, paidTimeoutMs: 1, settlingMs: 1 } }),
    NOW,
  );
  const { answer } = ledger.beginSend(told, request({ sender: timing }), NOW);
  expect(answer).toMatchObject({ kind: 'granted', flight: { overAt: NOW + 515_000 } });
});

test('S1: a look in the future frees nothing', () => {
  const { state } = ledger.beginSend(open(), request(), NOW);
  const future = NOW + 60 * MINUTE;
  expect(ledger.beginSend(state, request({ attempt: 'two', lookedAt: future }), NOW).answer.kind).toBe('open');
  expect(settle(state, { kind: 'foundNothing', lookedAt: future }).flights.open).toEqual(state.flights.open);
  const over = NOW + 10 * MINUTE;
  expect(settle(state, { kind: 'foundNothing', lookedAt: over }, over).flights.open).toEqual({});
});

test("S3: what a call's own reply has said is not made less by another word, and a look's guess is", () => {
  const { state } = ledger.beginSend(open(), request(), NOW);
  const paid = settle(state, { kind: 'paid', credits: 1_000 });
  expect(ledger.spentOn(settle(paid, { kind: 'paid', credits: 0 }), NOW + 2)).toBe(1_000);
  expect(ledger.spentOn(settle(paid, { kind: 'notPaid' }), NOW + 2)).toBe(1_000);
  // Said too early by somebody else: the reply itself corrects it.
  const early = settle(state, { kind: 'paid', credits: 0 });
  expect(ledger.spentOn(settle(early, { kind: 'paid', credits: 1_000 }), NOW + 2)).toBe(1_000);
  const found = settle(state, { kind: 'foundPaid' });
  expect(ledger.spentOn(settle(found, { kind: 'paid', credits: 900 }), NOW + 2)).toBe(900);
});

test('S8: a hold is not taken for written down by a message that says so of the future', () => {
  const held = ledger.say(open(), { hold: { value: 'stop', by: 'ada', at: NOW + 5 } });
  const from = '2026-10-22';
  const booked = { from, credits: 0, since: { [from]: 0 }, said: { hold: NOW + 60 * MINUTE } };
  expect(ledger.isUnkept(ledger.configure(held, said('somebody', { booked }), NOW + 1))).toBe(true);
});

describe('S8: books that are in another storage than before', () => {
  const told = (state: ledger.LedgerState, worker: string, books: string | undefined, now: number) => {
    const word = said(worker, books === undefined ? {} : { books });
    return ledger.placed(ledger.configure(state, word, now), word, now);
  };
  const held = (state: ledger.LedgerState) => state.holds.map(({ place }) => place);
  const AFTER = NOW + 20 * MINUTE;

  test('hold the account until they are back, or a person has said that this is right', () => {
    const state = told(open(), 'w1', 'A', NOW);
    const moved = told(state, 'w2', 'B', AFTER);
    expect(held(moved)).toEqual(['B']);
    expect(ledger.stopping(moved.holds, 1_000)).toHaveLength(1);
    expect(ledger.stopping(moved.holds, 0)).toEqual([]);
    const full = { from: '2026-10-22', credits: 0, since: { '2026-10-22': 0 }, reserved: 0 };
    expect(held(ledger.compared(moved, said('w2', { booked: full }), AFTER))).toEqual(['B']);
    expect(held(told(moved, 'w3', undefined, AFTER))).toEqual(['B']);
    expect(held(told(moved, 'w2', 'A', AFTER))).toEqual([]);
    const released = ledger.releaseAll(moved, false, AFTER);
    expect(held(told(released, 'w2', 'B', AFTER))).toEqual([]);
    expect(held(told(released, 'w1', 'A', AFTER + 20 * MINUTE))).toEqual(['A']);
  });

  test('do not while a worker still has the one of before: nothing is paid then anyway', () => {
    const both = told(told(open(), 'w1', 'A', NOW), 'w2', 'B', NOW + MINUTE);
    expect(held(both)).toEqual([]);
    expect(ledger.booksApart(both, NOW + MINUTE)).toBeDefined();
  });
});
