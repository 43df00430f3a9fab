/** S8: a ledger whose days do not line up with those of the books takes nothing for more that it has. */
import * as ledger from '../../src/ledger';
import { ADJUSTMENT, KEEP_DAYS } from '../../src/ledger';
import { dayOf } from '../../src/time/day';

const LA = 'America/Los_Angeles';
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const start = (timeZone: string) => ({
  ...{ account: 'a', timing, budget: { perDay: null, balanceFloor: 0, timeZone } },
});
const open = (timeZone: string, now: number) => ledger.openLedger(start(timeZone), now, false);
const DAY = 86_400_000;

interface Paid {
  at: number;
  credits: number;
}

/** The books of these payments, as a worker sums them up that is configured with a zone. */
function booksOf(all: readonly Paid[], timeZone: string): ledger.Kept {
  const days = new Map<string, number>();
  for (const { at, credits } of all) {
    const day = dayOf(at, timeZone);
    days.set(day, (days.get(day) ?? 0) + credits);
  }
  const { flights } = open(timeZone, 0);
  const last = [...days].sort(([one], [other]) => (one < other ? -1 : 1)).slice(-KEEP_DAYS);
  return { flights, days: Object.fromEntries(last), runs: {}, bookings: [], timeZone };
}

const booked = (state: ledger.LedgerState, { at, credits }: Paid) =>
  ledger.book(state, { subject: 'lead:1', run: 'r', credits, at });
const reread = (state: ledger.LedgerState, books: ledger.Kept, at: number) =>
  ledger.reread(state, { books }, { at, open: {} }, at + 10);
const sum = ({ days }: ledger.LedgerState) => Object.values(days).reduce((all, credits) => all + credits, 0);

/** A payment each day, or on those that are chosen. */
const daily = (from: number, count: number, credits: (n: number) => number, isPaidOn = (_at: number) => true): Paid[] =>
  Array.from({ length: count }, (_, n) => ({ at: from + n * DAY, credits: credits(n) })).filter(({ at }) =>
    isPaidOn(at),
  );

/** Pays all, with a rereading after each, and returns what that has added each time. */
function gains(first: ledger.LedgerState, before: readonly Paid[], all: readonly Paid[], timeZone: string): number[] {
  let state = first;
  return all.map((payment, n) => {
    const paid = booked(state, payment);
    state = reread(paid, booksOf([...before, ...all.slice(0, n + 1)], timeZone), payment.at + 1);
    return sum(state) - sum(paid);
  });
}
const none = (all: readonly number[]) => expect(all.filter((gain) => gain !== 0)).toEqual([]);

test("where a person's time zone is another than the configured one, each payment counts once", () => {
  const evening = Date.parse('2026-11-02T20:00:00-08:00');
  let state = ledger.setBudget(open('UTC', evening - DAY), { timeZone: LA }, 'Ada', evening - DAY);
  state = ledger.readBalance(state, 50_000, evening - DAY, evening - DAY);
  const all = Array.from({ length: 5 }, (_, n) => ({ at: evening + n * 60_000, credits: 1_000 }));
  for (const [n, payment] of all.entries())
    state = reread(booked(state, payment), booksOf(all.slice(0, n + 1), 'UTC'), payment.at + 1);
  expect(state.days).toEqual({ '2026-11-02': 5_000 });
  expect(ledger.spentInMonth(state, evening + 600_000)).toBe(5_000);
  expect(state.funds?.expected).toBe(45_000);
  // What it really lacks it takes all the same.
  const more = [...all, { at: evening + 900_000, credits: 700 }];
  expect(sum(reread(state, booksOf(more, 'UTC'), evening + 900_001))).toBe(5_700);
});

test("as little of an account of years in a person's time zone", () => {
  const evening = Date.parse('2026-03-02T20:00:00-08:00');
  const inLosAngeles = ledger.setBudget(open('UTC', evening - DAY), { timeZone: LA }, 'Ada', evening - DAY);
  none(
    gains(
      inLosAngeles,
      [],
      daily(evening, 100, (n) => 1_000 + n),
      'UTC',
    ),
  );
});

