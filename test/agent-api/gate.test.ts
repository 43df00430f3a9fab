import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admission, createGate, type Gate, LIMITS, type RateClass } from '../../src/agent-api';
import { perClass } from '../../src/agent-api/rate-class';
import { leastOf } from '../support/least';

/** A gate of one small limit for all classes but what is given. */
const gateOf = (max: number, windowMs: number, sendWindowMs = 100, others: object = {}) => {
  const limit = { max, windowMs };
  const limits = { ...perClass(() => limit), ...others };
  return createGate({ limits, sendWindowMs });
};

function fullestWindow(times: number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(...sorted.map((time) => sorted.filter((other) => other >= time && other <= time + windowMs).length));
}

/** Takes a place as an activity does: comes back when it is told to. */
async function pass(gate: Gate, rateClass: RateClass, maxWaitMs = 2_000): Promise<void> {
  for (;;) {
    const admission = await gate.acquire(rateClass, { maxWaitMs });
    if (admission.ok) return;
    await sleep(admission.retryAtMs - Date.now());
  }
}
/** A request leaves at this very moment, also where the process then stands still on a busy machine. */
function departAt(now: number, gate: Gate, rateClass: RateClass): void {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
  gate.departed(rateClass);
  clock.mockRestore();
}
const retryAt = (admission: Admission) => (admission.ok ? Number.NaN : admission.retryAtMs);

it('S5: no window of departures holds more than the limit, however late requests leave after their place', async () => {
  const windowMs = 800;
  const sendWindowMs = 150;
  const gate = gateOf(10, windowMs, sendWindowMs);
  const departures: number[] = [];
  let tooLate = 0;
  const callers = Array.from({ length: 45 }, async (_, index) => {
    // Places are planned ahead for a small part of the window, as in production.
    await pass(gate, 'writes', windowMs / 30);
    const by = performance.now() + sendWindowMs - 5;
    // The ledger is asked in between; two out of three are bounced together into one moment.
    await sleep((index * 37) % 130);
    const now = performance.now();
    // On a busy machine some come too late, and do not leave at all: no more does a client write then.
    if (now > by) {
      tooLate++;
      return;
    }
    departures.push(now);
    departAt(now, gate, 'writes');
  });
  await Promise.all(callers);
  expect(departures).toHaveLength(45 - tooLate);
  expect(tooLate).toBeLessThan(20);
  expect(fullestWindow(departures, windowMs)).toBeLessThanOrEqual(10);
});

it('S5: a place that is used far too late is still counted', async () => {
  const windowMs = 400;
  const gate = gateOf(3, windowMs, 20);
  const departures: number[] = [];
  const depart = () => {
    const now = performance.now();
    departures.push(now);
    departAt(now, gate, 'writes');
  };
  await pass(gate, 'writes');
  const late = sleep(430).then(depart);
  for (let i = 0; i < 3; i++) {
    await pass(gate, 'writes');
    depart();
  }
  await late;
  expect(departures).toHaveLength(4);
  expect(fullestWindow(departures, windowMs)).toBeLessThanOrEqual(3);
});

it('keeps the full pace: what is reported at once costs no more than the limit itself', async () => {
  const took = await leastOf(1_000, async () => {
    const gate = gateOf(10, 300);
    const began = performance.now();
    for (let i = 0; i < 25; i++) {
      await pass(gate, 'reads');
      gate.departed('reads');
    }
    return performance.now() - began;
  });
  // 24 gaps of 300/9.9 ms.
  expect(took).toBeGreaterThan(720);
  expect(took).toBeLessThan(1_000);
});

it('lets callers pass in the order in which they came', async () => {
  const gate = gateOf(10, 200);
  const order: number[] = [];
  await Promise.all(Array.from({ length: 12 }, (_, i) => pass(gate, 'polls').then(() => order.push(i))));
  expect(order).toEqual(Array.from({ length: 12 }, (_, i) => i));
});

