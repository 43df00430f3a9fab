import * as ledger from '../../src/ledger';
import { describeHold } from '../../src/ledger/describe-holds';
import { describeLedger } from '../../src/ledger/details';
import { describeShortage } from '../../src/ledger/shortage';
import { advance, start } from '../../src/paying/attempt-plan';
import type { Settlement } from '../../src/paying/open-sends';
import { dayOf, nextDay } from '../../src/time/day';
import { statusOf } from '../../workflows/ledger/ledger-status';

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const NOW = Date.UTC(2026, 10, 21, 12);
const open = (budget: Partial<ledger.Budget> = {}) =>
  ledger.openLedger(
    { account: 'a', timing, budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC', ...budget } },
    NOW,
    false,
  );
const lostLedger = () =>
  ledger.openLedger({ account: 'a', timing, budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' } }, NOW, true);
const NO_LIMITS = { perDay: null, balanceFloor: 0, timeZone: 'UTC' };
const request = (subject: string, over: Partial<ledger.BeginSend> = {}): ledger.BeginSend => ({
  subject,
  attempt: `${subject}/1`,
  run: 'r',
  credits: 1000,
  lookedAt: NOW - 1,
  runCap: 100_000,
  readSince: 0,
  ...over,
});

describe('the ledger grants, books and holds', () => {
  test('S1: a second attempt for an open subject is told until when, the same attempt is granted again', () => {
    const first = ledger.beginSend(open(), request('lead:1'), NOW);
    expect(first.answer.kind).toBe('granted');
    expect(ledger.beginSend(first.state, request('lead:1'), NOW + 9).answer).toEqual(first.answer);
    const second = ledger.beginSend(first.state, request('lead:1', { attempt: 'other' }), NOW + 10);
    expect(second.answer).toMatchObject({ kind: 'open', overAt: NOW + 515_000, attempt: 'lead:1/1' });
  });

  test('S2: a look made after the last possible effect frees the subject, one made before does not', () => {
    const { state } = ledger.beginSend(open(), request('lead:1'), NOW);
    const later = (lookedAt: number) =>
      ledger.beginSend(state, request('lead:1', { attempt: 'b', lookedAt }), NOW + 600_000).answer.kind;
    expect(later(NOW + 515_000)).toBe('open');
    expect(later(NOW + 515_001)).toBe('granted');
  });

  test('S1: a flight is over by the longer time, that of its sender or that of the ledger', () => {
    const overAt = (sender?: { sendWindowMs: number; paidTimeoutMs: number }) => {
      const { answer } = ledger.beginSend(open(), request('lead:1', sender && { sender }), NOW);
      return answer.kind === 'granted' && answer.flight.overAt - NOW;
    };
    expect(overAt()).toBe(515_000);
    expect(overAt({ sendWindowMs: 8_000, paidTimeoutMs: 400_000 })).toBe(708_000);
    expect(overAt({ sendWindowMs: 1_000, paidTimeoutMs: 1_000 })).toBe(515_000);
  });

  test('S2: a look from before the payment was settled is stale', () => {
    const granted = ledger.beginSend(open(), request('lead:1'), NOW).state;
    const { state, booked } = ledger.settle(
      granted,
      { subject: 'lead:1', attempt: 'lead:1/1', run: 'r', settlement: { kind: 'paid', credits: 1000 } },
      NOW + 50,
    );
    expect(booked).toBe(1000);
    expect(ledger.beginSend(state, request('lead:1', { attempt: 'b' }), NOW + 60).answer.kind).toBe('stale');
  });

  test('S2: a free call that nobody settled is forgotten when it is over, and whoever looked before has to look again', () => {
    const free = { credits: 0, runCap: 0 };
    const { state } = ledger.beginSend(open(), request('document:p/1', free), NOW);
    const over = { subject: 'document:p/1', attempt: '', run: 'ledger', settlement: { kind: 'over' } } as const;
    expect(ledger.settle(state, over, NOW + 515_000).state).toEqual(state);
    const after = ledger.settle(state, over, NOW + 900_000);
    expect(after.booked).toBe(0);
    expect(after.state.flights.open).toEqual({});
    const again = (lookedAt: number) =>
      ledger.beginSend(after.state, request('document:p/1', { ...free, attempt: 'b', lookedAt }), NOW + 910_000).answer
        .kind;
    expect(again(NOW + 1)).toBe('stale');
    expect(again(NOW + 905_000)).toBe('granted');
  });

  test('S5: a note takes a permit with its grant, and is told when there is none', () => {
    const own = { rateClass: 'notes', limit: { max: 30, windowMs: 3_600_000 } };
    const note = { credits: 0, runCap: 0, own };
    let state = open();
    for (let n = 0; n < 10; n++) {
      const next = ledger.beginSend(state, request(`note:${n}`, note), NOW);
      expect(next.answer.kind).toBe('granted');
      state = next.state;
    }
    const eleventh = ledger.beginSend(state, request('note:10', note), NOW);
    expect(eleventh.answer).toMatchObject({ kind: 'parked', until: NOW + 120_000 });
    expect(ledger.beginSend(eleventh.state, request('note:10', note), NOW + 120_000).answer.kind).toBe('granted');
  });

  test('S3: caps count what is open as well as what is spent', () => {
    const run = ledger.beginSend(open(), request('lead:1', { runCap: 1500 }), NOW).state;
    expect(ledger.beginSend(run, request('lead:2', { runCap: 1500 }), NOW).answer).toEqual({
      ...{ kind: 'capped', cap: 'run', credits: 1000 },
    });
    const day = ledger.beginSend(open({ perDay: 1999 }), request('lead:1'), NOW).state;
    expect(ledger.beginSend(day, request('lead:2'), NOW).answer).toEqual({
      ...{ kind: 'capped', cap: 'day', credits: 1000 },
      until: Date.UTC(2026, 10, 22),
    });
    const floor = ledger.readBalance(open({ balanceFloor: 500 }), 2499, NOW, NOW);
    const one = ledger.beginSend(floor, request('lead:1'), NOW);
    expect(one.answer.kind).toBe('granted');
    expect(ledger.beginSend(one.state, request('lead:2'), NOW).answer).toEqual({
      kind: 'capped',
      cap: 'floor',
      credits: 1000,
    });
  });

  test('S3: a payment settled twice is booked once, and a refusal corrects what a look had concluded', () => {
    const granted = ledger.beginSend(open(), request('lead:1'), NOW).state;
    const found = ledger.settle(
      granted,
      { subject: 'lead:1', attempt: '', run: 'r2', settlement: { kind: 'foundPaid' } },
      NOW,
    );
    expect(ledger.spentOn(found.state, NOW)).toBe(1000);
    // S6: it is in the books, and so in the result, of the run whose attempt it was.
    expect(found.booked).toBe(0);
    expect(found.state.runs).toEqual({ r: { spent: 1000, lastAt: NOW } });
    const paid = {
      subject: 'lead:1',
      attempt: 'lead:1/1',
      run: 'r',
      settlement: { kind: 'paid', credits: 1000 },
    } as const;
    const again = ledger.settle(found.state, paid, NOW);
    expect(again.booked).toBe(0);
    expect(ledger.spentOn(again.state, NOW)).toBe(1000);
    const refused = ledger.settle(found.state, { ...paid, settlement: { kind: 'notPaid' } }, NOW);
    expect(ledger.spentOn(refused.state, NOW)).toBe(0);
    expect(refused.state.runs.r?.spent).toBe(0);
  });

  test('S3: what was paid is booked even when the ledger does not know the attempt', () => {
    const { state } = ledger.settle(
      open(),
      { subject: 'lead:1', attempt: 'x', run: 'r', settlement: { kind: 'paid', credits: 1000 } },
      NOW,
    );
    expect(ledger.spentOn(state, NOW)).toBe(1000);
  });

  test('S3: the cap of a run holds after two thousand others have paid, in a state that can continue as new', () => {
    const key = (n: number) => `convert-lead.main.${String(n).padStart(36, '0')}/${String(n).padStart(36, '0')}`;
    const spend = (state: ledger.LedgerState, run: string, at: number) =>
      ledger.book(state, { subject: `lead:${run.slice(-36)}`, run, credits: 1000, at });
    let state = spend(open(), 'r', NOW);
    for (let n = 1; n < 2_000; n++) state = spend(state, key(n), NOW + n * 3_000);
    const again = request('lead:late', { runCap: 1500 });
    expect(ledger.beginSend(state, again, NOW).answer).toEqual({ kind: 'capped', cap: 'run', credits: 1000 });
    for (let n = 2_000; n < 2_500; n++) state = spend(state, key(n), NOW + n * 3_000);
    expect(Object.keys(state.runs).length).toBeLessThanOrEqual(2_200);
    expect(state.runs[key(2_499)]?.spent).toBe(1000);
    expect(JSON.stringify(state).length).toBeLessThan(500_000);
  });

  test('S3: credits spent in the web app are noted apart', () => {
    const read = ledger.readBalance(open(), 10_000, NOW, NOW);
    const booked = ledger.book(read, { subject: 'lead:1', run: 'r', credits: 1000, at: NOW });
    const settled = NOW + timing.settlingMs;
    expect(ledger.readBalance(booked, 7_000, settled - 1, settled).elsewhere).toBe(0);
    expect(ledger.readBalance(booked, 7_000, settled, settled + 1).elsewhere).toBe(2000);
  });

  test('a lost ledger grants nothing until every send that it may have granted is over', () => {
    const lost = lostLedger();
    expect(ledger.beginSend(lost, request('lead:1'), NOW + 514_999).answer).toEqual({
      ...{ kind: 'patient', until: NOW + 515_000 },
    });
    expect(ledger.beginSend(lost, request('lead:1', { lookedAt: NOW }), NOW + 515_001).answer.kind).toBe('stale');
    expect(ledger.beginSend(lost, request('lead:1', { lookedAt: NOW + 515_001 }), NOW + 515_002).answer.kind).toBe(
      'granted',
    );
  });

  test('S3: books of which the last part is lost keep their sums and what was open, and are as patient', () => {
    const { state } = ledger.beginSend(open({ perDay: 9_000 }), request('lead:1'), NOW);
    const kept = ledger.book(state, { subject: 'lead:0', run: 'r', credits: 4_000, at: NOW });
    const budget = { perDay: 5_000, balanceFloor: 0, timeZone: 'UTC' };
    const again = (lost: boolean) =>
      ledger.reopen({ state: kept, lost }, { account: 'a', timing, budget }, NOW + 1_000);
    expect(ledger.spentOn(again(true), NOW)).toBe(4_000);
    expect(again(true)).toMatchObject({ flights: { open: { 'lead:1': {} } } });
    expect(ledger.budgetInForce(again(true), NOW + 1_000).perDay).toBe(5_000);
    expect(ledger.beginSend(again(true), request('lead:2'), NOW + 2_000).answer).toMatchObject({ kind: 'patient' });
    expect(ledger.beginSend(again(false), request('lead:2'), NOW + 2_000).answer).toMatchObject({ kind: 'capped' });
  });

  test('S8: a lost ledger begins with the sums and open sends of the books in the storage, and is patient all the same', () => {
    const flight = { attempt: 'a', run: 'r', credits: 1_000, grantedAt: NOW - 1_000, overAt: NOW + 900_000 };
    const books = {
      flights: { open: { 'lead:1': flight }, settled: [], forgottenBefore: 0 },
      days: { [dayOf(NOW, 'UTC')]: 4_000, '2020-01-01': 7_000 },
      runs: { r: 4_000 },
      bookings: [{ subject: 'lead:0', run: 'r', credits: 4_000, at: NOW - 2_000 }],
    };
    const budget = { perDay: 5_000, balanceFloor: 0, timeZone: 'UTC' };
    const again = ledger.reopen({ lost: true, books }, { account: 'a', timing, budget }, NOW);
    expect(ledger.spentOn(again, NOW)).toBe(4_000);
    expect(again).toMatchObject({ days: books.days, runs: { r: { spent: 4_000 } }, bookings: books.bookings });
    expect(ledger.beginSend(again, request('lead:2'), NOW + 1).answer).toMatchObject({ kind: 'patient' });
    const later = NOW + 600_000;
    const ask = (lead: string) => ledger.beginSend(again, request(lead, { lookedAt: later }), later).answer;
    expect(ask('lead:1')).toMatchObject({ kind: 'open', overAt: flight.overAt });
    expect(ask('lead:2')).toMatchObject({ kind: 'capped', cap: 'day' });
  });

  test('S8: a ledger that opens while the books cannot be read pays nothing and says so, until it has read them', () => {
    const [start, today] = [{ account: 'a', timing, budget: NO_LIMITS }, dayOf(NOW, 'UTC')];
    const unread = ledger.reopen({ lost: true, unread: 'EIO' }, start, NOW);
    const why = expect.stringMatching(/books in the storage.*cannot be read \(EIO\), so nothing is paid/);
    expect(ledger.beginSend(unread, request('lead:9'), NOW + 1).answer).toEqual({ kind: 'unwritten', why });
    expect(ledger.obstacle(unread, 1_000, NOW)).toEqual({ kind: 'unwritten', why });
    expect(describeLedger(unread, NOW).source).toMatch(/^- the ledger is new, and the books in the storage/m);
    const still = ledger.reread(unread, { unread: 'ENOSPC' }, { at: NOW + 60_000, open: {} }, NOW + 60_001);
    expect(still.unread).toEqual({ why: 'ENOSPC', triedAt: NOW + 60_001, isLost: true, isBlank: true });

    // A look finds a payment while the books are read, which know of the one before; a person has corrected them.
    const asked = NOW + 120_000;
    const found = (lead: string, state: ledger.LedgerState, at: number) =>
      ledger.settle(
        state,
        { subject: lead, attempt: '', run: 'r', settlement: { kind: 'foundPaid', credits: 1_000 } },
        at,
      );
    const corrected = ledger.book(still, {
      subject: ledger.ADJUSTMENT,
      run: ledger.ADJUSTMENT,
      credits: -500,
      at: NOW,
    });
    const waiting = found('lead:2', found('lead:1', corrected, asked - 1).state, asked + 1).state;
    const settled = { subject: 'lead:1', attempt: 'x', run: 'r', at: NOW, credits: 1_000, byLook: true };
    const books = {
      flights: { open: {}, settled: [settled], forgottenBefore: 0 },
      days: { [today]: 5_000 },
      runs: { r: 5_000 },
      bookings: [{ subject: 'lead:1', run: 'r', credits: 1_000, at: NOW }],
    };
    const read = ledger.reread(waiting, { books }, { at: asked, open: {} }, asked + 2);
    expect(read).not.toHaveProperty('unread');
    expect(ledger.spentOn(read, asked + 2)).toBe(5_000 - 500 + 1_000);
    expect(read.days[today]).toBe(5_500);
    expect(read.flights.settled.map(({ subject }) => subject)).toEqual(['lead:1', 'lead:2']);
    expect(read.patientUntil).toBe(unread.patientUntil);
    expect(ledger.obstacle(read, 1_000, asked + 3)).toBeUndefined();
  });

  test('S3: what a look has found and the reply of an attempt that the ledger does not know are one payment', () => {
    const before = ledger.reopen({ lost: false }, { account: 'a', timing, budget: NO_LIMITS }, NOW);
    const settle = (state: ledger.LedgerState, attempt: string, settlement: Settlement) =>
      ledger.settle(state, { subject: 'lead:1', attempt, run: 'r', settlement }, NOW + 1_000);
    const found = settle(before, '', { kind: 'foundPaid', credits: 1_000 });
    const told = settle(found.state, 'x#1', { kind: 'paid', credits: 1_000, ref: 'p1' });
    expect([found.booked, told.booked]).toEqual([1_000, 0]);
    expect(ledger.spentOn(told.state, NOW + 1_000)).toBe(1_000);
    // One that it knows has paid as well.
    const again = request('lead:1', { attempt: 'y#1', lookedAt: NOW + 10_000, again: true });
    const granted = ledger.beginSend(found.state, again, NOW + 10_001);
    expect(granted.answer.kind).toBe('granted');
    expect(settle(granted.state, 'y#1', { kind: 'paid', credits: 1_000 }).booked).toBe(1_000);
  });

  test('S1: a first ledger that could not read whether there are books is patient only until it knows that there are none', () => {
    const unread = ledger.reopen({ lost: false, unread: 'EIO' }, { account: 'a', timing, budget: NO_LIMITS }, NOW);
    const free = (state: ledger.LedgerState, now: number) =>
      ledger.beginSend(state, request('capture:1', { credits: 0, lookedAt: now }), now + 1).answer;
    expect(free(unread, NOW)).toMatchObject({ kind: 'patient' });
    expect(free(ledger.reread(unread, {}, { at: NOW + 10, open: {} }, NOW + 20), NOW + 30)).toMatchObject({
      kind: 'granted',
    });
    const lost = ledger.reopen({ lost: true, unread: 'EIO' }, { account: 'a', timing, budget: NO_LIMITS }, NOW);
    expect(free(ledger.reread(lost, {}, { at: NOW + 10, open: {} }, NOW + 20), NOW + 30)).toMatchObject({
      kind: 'patient',
    });
  });

  test('an empty balance holds until credits are there; a hold is raised once', () => {
    const held = ledger.hold(ledger.hold(open(), { kind: 'noCredits', since: NOW, reason: '402', needs: 1000 }), {
      kind: 'noCredits',
      since: NOW + 1,
      reason: 'again',
    });
    expect(held.holds).toHaveLength(1);
    expect(ledger.beginSend(held, request('lead:1'), NOW).answer.kind).toBe('held');
    const poor = ledger.readBalance(held, 300, NOW + 60_000, NOW + 60_000);
    expect(poor.holds).toHaveLength(1);
    expect(ledger.readBalance(poor, 1300, NOW + 120_000, NOW + 120_000).holds).toEqual([]);
  });

  test('S7: a balance that cannot be read is said to be so, with what is wrong with the reply, and reading it ends that', () => {
    const said = (state: ledger.LedgerState) => {
      const obstacle = ledger.obstacle(state, 1000, NOW);
      return obstacle?.kind === 'capped' ? describeShortage(obstacle, statusOf(state, NOW)) : obstacle?.kind;
    };
    const unread = open({ balanceFloor: 500 });
    expect(said(unread)).toContain('has not been read yet');
    const unreadable = ledger.answeredWithoutBalance(unread, 'its keys: total, used', NOW);
    expect(said(unreadable)).toMatch(/cannot be read: its keys: total, used\. .*budget\.balanceFloor/);
    expect(describeLedger(unreadable, NOW).source).toContain('its keys: total, used');
    expect(describeLedger(unreadable, NOW).source).not.toContain('Spent elsewhere');
    expect(said(ledger.readBalance(unreadable, 5000, NOW, NOW))).toBeUndefined();
  });

  test('S7: a hold that the balance cannot end says when a call is tried again, and ends then', () => {
    const held = ledger.hold(open(), { kind: 'noCredits', since: NOW, reason: '402', needs: 1000 });
    const said = ({ holds }: ledger.LedgerState) => holds.map(describeHold).join();
    expect(said(held)).toContain('when the balance suffices');
    const unreadable = ledger.answeredWithoutBalance(held, 'no balance', NOW + 60_000);
    expect(said(unreadable)).toMatch(/undocumented\.account\.balance.*tried again at 2026-11-21 12:10:00 UTC/);
    expect(ledger.answeredWithoutBalance(unreadable, 'no balance', NOW + 600_000).holds).toEqual([]);
    const lifted = ledger.readBalance(held, 2000, NOW, NOW);
    const again = ledger.hold(lifted, { kind: 'noCredits', since: NOW + 1, reason: '402', needs: 1000 });
    const refused = ledger.readBalance(again, 2000, NOW + 60_000, NOW + 60_000);
    expect(said(refused)).toMatch(/balance looks sufficient.*tried again at 2026-11-21 12:10:00 UTC/);
    expect(ledger.readBalance(refused, 2000, NOW + 600_000, NOW + 600_000).holds).toEqual([]);
    expect(said(ledger.readBalance(refused, 10, NOW + 60_001, NOW + 60_001))).toContain('when the balance suffices');
  });

  test('an empty balance stops what costs, and free calls only when one of them met it', () => {
    const free = (subject: string) => request(subject, { credits: 0, runCap: 0 });
    const hold = { kind: 'noCredits', since: NOW, reason: '402' } as const;
    const paid = ledger.hold(open(), { ...hold, needs: 1000 });
    expect(ledger.beginSend(paid, request('lead:1'), NOW).answer.kind).toBe('held');
    expect(ledger.beginSend(paid, free('note:1'), NOW).answer.kind).toBe('granted');
    expect(ledger.obstacle(paid, 0, NOW)).toBeUndefined();
    expect(ledger.obstacle(paid, 1000, NOW)?.kind).toBe('held');
    const both = ledger.hold(paid, { ...hold, stopsAll: true });
    expect(both.holds).toEqual([{ ...hold, needs: 1000, stopsAll: true }]);
    expect(ledger.beginSend(both, free('note:1'), NOW).answer.kind).toBe('held');
    expect(ledger.readBalance(both, 300, NOW, NOW).holds).toHaveLength(1);
    expect(ledger.readBalance(both, 1300, NOW, NOW).holds).toEqual([]);
    const manual = ledger.hold(paid, { kind: 'manual', since: NOW, reason: 'month end' });
    expect(ledger.beginSend(manual, free('note:1'), NOW).answer.kind).toBe('held');
  });

  test('a 429 parks the writes for every process', () => {
    const parked = ledger.park(open(), 'writes', NOW + 30_000, NOW);
    expect(ledger.beginSend(parked, request('lead:1'), NOW + 29_999).answer).toEqual({
      kind: 'parked',
      until: NOW + 30_000,
    });
    expect(ledger.beginSend(parked, request('lead:1'), NOW + 30_000).answer.kind).toBe('granted');
  });

  test('S5: a limit of audits keeps audits, not conversions', () => {
    const audit = (own: object) => ({ credits: 0, runCap: 0, own: { rateClass: 'audits', ...own } });
    const parked = ledger.park(open(), 'audits', NOW + 600_000, NOW);
    const began = (state: ledger.LedgerState, subject: string, more?: object) =>
      ledger.beginSend(state, request(subject, more), NOW);
    expect(began(parked, 'audit:p', audit({})).answer).toEqual({ kind: 'parked', until: NOW + 600_000 });
    expect(began(parked, 'lead:1').answer.kind).toBe('granted');
    const limit = { max: 1, windowMs: 60_000 };
    const one = began(open(), 'audit:p', audit({ limit }));
    expect(one.answer.kind).toBe('granted');
    expect(began(one.state, 'audit:q', audit({ limit })).answer.kind).toBe('parked');
    expect(began(one.state, 'note:1', { credits: 0, runCap: 0, own: { rateClass: 'notes', limit } }).answer.kind).toBe(
      'granted',
    );
  });

  test.each([
    ['UTC', '2026-11-21T12:00:00Z', '2026-11-22T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-28T23:30:00Z', '2026-03-29T22:00:00.000Z'],
    ['America/New_York', '2026-11-01T04:30:00Z', '2026-11-02T05:00:00.000Z'],
  ])('a day in %s ends at its own midnight, summer time or not', (zone, at, end) => {
    expect(new Date(nextDay(Date.parse(at), zone)).toISOString()).toBe(end);
    expect(dayOf(nextDay(Date.parse(at), zone), zone)).not.toBe(dayOf(Date.parse(at), zone));
  });
});

describe('the course of a run', () => {
  const sent = (outcome: Parameters<typeof advance>[1] & { type: 'sent' }) =>
    advance({ ...start(NOW), step: { do: 'send', lookedAt: NOW, notBefore: NOW } }, outcome, NOW, 300_000);

  test('a look that finds it ends the wait at once; "not yet" looks again soon, then ever later, and last when it is over', () => {
    let course = sent({ type: 'sent', outcome: { kind: 'unknown', overAt: NOW + 515_000 } });
    const waits: number[] = [];
    let now = NOW;
    for (;;) {
      if (course.step.do !== 'look') break;
      now = course.step.notBefore;
      waits.push(now - NOW);
      course = advance(course, { type: 'looked', askedAt: now, found: 'notFound' }, now, 300_000);
    }
    expect(waits).toEqual([0, 5_000, 20_000, 65_000, 200_000, 515_001]);
    expect(course.step.do).toBe('send');
    const found = advance(
      sent({ type: 'sent', outcome: { kind: 'unknown', overAt: NOW + 515_000 } }),
      { type: 'looked', askedAt: NOW, found: 'found' },
      NOW,
      300_000,
    );
    expect(found.step).toEqual({ do: 'end', how: 'foundPaid' });
  });

  test('a 429 is waited out to the millisecond', () => {
    expect(sent({ type: 'sent', outcome: { kind: 'throttled', retryAt: NOW + 17_123 } }).step).toMatchObject({
      notBefore: NOW + 17_123,
    });
  });
});

describe('a look that counts as too old', () => {
  const stale = (course: ReturnType<typeof start>, now: number) => {
    const sending = advance(course, { type: 'looked', askedAt: now, found: 'notFound' }, now, 300_000);
    return advance(sending, { type: 'sent', outcome: { kind: 'stale' } }, now, 300_000);
  };
  const waitAfter = (course: ReturnType<typeof start>, now: number) =>
    course.step.do === 'look' ? course.step.notBefore - now : course.step.do;

  test('is repeated at once, and ever later while a clock that was set back makes each of them too old', () => {
    const waits: unknown[] = [];
    let course = start(NOW);
    for (let n = 0; n < 4; n++) {
      course = stale(course, NOW);
      waits.push(waitAfter(course, NOW));
    }
    expect(waits).toEqual([0, 2_500, 10_000, 20_000]);
    const held = advance(course, { type: 'sent', outcome: { kind: 'open', overAt: NOW } }, NOW, 300_000);
    expect(waitAfter(stale(held, NOW + 1), NOW + 1)).toBe(0);
  });
});

describe('after an unknown outcome of its own', () => {
  const unknown = advance(
    { ...start(NOW), step: { do: 'send', lookedAt: NOW, notBefore: NOW } },
    { type: 'sent', outcome: { kind: 'unknown', overAt: NOW + 10 } },
    NOW,
    300_000,
  );

  test('S2: a refusal asks a person instead of ending, for it may be the first send that is refused to be repeated', () => {
    const again = advance(unknown, { type: 'looked', askedAt: NOW + 11, found: 'notFound' }, NOW + 11, 300_000);
    expect(again.step.do).toBe('send');
    const refused = advance(
      again,
      { type: 'sent', outcome: { kind: 'refused', reason: 'http400' } },
      NOW + 12,
      300_000,
    );
    const looked = advance(refused, { type: 'looked', askedAt: NOW + 12, found: 'notFound' }, NOW + 13, 300_000);
    expect(looked.step).toEqual({ do: 'ask', why: 'cannotTell' });
    const found = advance(refused, { type: 'looked', askedAt: NOW + 12, found: 'found' }, NOW + 13, 300_000);
    expect(found.step).toEqual({ do: 'end', how: 'foundPaid' });
  });

  test('S1: what has become a project is not sent for again, whatever a fresh look says; an audit may be wanted again', () => {
    const later = NOW + 600_000;
    const paid = (subject: string) =>
      ledger.settle(
        open(),
        { subject, attempt: 'a', run: 'r', settlement: { kind: 'paid', credits: 0, ref: 'x' } },
        NOW,
      ).state;
    const again = (subject: string) =>
      ledger.beginSend(
        paid(subject),
        { subject, attempt: 'b', run: 'r', runCap: 10_000, credits: 1_000, lookedAt: later },
        later,
      ).answer;
    expect(again('lead:1')).toEqual({ kind: 'done', ref: 'x' });
    expect(again('audit:1')).toMatchObject({ kind: 'granted' });
  });

  test('S3: what is found later is booked even when the ledger has forgotten the send, and once', () => {
    const found = {
      subject: 'lead:1',
      attempt: '',
      run: 'r',
      settlement: { kind: 'foundPaid', credits: 1000 },
    } as const;
    const first = ledger.settle(open(), found, NOW);
    expect(first.booked).toBe(1000);
    expect(ledger.settle(first.state, found, NOW + 1).booked).toBe(0);
  });
});
