/**
 * S1, S3: books that an earlier version has written mean the same to this one. Their fields are names on the wire: one that was
 * renamed would read as nothing, and `lookedAt <= undefined` grants a second send.
 */
import * as ledger from '../../src/ledger';

const TIMING = { paidTimeoutMs: 180_000, sendWindowMs: 30_000, settlingMs: 300_000 };
const AT = Date.parse('2026-11-22T10:00:00Z');
const OVER_AT = AT + 512_000;

/** As they stand in the input of a ledger of 0.2.0 that continues as new: a send is open, one is settled, writes are parked. */
const STORED = `{
  "account": "default",
  "timing": {"paidTimeoutMs":180000,"sendWindowMs":30000,"settlingMs":300000},
  "workers": [{"worker":"w","budget":{"perDay":3000,"balanceFloor":0,"timeZone":"UTC"},
    "timing":{"paidTimeoutMs":180000,"sendWindowMs":30000,"settlingMs":300000},"until":${AT + 600_000}}],
  "set": {"perDay":{"value":2999,"by":"Ada","at":${AT}}}, "timeZone": "UTC",
  "prices": {"lead":{"real":1000,"at":${AT},"configured":1000}},
  "flights": {
    "open": {"lead:open":{"attempt":"b#1","run":"pipeline/1","credits":1000,"grantedAt":${AT},"overAt":${OVER_AT}}},
    "settled": [{"subject":"project:R-1","attempt":"a#1","run":"pipeline/1","at":${AT},"credits":1000,"ref":"p1","byLook":false}],
    "forgottenBefore": ${AT - 1_000}},
  "days": {"2026-11-22":1000}, "runs": {"pipeline/1":{"spent":1000,"lastAt":${AT}}},
  "bookings": [{"subject":"project:R-1","run":"pipeline/1","credits":1000,"at":${AT}}],
  "holds": [], "elsewhere": 0, "parked": {"writes":${AT + 30_000}}, "permits": {},
  "patientUntil": ${AT - 5_000}, "today": {"until":${AT + 50_400_000},"spent":1000}
}`;

const books = () => ledger.whole(JSON.parse(STORED) as ledger.LedgerState, AT);
const ask = (subject: string, lookedAt: number, at = lookedAt, state = books()) => {
  const sender = { sendWindowMs: TIMING.sendWindowMs, paidTimeoutMs: TIMING.paidTimeoutMs };
  const request = { subject, attempt: 'c#1', run: 'another/1', runCap: 10_000, credits: 1_000, lookedAt, sender };
  return ledger.beginSend(state, request, at).answer;
};

test('an open send is open until it is over, for whoever asks', () => {
  expect(ask('lead:open', AT + 1)).toEqual({ kind: 'open', overAt: OVER_AT, attempt: 'b#1' });
  expect(ask('lead:open', OVER_AT, OVER_AT + 1)).toMatchObject({ kind: 'open' });
  expect(ask('lead:open', OVER_AT + 1)).toMatchObject({ kind: 'granted' });
});

test('what was paid for is done, and a look from before what was forgotten proves nothing', () => {
  expect(ask('project:R-1', AT + 60_000)).toEqual({ kind: 'done', ref: 'p1' });
  expect(ask('lead:new', AT - 1_000, AT + 60_000)).toEqual({ kind: 'stale' });
});

test('the day, the caps and the pause count', () => {
  expect(ask('lead:new', AT + 1)).toEqual({ kind: 'parked', until: AT + 30_000 });
  expect(ask('lead:new', AT + 60_000)).toMatchObject({ kind: 'capped', cap: 'day' });
  // What the person set is one credit less than what the file allows.
  expect(ask('lead:new', AT + 60_000, AT + 60_000, { ...books(), set: {} })).toMatchObject({ kind: 'granted' });
  const patientUntil = AT + 90_000;
  expect(ask('lead:new', AT + 60_000, AT + 60_000, { ...books(), patientUntil })).toEqual({
    kind: 'patient',
    until: patientUntil,
  });
});

test('a reply that comes now settles what was granted then', () => {
  const settlement = { kind: 'paid', credits: 1_000, ref: 'p2' } as const;
  const { state, booked } = ledger.settle(
    books(),
    { subject: 'lead:open', attempt: 'b#1', run: 'pipeline/1', settlement },
    AT + 1,
  );
  expect(booked).toBe(1_000);
  expect(state.flights.open).toEqual({});
  expect(ledger.spentOn(state, AT)).toBe(2_000);
});

test('what it reads it hands on under the same names', () => {
  expect(JSON.parse(JSON.stringify(books()))).toEqual(JSON.parse(STORED));
});
