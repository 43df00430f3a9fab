/** S5: the ledger gives a write its turn along with its grant, and nothing else of it is used up while it has to wait. */
import * as ledger from '../../src/ledger';
import type { Settlement } from '../../src/paying/open-sends';

const AT = Date.parse('2026-11-25T10:00:00Z');
const TIMING = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const START = { account: 'default', timing: TIMING, budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' } };
const TURN = { limit: { max: 4, windowMs: 60_000 }, withinMs: 5_000 };

const asked = (n: number, at: number, more: Partial<ledger.BeginSend> = {}): ledger.BeginSend => ({
  ...{
    subject: `note:${n}`,
    attempt: `a${n}`,
    run: 'r',
    credits: 0,
    lookedAt: at,
    runCap: 0,
    sender: TIMING,
    turn: TURN,
  },
  ...more,
});

/** A ledger that has granted so many, each at its own turn. */
function granted(count: number): { state: ledger.LedgerState; now: number } {
  let state = ledger.openLedger(START, AT, false);
  let now = AT;
  for (let n = 0; n < count; ) {
    const said = ledger.beginSend(state, asked(n, now), now);
    ({ state } = said);
    if (said.answer.kind === 'later') now += said.answer.inMs;
    else if (said.answer.kind === 'granted') n++;
    else throw new Error(said.answer.kind);
  }
  return { state, now };
}
const settled = (state: ledger.LedgerState, n: number, settlement: Settlement, afterMs?: number) => {
  const turn = { ...TURN, ...(afterMs !== undefined && { afterMs }) };
  return ledger.settle(state, { subject: `note:${n}`, attempt: `a${n}`, run: 'r', settlement, turn }, AT).state;
};

test('one more than the limit waits until none of its window can leave as late as that, told as a duration', () => {
  const { state, now } = granted(4);
  const said = ledger.beginSend(state, asked(4, now), now);
  expect(said.answer).toEqual({ kind: 'later', inMs: AT + 5_000 + 60_300 + 1 - now });
  expect(said.state.flights).toBe(state.flights);
});

test('the same attempt asks twice, and takes one turn', () => {
  const { state, now } = granted(1);
  const again = ledger.beginSend(state, asked(0, now), now);
  expect(again.answer.kind).toBe('granted');
  expect(again.state).toBe(state);
});

test('who asks for none gets none and takes none: a worker of an earlier version', () => {
  const { state, now } = granted(4);
  const said = ledger.beginSend(state, asked(4, now, { turn: undefined }), now);
  expect(said.answer.kind).toBe('granted');
  expect(said.state.turns).toBe(state.turns);
});

test('a turn that was not used is given back, and one that was used soon counts from then on', () => {
  const { state, now } = granted(4);
  const inMs = (of: ledger.LedgerState) => {
    const { answer } = ledger.beginSend(of, asked(4, now), now);
    return answer.kind === 'later' ? answer.inMs : 0;
  };
  const full = inMs(state);
  expect(inMs(settled(state, 0, { kind: 'paid', credits: 0 }, 300))).toBe(full - 4_700);
  expect(inMs(settled(state, 0, { kind: 'notPaid' }))).toBeLessThan(full - 4_700);
  // Another attempt of the subject knows nothing of this one's turn.
  const other = { subject: 'note:0', attempt: 'x', run: 'r', settlement: { kind: 'notPaid' } as const, turn: TURN };
  expect(ledger.settle(state, other, AT).state.turns).toBe(state.turns);
});

test('a permit that waits for its turn is not used up', () => {
  const { state, now } = granted(4);
  const own = { rateClass: 'notes', limit: { max: 1, windowMs: 3_600_000 } };
  const said = ledger.beginSend(state, asked(4, now, { own }), now);
  expect(said.answer.kind).toBe('later');
  expect(said.state.permits).toEqual({});
});

test('a ledger that was lost gives no turn before what it granted counts no longer', () => {
  const state = ledger.openLedger(START, AT, true);
  const from = TIMING.sendWindowMs + TURN.limit.windowMs;
  expect(ledger.askTurn(state, 'writes', TURN, AT).inMs).toBe(from + 1);
  expect(ledger.askTurn(state, 'writes', TURN, AT + from).inMs).toBe(1);
  expect(ledger.askTurn(state, 'writes', TURN, AT + from + 1).inMs).toBe(0);
});

test('S5: nor a permit before a whole window of it is over', () => {
  const state = ledger.openLedger(START, AT, true);
  const known = AT + TIMING.sendWindowMs + 3_600_000 + 1;
  const ask = (at: number, of = state, windowMs = 3_600_000) => {
    const own = { rateClass: 'notes', limit: { max: 30, windowMs } };
    return ledger.beginSend(of, asked(0, at, { own }), at).answer;
  };
  const overAt = AT + 600_000;
  expect(ask(overAt)).toEqual({ kind: 'parked', until: known });
  expect(ask(known - 1)).toEqual({ kind: 'parked', until: known });
  expect(ask(known).kind).toBe('granted');
  // Of a month nobody waits for more than a day.
  expect(ask(overAt, state, 30 * 86_400_000)).toEqual({ kind: 'parked', until: known - 3_600_000 + 86_400_000 });
  // What counts as a write alone does not wait, nor does anything in a ledger that was the first.
  expect(ledger.beginSend(state, asked(0, overAt), overAt).answer.kind).toBe('granted');
  const first = ledger.reread(
    ledger.reopen({ unread: 'nobody tells', lost: false }, START, AT),
    {},
    { at: AT, open: {} },
    AT + 60_000,
  );
  expect(ask(overAt, first).kind).toBe('granted');
  // Runs of before go on as they were.
  const own = { rateClass: 'notes', limit: { max: 30, windowMs: 3_600_000 } };
  const before = ledger.beginSend(state, asked(0, overAt, { own }), overAt, { mindsUnknown: false });
  expect(before.answer.kind).toBe('granted');
});

test('S5: a permit of which nothing has left is kept for its call, and free for others when that does not come for it', () => {
  const own = { rateClass: 'notes', limit: { max: 2, windowMs: 3_600_000 } };
  const turn = { ...TURN, limit: { max: 100, windowMs: 60_000 } };
  let state = ledger.openLedger(START, AT, false);
  const ask = (n: number, at = AT) => {
    const said = ledger.beginSend(state, asked(n, at, { own, turn }), at);
    ({ state } = said);
    return said.answer.kind;
  };
  const settle = (n: number, more: object) => {
    const request = { subject: `note:${n}`, attempt: `a${n}`, run: 'r', settlement: { kind: 'notPaid' } as const, own };
    ({ state } = ledger.settle(state, { ...request, ...more }, AT));
  };
  expect([ask(0), ask(1)]).toEqual(['granted', 'granted']);
  const { permits } = state;
  // It has left, and was refused.
  settle(0, { turn: { ...turn, afterMs: 20 } });
  expect(state.permits).toEqual(permits);
  for (let n = 0; n < 50; n++) {
    settle(1, { turn });
    expect(ask(1, AT + n)).toBe('granted');
  }
  expect(state.permits).toMatchObject({ notes: { log: permits.notes?.log, promised: {} } });
  settle(1, { turn });
  // Its place is kept for half a minute.
  const kept = state;
  expect(ask(2, AT + 30_000)).toBe('parked');
  state = kept;
  expect(ask(2, AT + 1_900_000)).toBe('granted');
  // A worker that says nothing of its turn may have sent it.
  state = kept;
  ask(1);
  settle(1, {});
  expect(ask(2, AT + 1_900_000)).toBe('parked');
});

test('S5: nobody gets a turn while a 429 parks the class, and asks again after a window at most', () => {
  const state = ledger.park(ledger.openLedger(START, AT, false), 'writes', AT + 90_000, AT);
  const ask = (at: number, how = {}) => ledger.askTurn(state, 'writes', TURN, at, how).inMs;
  expect(ask(AT)).toBe(TURN.limit.windowMs);
  expect(ask(AT + 60_000)).toBe(30_000);
  expect(ledger.askTurn(state, 'writes', TURN, AT).state).toBe(state);
  expect(ask(AT + 90_000)).toBe(0);
  expect(ledger.askTurn(state, 'polls', TURN, AT).inMs).toBe(0);
  // Runs of before go on as they were.
  expect(ask(AT, { mindsParks: false })).toBe(0);
});

test('S5: a server whose clock was set back by hours keeps nobody for longer than the window', () => {
  const { state } = granted(4);
  const now = AT - 5 * 3_600_000;
  const inMs = (of: ledger.LedgerState) => ledger.askTurn(of, 'writes', TURN, now).inMs;
  expect(inMs(state)).toBeGreaterThan(4 * 3_600_000);
  expect(inMs(ledger.withTurnsOf(state, now))).toBeLessThanOrEqual(60_000 + 60_300 + 1);
  // What may still leave is left as it is.
  expect(ledger.withTurnsOf(state, AT)).toBe(state);
});
