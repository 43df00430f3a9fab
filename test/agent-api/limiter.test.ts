import {
  admit,
  idle,
  type Limit,
  type Log,
  logAdmits,
  logEnter,
  paceFor,
  parkUntil,
} from '../../src/agent-api/limiter';

/** A small seeded generator (mulberry32): the same arrivals each time, named by the seed in a failure. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The most requests that any closed window of this length holds. */
function fullestWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while (time - (times[first] ?? 0) > windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Arrivals of bursts, idle times and steady stretches. */
function* arrivals(next: () => number, windowMs: number, count: number): Generator<number> {
  let now = next() * 1e6;
  for (let i = 0; i < count; i++) {
    yield now;
    const kind = next();
    now += kind < 0.6 ? 0 : kind < 0.9 ? (next() * windowMs) / 10 : next() * 2 * windowMs;
  }
}

const limits: Limit[] = [
  { max: 20, windowMs: 60_000 },
  { max: 100, windowMs: 60_000 },
  { max: 120, windowMs: 60_000 },
  { max: 30, windowMs: 3_600_000 },
  { max: 1, windowMs: 1_000 },
  { max: 7, windowMs: 13 },
];

describe('the even pace', () => {
  it.each(limits)('S5: no closed window holds more than $max in $windowMs ms, whatever arrives', (limit) => {
    const pace = paceFor(limit);
    for (let seed = 1; seed <= 40; seed++) {
      let state = idle;
      const times: number[] = [];
      for (const now of arrivals(random(seed), limit.windowMs, limit.max * 5)) {
        const admitted = admit(state, now, pace);
        expect(admitted.at).toBeGreaterThanOrEqual(now);
        state = admitted.state;
        times.push(admitted.at);
      }
      expect({ seed, ok: fullestWindow(times, limit.windowMs) <= limit.max }).toEqual({ seed, ok: true });
    }
  });

  it('holds floor(burst + r·W) with a burst too', () => {
    const pace = { burst: 5, ratePerMs: 15.9 / 60_000 };
    let state = idle;
    const times: number[] = [];
    for (const now of arrivals(random(7), 60_000, 400)) {
      const admitted = admit(state, now, pace);
      state = admitted.state;
      times.push(admitted.at);
    }
    expect(fullestWindow(times, 60_000)).toBeLessThanOrEqual(20);
  });

  it('loses no more than a tenth of a request per window', () => {
    const limit = { max: 20, windowMs: 60_000 };
    let state = idle;
    let last = 0;
    for (let i = 0; i < 200; i++) ({ at: last, state } = admit(state, 0, paceFor(limit)));
    expect((200 - 1) / (last / 60_000)).toBeCloseTo(19.9, 6);
  });

  it('negative control: a pace of exactly the limit puts one too many into a closed window', () => {
    let state = idle;
    const times: number[] = [];
    for (let i = 0; i < 50; i++) {
      const admitted = admit(state, 0, { burst: 1, ratePerMs: 20 / 60_000 });
      state = admitted.state;
      times.push(admitted.at);
    }
    expect(fullestWindow(times, 60_000)).toBe(21);
  });

  it('lets nothing pass before a park ends, and only one request at its end', () => {
    const pace = { burst: 5, ratePerMs: 1 / 1_000 };
    const parked = parkUntil(idle, 90_000, pace);
    const first = admit(parked, 10, pace);
    expect(first.at).toBe(90_000);
    expect(admit(first.state, 10, pace).at).toBe(91_000);
  });

  it('does not shorten a wait by parking to an earlier moment', () => {
    const pace = paceFor({ max: 20, windowMs: 60_000 });
    const parked = parkUntil(idle, 50_000, pace);
    expect(admit(parkUntil(parked, 10_000, pace), 0, pace).at).toBe(50_000);
  });
});

describe('the exact sliding log', () => {
  it.each(limits)('S5: no closed window holds more than $max in $windowMs ms, and none waits without need', (limit) => {
    for (let seed = 1; seed <= 40; seed++) {
      let log: Log = [];
      const times: number[] = [];
      for (const now of arrivals(random(seed), limit.windowMs, limit.max * 5)) {
        const at = logAdmits(log, now, limit);
        log = logEnter(log, at, now, limit);
        // One millisecond is kept clear of the window's closed end.
        const full = times.filter((time) => time >= now - limit.windowMs - 1).length >= limit.max;
        expect({ seed, waited: at > now && !full }).toEqual({ seed, waited: false });
        times.push(at);
      }
      times.sort((a, b) => a - b);
      expect({ seed, ok: fullestWindow(times, limit.windowMs) <= limit.max }).toEqual({ seed, ok: true });
    }
  });

  it('lets all of an hour go at once and the next one only when the first has left the window', () => {
    const limit = { max: 30, windowMs: 3_600_000 };
    let log: Log = [];
    for (let i = 0; i < 30; i++) {
      expect(logAdmits(log, 1_000, limit)).toBe(1_000);
      log = logEnter(log, 1_000, 1_000, limit);
    }
    expect(logAdmits(log, 2_000, limit)).toBe(3_601_001);
    expect(logAdmits(log, 3_601_001, limit)).toBe(3_601_001);
  });

  it('forgets what no window holds any more', () => {
    const limit = { max: 3, windowMs: 100 };
    expect(logEnter([1, 2, 950], 1_000, 1_000, limit)).toEqual([950, 1_000]);
  });
});
