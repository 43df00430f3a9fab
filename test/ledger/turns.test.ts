/** S5: turns are exact for every closed window, whoever asks and whenever it sends, and little of the limit is lost. */
import { noTurns, type Turns, takeTurn, turnUsed } from '../../src/ledger/turns';
import { Random } from '../simulation/world/random';

const LIMIT = { max: 20, windowMs: 60_000 };
const WITHIN = 5_000;

interface Course {
  /** Requests in a minute that come to ask, again and again until they have left. */
  readonly dispatched: number;
  readonly minutes: number;
  /** Nobody gets an answer meanwhile: the worker that has the ledger was lost. */
  readonly stalls?: readonly { readonly from: number; readonly to: number }[];
  /** The share of those who got their turn and die before they send. */
  readonly lost?: number;
}

/** Until then a process waits and asks again; else the call goes back to its queue, behind all others. */
const WAITS_MS = 2_000;
/** A request leaves soon after its turn, and when its reply is there the ledger is told how soon. */
const LEAVES_MS = 800;
const REPLIES_MS = 20_000;

/** Processes with a backlog. @returns the moments of all departures, and how often one went back to the queue */
function play(seed: number, { dispatched, minutes, stalls = [], lost = 0 }: Course) {
  const random = new Random(seed);
  let turns: Turns = noTurns;
  const departures: number[] = [];
  let bounced = 0;
  const asks: number[] = [];
  const replies: { at: number; granted: number; afterMs: number }[] = [];
  const end = minutes * 60_000;
  for (let at = 0; at < end; at += (60_000 / dispatched) * (0.5 + random.next())) asks.push(Math.floor(at));
  while (asks.length > 0) {
    asks.sort((one, other) => one - other);
    const now = asks.shift() ?? 0;
    if (now >= end) continue;
    // Whoever gets no answer asks again.
    const stall = stalls.find(({ from, to }) => now >= from && now < to);
    if (stall) {
      asks.push(stall.to + random.between(0, 1_000));
      continue;
    }
    for (const { granted, afterMs } of replies.filter(({ at }) => at <= now))
      turns = turnUsed(turns, granted, { limit: LIMIT, withinMs: WITHIN, afterMs });
    replies.splice(0, replies.length, ...replies.filter(({ at }) => at > now));
    const answer = takeTurn(turns, now, { limit: LIMIT, withinMs: WITHIN });
    turns = answer.turns;
    if (answer.at === 'now') {
      if (random.chance(lost)) continue;
      const afterMs = random.between(50, random.chance(0.05) ? WITHIN : LEAVES_MS);
      departures.push(now + afterMs);
      replies.push({ at: now + afterMs + random.between(500, REPLIES_MS), granted: now, afterMs });
    } else if (answer.at - now <= WAITS_MS) asks.push(answer.at + random.between(1, 100));
    else bounced++;
  }
  return { departures: departures.sort((one, other) => one - other), bounced };
}
const fullest = (moments: readonly number[]) =>
  Math.max(...moments.map((from, n) => moments.slice(n).filter((moment) => moment - from <= LIMIT.windowMs).length));
/** Of the limit that was used after the first window. */
const used = (moments: readonly number[], minutes: number) =>
  moments.filter((moment) => moment >= LIMIT.windowMs).length / ((minutes - 1) * LIMIT.max);

test.each([
  [30, 0.98],
  [40, 0.99],
  [60, 0.99],
  [120, 0.99],
])(
  'S5: %i that ask in a minute are let through 20 in any closed minute, and this share of that: %f',
  (dispatched, share) => {
    for (let seed = 1; seed <= 40; seed++) {
      const { departures } = play(seed, { dispatched, minutes: 15 });
      expect(fullest(departures)).toBeLessThanOrEqual(LIMIT.max);
      expect(used(departures, 15)).toBeGreaterThan(share);
    }
  },
);

test('S5: what a stall has cost is made up for, and no window holds more for it', () => {
  const stalls = [120_000, 270_000, 420_000, 570_000].map((from) => ({ from, to: from + 15_000 }));
  for (let seed = 1; seed <= 40; seed++) {
    const { departures } = play(seed, { dispatched: 40, minutes: 15, stalls });
    expect(fullest(departures)).toBeLessThanOrEqual(LIMIT.max);
    // Of fourteen minutes one is lost.
    expect(used(departures, 15)).toBeGreaterThan(0.94);
  }
});