it('waits 2 s at most and then says when to come back, each at a moment of its own', async () => {
  const gate = createGate({ limits: LIMITS });
  expect(await gate.acquire('writes')).toEqual({ ok: true });
  const before = performance.now();
  const refused = await Promise.all(Array.from({ length: 5 }, () => gate.acquire('writes')));
  expect(performance.now() - before).toBeLessThan(1_500);
  const moments = refused.map(retryAt);
  expect((moments[0] ?? 0) - Date.now()).toBeGreaterThan(2_900);
  for (let i = 1; i < moments.length; i++) expect((moments[i] ?? 0) - (moments[i - 1] ?? 0)).toBeGreaterThan(2_900);
});

it('does not send anybody further away than one window beyond the next place', async () => {
  const gate = createGate({ limits: LIMITS });
  await gate.acquire('writes');
  for (let i = 0; i < 100; i++) {
    const moment = retryAt(await gate.acquire('writes'));
    expect(moment - Date.now()).toBeLessThan(3_100 + 60_000);
  }
});

it('a 429 parks its whole class until the moment that is given, and an earlier one does not shorten that', async () => {
  const gate = createGate({ limits: LIMITS });
  const until = Date.now() + 30_000;
  gate.refused('writes', until);
  gate.refused('writes', Date.now() + 1_000);
  expect(Math.abs((gate.parkedUntil('writes') ?? 0) - until)).toBeLessThan(50);
  expect(Math.abs(retryAt(await gate.acquire('writes')) - until)).toBeLessThan(50);
  expect(gate.parkedUntil('reads')).toBeUndefined();
  expect(await gate.acquire('reads')).toEqual({ ok: true });
  expect((await gate.acquire('notes')).ok).toBe(false);
});

it('a 429 without a moment parks for a full window', () => {
  const gate = createGate({ limits: LIMITS });
  gate.refused('notes');
  expect(Math.abs((gate.parkedUntil('notes') ?? 0) - Date.now() - 3_600_000)).toBeLessThan(1_000);
});

it('of a window of a month it parks for a day, however often it comes', () => {
  const windowMs = 30 * 86_400_000;
  const gate = createGate({ limits: { ...LIMITS, audits: { max: 100, windowMs } } });
  const left = () => Math.round(((gate.parkedUntil('audits') ?? 0) - Date.now()) / 3_600_000);
  gate.refused('audits');
  expect(left()).toBe(24);
  // Nor does it grow beyond that, where each was waited for.
  const clock = jest.spyOn(performance, 'now');
  const began = performance.now();
  for (let day = 1; day <= 5; day++) {
    clock.mockReturnValue(began + day * 90_000_000);
    gate.refused('audits');
    expect(left()).toBe(24);
  }
  clock.mockRestore();
});

it('what other processes heard parks that class alone: they tell of the writes by themselves', () => {
  const gate = createGate({ limits: LIMITS });
  gate.park('notes', Date.now() + 3_600_000);
  expect(gate.parkedUntil('notes')).toBeDefined();
  expect(gate.parkedUntil('writes')).toBeUndefined();
});

it.each([
  ['audits', 600_000],
  ['notes', 1_800_000],
] as const)('a 429 for %s parks the writes too, as long as their limit could have been the reason', (rateClass, ms) => {
  const gate = createGate({ limits: LIMITS });
  const left = (each: RateClass) => (gate.parkedUntil(each) ?? 0) - Date.now();
  gate.refused(rateClass, Date.now() + 20_000);
  expect(Math.abs(left('writes') - 20_000)).toBeLessThan(1_000);
  gate.refused(rateClass, Date.now() + ms);
  expect(Math.abs(left('writes') - LIMITS.writes.windowMs)).toBeLessThan(1_000);
  expect(Math.abs(left(rateClass) - ms)).toBeLessThan(1_000);
});

it('lets nobody pass who was waiting when the park came, and passes on one at a time after it', async () => {
  const gate = gateOf(10, 500);
  await gate.acquire('reads');
  const waiting = Array.from({ length: 3 }, () => gate.acquire('reads').then(() => performance.now()));
  const end = performance.now() + 300;
  gate.park('reads', Date.now() + 300);
  const passed = await Promise.all(waiting);
  for (const [index, moment] of passed.entries()) expect(moment).toBeGreaterThanOrEqual(end - 3 + index * 45);
  expect(gate.parkedUntil('reads')).toBeUndefined();
});

