import { openLedger, permitsOfBefore, promisedBy, promisedToNobody } from '../../src/ledger';
import { noPermits, type Permits, permitUnused, takePermit } from '../../src/ledger/permits';
import { LATEST_MS } from '../../src/ledger/turns';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const limit = { max: 30, windowMs: HOUR };
const LEEWAY_MS = 5_000;
const TIMING = { sendWindowMs: LEEWAY_MS, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const START = { account: 'default', timing: TIMING, budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' } };

/** Every note asks, and comes back exactly when it was told to; answers when each left. */
function leave(arrivals: readonly number[], lateMs: () => number = () => 0): number[] {
  let permits: Permits = noPermits;
  const waiting = arrivals.map((at, n) => ({ at, n }));
  const left: number[] = [];
  for (let asked = 0; waiting.length > 0; asked++) {
    if (asked > 20 * arrivals.length) throw new Error('notes are sent away again and again');
    waiting.sort((a, b) => a.at - b.at || a.n - b.n);
    const [next] = waiting.splice(0, 1);
    if (!next) break;
    const answer = takePermit(permits, `note:${next.n}`, next.at, limit, LEEWAY_MS);
    permits = JSON.parse(JSON.stringify(answer.permits));
    if (answer.at === 'now') left.push(next.at);
    else waiting.push({ n: next.n, at: answer.at + lateMs() });
  }
  return left.sort((a, b) => a - b);
}

const fullest = (times: readonly number[]) =>
  Math.max(...times.map((start) => times.filter((time) => time >= start && time <= start + HOUR).length));

test('S5: ten notes at once go out at once, the others evenly, and no hour holds more than thirty', () => {
  const left = leave(Array.from({ length: 100 }, () => 0));
  expect(left).toHaveLength(100);
  expect(left.filter((time) => time === 0)).toHaveLength(10);
  const gaps = left.slice(10, 30).map((time, i) => time - (left[i + 9] ?? 0));
  expect(new Set(gaps.map((gap) => Math.round(gap / MINUTE)))).toEqual(new Set([2]));
  expect(fullest(left)).toBe(30);
  // A hundred notes need three hours and a bit: nothing of the limit is left unused.
  expect(left.at(-1)).toBeLessThanOrEqual(3.2 * HOUR);
});

test('S5: notes that come later than they were told to never make an hour too full', () => {
  for (let seed = 1; seed <= 20; seed++) {
    let asked = seed;
    // Mostly within its grace, one time in eight far beyond it.
    const late = () => (++asked % 8 === 0 ? 20 * MINUTE : ((asked * 7919) % 36) * 1_000);
    const left = leave(
      Array.from({ length: 120 }, (_, n) => (n % 3) * 10 * MINUTE),
      late,
    );
    expect(left).toHaveLength(120);
    expect({ seed, fullest: fullest(left) <= 30 }).toEqual({ seed, fullest: true });
  }
});

test('who was told when to come back is told the same again, and nobody takes that place', () => {
  let permits = noPermits;
  for (let n = 0; n < 10; n++) ({ permits } = takePermit(permits, `note:${n}`, 0, limit, LEEWAY_MS));
  const first = takePermit(permits, 'note:a', 0, limit, LEEWAY_MS);
  const again = takePermit(first.permits, 'note:a', 1, limit, LEEWAY_MS);
  const other = takePermit(again.permits, 'note:b', 1, limit, LEEWAY_MS);
  expect(again.at).toBe(first.at);
  expect(other.at).toBeGreaterThan(Number(first.at));
});

test('a promise that nobody comes back for is forgotten after its hour', () => {
  let permits = noPermits;
  for (let n = 0; n < 40; n++) ({ permits } = takePermit(permits, `note:${n}`, 0, limit, LEEWAY_MS));
  expect(Object.keys(permits.promised)).toHaveLength(30);
  const later = takePermit(permits, 'note:late', 10 * HOUR, limit, LEEWAY_MS);
  expect(later.at).toBe('now');
  expect(later.permits.promised).toEqual({});
});

test('permits of which nothing has left keep nobody back once their places are free', () => {
  let permits = noPermits;
  for (let n = 0; n < 10; n++) ({ permits } = takePermit(permits, `note:${n}`, 0, limit, LEEWAY_MS));
  for (let n = 0; n < 10; n++) permits = permitUnused(permits, `note:${n}`, 0, limit, LEEWAY_MS);
  const later = MINUTE;
  for (let n = 0; n < 10; n++) {
    const answer = takePermit(permits, `other:${n}`, later, limit, LEEWAY_MS);
    expect(answer.at).toBe('now');
    permits = answer.permits;
  }
  expect([permits.log.length, permits.promised]).toEqual([10, {}]);
});

describe('what was promised by mistake', () => {
  /** Twenty notes by a limit of one an hour: the last is told to come back in most of a day. */
  function promising(mistake: typeof limit): Permits {
    let permits = noPermits;
    for (let n = 0; n < 20; n++) ({ permits } = takePermit(permits, `note:${n}`, 0, mistake, LEEWAY_MS));
    return permits;
  }
  const mistake = { max: 1, windowMs: HOUR };
  const known = (permits: Permits) => ({ ...openLedger(START, 0, false), permits: { notes: permits } });
  const asks = (permits: Permits | undefined, by = limit) =>
    permits && takePermit(permits, 'note:19', MINUTE, by, LEEWAY_MS).at;

  test('ends with another limit, and what has left counts', () => {
    const permits = promising(mistake);
    const by = (own: typeof limit) =>
      promisedBy(known(permits), { rateClass: 'notes', limit: own }, MINUTE).permits.notes;
    expect(asks(by(mistake), mistake)).toBeGreaterThan(10 * HOUR);
    expect(asks(by(limit))).toBe('now');
    const one = { max: 1, windowMs: HOUR / 2 };
    expect(asks(by(one), one)).toBeGreaterThanOrEqual(HOUR / 2);
  });

  test('but not within its window, for workers that have not the same limit', () => {
    const state = known(promising(limit));
    const other = { ...limit, max: 40 };
    const soon = Object.entries(state.permits.notes?.promised ?? {}).filter(([, at]) => at <= HOUR);
    expect(soon.length).toBeGreaterThan(5);
    const { notes } = promisedBy(state, { rateClass: 'notes', limit: other }, 0).permits;
    expect(Object.entries(notes?.promised ?? {})).toEqual(soon);
  });

  test('ends with a stricter limit, which it would exceed', () => {
    const state = known(promising({ ...limit, max: 300 }));
    const strict = { rateClass: 'notes', limit: { ...limit, max: 12 } };
    expect(promisedBy(state, strict, 0).permits.notes?.promised).toEqual({});
    expect(
      promisedBy(state, { ...strict, limit: { max: 300, windowMs: 2 * HOUR } }, 0).permits.notes?.promised,
    ).toEqual({});
    expect(promisedBy(state, { rateClass: 'audits', limit: strict.limit }, 0)).toBe(state);
  });

  test('ends when a person releases what is parked', () => {
    const permits = promising(mistake);
    expect(promisedToNobody(known(permits)).permits.notes).toMatchObject({ log: [0], promised: {}, pace: null });
    const none = openLedger(START, 0, false);
    expect(promisedToNobody(none)).toBe(none);
  });

  test('ends where the clock was set back, and nothing has left later than now', () => {
    const permits = promising(limit);
    const later = 10 * HOUR;
    const state = known(permits);
    expect(permitsOfBefore(state, later)).toBe(state);
    const latest = -HOUR + LATEST_MS;
    expect(permitsOfBefore(state, -HOUR).permits.notes).toMatchObject({ log: Array(10).fill(latest), promised: {} });
  });
});