test('a configured time zone that moves east makes no payment of before another one', () => {
  const evening = Date.parse('2026-08-01T21:00:00-04:00');
  const all = daily(evening, 60, (n) => 1_000 + n);
  const state = all.reduce(booked, open('America/New_York', evening));
  const moved = ledger.configure(state, start('UTC'), evening + 60 * DAY);
  expect(moved.timeZone).toBe('UTC');
  const late = evening + 60 * DAY + 1;
  const again = reread(moved, booksOf(all, 'UTC'), late);
  expect(again.days).toEqual(state.days);
  // Nor are they worth a reading each time that a worker tells what they come to.
  const told = ({ days }: ledger.Kept) => ({
    ...start('UTC'),
    booked: { from: '2026-09-01', credits: ledger.sumSince('2026-09-01', days) },
  });
  expect(ledger.isBehind(moved, told(booksOf(all, 'UTC')))).toBe(false);
  expect(ledger.isBehind(moved, told(booksOf([...all, { at: late, credits: 5_000 }], 'UTC')))).toBe(true);
  none(
    gains(
      moved,
      all,
      daily(evening + 61 * DAY, 60, () => 3_000),
      'UTC',
    ),
  );
});

test('a day on which people only corrected something leaves no room for a day that is gone', () => {
  const monday = Date.parse('2026-06-01T12:00:00Z');
  const isWeekday = (at: number) => ![0, 6].includes(new Date(at).getUTCDay());
  const all = daily(monday, 120, () => 10_000, isWeekday);
  const saturday = monday + 26 * DAY;
  const before = all.filter(({ at }) => at < saturday);
  const corrected = ledger.book(before.reduce(booked, open('UTC', monday)), {
    ...{ subject: ADJUSTMENT, run: ADJUSTMENT, credits: 5, at: saturday },
  });
  none(gains(corrected, before, all.slice(before.length), 'UTC'));
});

test('a payment that the books have a day later than the ledger counts once', () => {
  const night = Date.parse('2026-11-20T23:59:59Z');
  const state = booked(open('UTC', night), { at: night, credits: 1_000 });
  const late = booksOf([{ at: night + 5_000, credits: 1_000 }], 'UTC');
  expect(reread(state, late, night + 9_000).days).toEqual({ '2026-11-20': 1_000 });
});

test.each([
  ['each day', () => true],
  ['on weekdays', (at: number) => ![0, 6].includes(new Date(at).getUTCDay())],
])('an account of years that pays %s, set back, takes exactly what it lacks', (_, isPaidOn) => {
  const noon = Date.parse('2026-03-02T12:00:00Z');
  const all = daily(noon, 150, (n) => 1_000 + n, isPaidOn);
  for (let n = 50; n < all.length; n++) {
    const whole = all.slice(0, n).reduce(booked, open('UTC', noon));
    const behind = all.slice(0, n - 2).reduce(booked, open('UTC', noon));
    const again = reread(behind, booksOf(all.slice(0, n), 'UTC'), (all[n - 1]?.at ?? 0) + 1);
    const lacking = all.slice(n - 2, n).reduce((credits, one) => credits + one.credits, 0);
    expect(sum(again) - sum(behind)).toBe(lacking);
    expect(again.days).toMatchObject(Object.fromEntries(Object.entries(whole.days).slice(-2)));
  }
});

test('a ledger of which nothing is left takes all days of the books', () => {
  const noon = Date.parse('2026-03-02T12:00:00Z');
  const books = booksOf(
    daily(noon, 60, () => 1_000),
    LA,
  );
  const blank = ledger.reopen({ lost: true, books }, start('UTC'), noon + 60 * DAY);
  expect(blank.days).toEqual(books.days);
});

test('days of books that nobody can read as dates do no harm', () => {
  const noon = Date.parse('2026-03-02T12:00:00Z');
  const state = daily(noon, 50, () => 1_000).reduce(booked, open('UTC', noon));
  for (const day of ['', 'x', '+275760-09-13'])
    expect(() =>
      reread({ ...state, days: { ...state.days, [day]: 1 } }, { ...booksOf([], 'UTC'), days: { [day]: 5 } }, noon),
    ).not.toThrow();
});