it('a person ends the parks there are, once, and nothing that was refused before that was known', async () => {
  const gate = gateOf(10, 500);
  const park = () => gate.park('reads', Date.now() + 60_000);
  park();
  gate.parksEnded(1_000);
  expect((await gate.acquire('reads')).ok).toBe(false);
  gate.parksEnded(2_000);
  expect(gate.parkedUntil('reads')).toBeUndefined();
  const began = performance.now();
  for (let n = 0; n < 2; n++) expect(await gate.acquire('reads')).toEqual({ ok: true });
  // One after the other, as after any park.
  expect(performance.now() - began).toBeGreaterThan(40);
  park();
  expect([gate.parksEnded(2_000), gate.parksEnded(0)]).toEqual([true, false]);
  expect((await gate.acquire('reads')).ok).toBe(false);
});

it('a ledger that knows nothing of what a person ended is a late word for a while, and then another one', () => {
  const gate = gateOf(10, 500);
  gate.parksEnded(2_000);
  expect(gate.parksEnded(0)).toBe(false);
  const later = performance.now() + 31_000;
  const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
  expect(gate.parksEnded(0)).toBe(true);
  clock.mockRestore();
});

it('a note takes a place of the notes and one of the writes', async () => {
  const gate = gateOf(10, 500, 100, { notes: { max: 2, windowMs: 60_000 } });
  const began = performance.now();
  await gate.acquire('writes');
  expect(await gate.acquire('notes')).toEqual({ ok: true });
  expect(performance.now() - began).toBeGreaterThan(45);
  expect(await gate.acquire('notes')).toEqual({ ok: true });
  expect(retryAt(await gate.acquire('notes')) - Date.now()).toBeGreaterThan(50_000);
  expect(await gate.acquire('writes')).toEqual({ ok: true });
});

it('notes that are used up take no place of the writes', async () => {
  const gate = createGate({ limits: { ...LIMITS, notes: { max: 1, windowMs: 60_000 } } });
  gate.departed('notes');
  const [note, , free] = [await gate.acquire('notes'), await sleep(0), await gate.acquire('writes')];
  expect(note.ok).toBe(false);
  expect(free).toEqual({ ok: true });
});

it('an abort ends the wait with its reason', async () => {
  const gate = createGate({ limits: LIMITS });
  await gate.acquire('reads');
  const abort = new AbortController();
  const waiting = gate.acquire('reads', { signal: abort.signal });
  abort.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
});

it('a place that is never used costs one window and no more', async () => {
  const took = await leastOf(450, async () => {
    const gate = gateOf(5, 150, 30);
    for (let i = 0; i < 3; i++) await pass(gate, 'writes');
    const departures: number[] = [];
    for (let i = 0; i < 25; i++) {
      await pass(gate, 'writes');
      gate.departed('writes');
      departures.push(performance.now());
    }
    return (departures[24] ?? 0) - (departures[14] ?? 0);
  });
  // Without a break since then, at the full pace again: gaps of 150/4.9 ms.
  expect(took).toBeLessThan(450);
});

it('S5: who has its turn by the ledger is not slowed by an even pace, and the log still counts', async () => {
  const gate = gateOf(3, 60_000);
  const take = () => gate.acquire('writes', { hasTurn: true, maxWaitMs: 0 });
  for (let n = 0; n < 3; n++) {
    expect(await take()).toEqual({ ok: true });
    gate.departed('writes');
  }
  expect((await take()).ok).toBe(false);
});

it('S5: without a turn the pace is even, as where a ledger of an earlier version gives none', async () => {
  const gate = gateOf(3, 60_000);
  const take = () => gate.acquire('writes', { maxWaitMs: 0 });
  expect((await take()).ok).toBe(true);
  expect((await take()).ok).toBe(false);
});