test('S5: who dies with its turn costs that turn and no more', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { departures } = play(seed, { dispatched: 40, minutes: 15, lost: 0.02 });
    expect(fullest(departures)).toBeLessThanOrEqual(LIMIT.max);
    expect(used(departures, 15)).toBeGreaterThan(0.945);
  }
});

test('one that comes alone goes at once, a few after a quiet time do, and others are told one moment after the other', () => {
  let turns: Turns = noTurns;
  const at: (number | 'now')[] = [];
  for (let n = 0; n < 8; n++) {
    const answer = takeTurn(turns, 1_000, { limit: LIMIT, withinMs: WITHIN });
    ({ turns } = answer);
    at.push(answer.at);
  }
  expect(at.slice(0, 5)).toEqual(['now', 'now', 'now', 'now', 'now']);
  const [sixth = 0, seventh = 0, eighth = 0] = at.slice(5) as number[];
  expect(sixth).toBeGreaterThan(1_000);
  expect([seventh - sixth, eighth - seventh]).toEqual([3_000, 3_000]);
  expect(takeTurn(turns, sixth, { limit: LIMIT, withinMs: WITHIN }).at).toBe('now');
});

test('S5: a turn that was not used is free again, and who says it twice frees no other', () => {
  let turns: Turns = noTurns;
  for (let n = 0; n < 5; n++) ({ turns } = takeTurn(turns, 1_000 + n, { limit: LIMIT, withinMs: WITHIN }));
  const unused = turnUsed(turns, 1_002, { limit: LIMIT, withinMs: WITHIN });
  expect(unused.log).toEqual([6_000, 6_001, 6_003, 6_004]);
  expect(turnUsed(unused, 1_002, { limit: LIMIT, withinMs: WITHIN })).toBe(unused);
  expect(takeTurn(unused, 1_005, { limit: LIMIT, withinMs: WITHIN }).at).toBe('now');
  expect(takeTurn(turns, 1_005, { limit: LIMIT, withinMs: WITHIN }).at).not.toBe('now');
});

test('S5: who says that it left later than it may is not believed, and no departure is moved before its grant', () => {
  const { turns } = takeTurn(noTurns, 1_000, { limit: LIMIT, withinMs: WITHIN });
  const used = (afterMs: number) => turnUsed(turns, 1_000, { limit: LIMIT, withinMs: WITHIN, afterMs }).log;
  expect([used(0), used(120.4), used(60_000)]).toEqual([[1_000], [1_121], [6_000]]);
});

test('S5 S7: whoever asks with other limits keeps nobody for longer than a window, and lets nobody send too much', () => {
  const asked = { limit: LIMIT, withinMs: WITHIN };
  const slow = takeTurn(noTurns, 0, { limit: { max: 1, windowMs: 8e15 }, withinMs: 60_000 }).turns;
  const told = takeTurn(slow, 1, asked);
  expect(Number(told.at)).toBeLessThanOrEqual(1 + LIMIT.windowMs);
  expect(takeTurn(told.turns, Number(told.at), asked).at).toBe('now');
  const log = Array.from({ length: LIMIT.max }, (_, n) => 1_000 * n + WITHIN);
  const full: Turns = { ...noTurns, log, keptMs: LIMIT.windowMs };
  const { turns } = takeTurn(full, 40_000, { limit: { max: 5_000, windowMs: 1 }, withinMs: 1 });
  expect(takeTurn(turns, 50_000, asked).at).toBeGreaterThan(LIMIT.windowMs);
});

test('negative control: without the log a window holds more', () => {
  let turns: Turns = noTurns;
  const departures: number[] = [];
  for (let now = 0; now < 600_000; now += 1_000) {
    const answer = takeTurn({ ...turns, log: [] }, now, { limit: LIMIT, withinMs: WITHIN });
    ({ turns } = answer);
    if (answer.at === 'now') departures.push(now);
  }
  expect(fullest(departures)).toBeGreaterThan(LIMIT.max);
});
