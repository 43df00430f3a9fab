/** S5: turns are exact for every closed window, whoever asks and whenever it sends, and little of the limit is lost. */
import { noTurns, type Turns, takeTurn } from '../../src/ledger/turns';
import { Random } from '../simulation/world/random';

const LIMIT = { max: 20, windowMs: 60_000 };
const WITHIN = 500;

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
const WAITS_MS = 5_000;

/** Processes with a backlog. @returns the moments of all departures, and how often one went back to the queue */
function play(seed: number, { dispatched, minutes, stalls = [], lost = 0 }: Course) {
  const random = new Random(seed);
  let turns: Turns = noTurns;
  const departures: number[] = [];
  let bounced = 0;
  const asks: number[] = [];
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
    const answer = takeTurn(turns, now, { limit: LIMIT, withinMs: WITHIN });
    turns = answer.turns;
    if (answer.at === 'now') {
      if (!random.chance(lost)) departures.push(now + random.between(0, WITHIN));
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

test.each([30, 40, 60, 120])(
  'S5: %i that ask in a minute are let through 20 in any closed minute, and 97 %% of that',
  (dispatched) => {
    for (let seed = 1; seed <= 40; seed++) {
      const { departures } = play(seed, { dispatched, minutes: 15 });
      expect(fullest(departures)).toBeLessThanOrEqual(LIMIT.max);
      expect(used(departures, 15)).toBeGreaterThan(0.97);
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
    expect(used(departures, 15)).toBeGreaterThan(0.94);
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
