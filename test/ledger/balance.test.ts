/** S3: a balance that lags behind, by any amount up to the settling time, never leads below its floor. */
import * as ledger from '../../src/ledger';
import { Random } from '../../src/sandbox/random';

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const { settlingMs } = timing;
const NOW = Date.UTC(2026, 10, 21, 12);
const PRICE = 1_000;
const MINUTE = 60_000;
const open = (balanceFloor = 0, lost = false) =>
  ledger.openLedger({ account: 'a', timing, budget: { perDay: null, balanceFloor, timeZone: 'UTC' } }, NOW, lost);

/** A service whose readings show its balance as it was up to `lagMs` ago, and a ledger that spends there. */
class World {
  now = NOW;
  state: ledger.LedgerState;
  private past: { at: number; balance: number }[];
  private sends = 0;

  constructor(
    balance: number,
    readonly floor: number,
    private readonly random: Random,
    private readonly lagMs: number,
  ) {
    this.past = [{ at: 0, balance }];
    this.state = open(floor);
  }

  get balance(): number {
    return this.past.at(-1)?.balance ?? 0;
  }

  set balance(balance: number) {
    this.past.push({ at: this.now, balance });
  }

  /** A replica answers with what it has: an older one may answer after a younger one. */
  read(): void {
    const askedAt = this.now;
    const shownAt = askedAt - this.random.below(this.lagMs + 1);
    const shown = this.past.findLast(({ at }) => at <= shownAt)?.balance ?? 0;
    this.now += 200;
    this.state = ledger.readBalance(this.state, shown, askedAt, this.now);
  }

  /** Tries to spend; answers whether it might. */
  spend(): boolean {
    const subject = `lead:${++this.sends}`;
    const send = { subject, attempt: subject, run: 'r', credits: PRICE, runCap: 1e9, lookedAt: this.now, readSince: 0 };
    const { state, answer } = ledger.beginSend(this.state, send, this.now);
    this.state = state;
    if (answer.kind !== 'granted') return false;
    this.now += this.random.below(2_000);
    this.balance -= PRICE;
    // Now and then somebody reads while a call is under way, and paid for already.
    if (this.random.chance(0.2)) this.read();
    this.now += this.random.below(2_000);
    const settlement = { kind: 'paid', credits: PRICE } as const;
    this.state = ledger.settle(this.state, { subject, attempt: subject, run: 'r', settlement }, this.now).state;
    return true;
  }

  /** Lets time pass in which the ledger reads as it likes. */
  wait(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now = Math.max(this.now + MINUTE, Math.min(end, ledger.nextReading(this.state)));
      this.read();
    }
  }
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed + 1);
const LAGS = { 'no lag': 0, 'a lag of a minute': MINUTE, 'a lag of the settling time': settlingMs };

describe.each(Object.entries(LAGS))('with %s', (_, lagMs) => {
  /** Spends all that it may, while readings arrive. */
  function spendAll(world: World, random: Random): void {
    for (let tries = 0; tries < 60; tries++) {
      if (random.chance(0.3)) world.read();
      if (!world.spend()) world.now += random.below(2 * MINUTE);
    }
  }

  test('nothing is spent below the floor, all above it is, and nothing counts as spent elsewhere', () => {
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const world = new World(71_000, 66_000, random, lagMs);
      world.read();
      spendAll(world, random);
      for (let more = 0; more < 8; more++) {
        world.wait(2 * settlingMs);
        spendAll(world, random);
      }
      world.wait(3 * settlingMs);
      expect({ seed, balance: world.balance, elsewhere: world.state.elsewhere }).toEqual({
        ...{ seed, balance: 66_000, elsewhere: 0 },
      });
      expect(ledger.balance(world.state)).toBe(66_000);
    }
  });

  test('a billing period that begins anew is seen within twice the settling time, and is no spending of ours', () => {
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const world = new World(70_500, 66_000, random, lagMs);
      world.read();
      spendAll(world, random);
      world.wait(random.below(settlingMs));
      const left = world.balance;
      world.balance = 100_000;
      expect(world.spend()).toBe(false);
      world.wait(2 * settlingMs + MINUTE);
      expect({ seed, may: world.spend() }).toEqual({ seed, may: true });
      world.wait(3 * settlingMs);
      expect({ seed, elsewhere: world.state.elsewhere }).toEqual({ seed, elsewhere: left - 100_000 });
    }
  });

  test('what somebody else spends counts as soon as it must show, is noted apart, and is not taken for a top-up later', () => {
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const world = new World(90_000, 66_000, random, lagMs);
      world.read();
      for (let n = 0; n < 5; n++) world.spend();
      world.balance -= 12_000;
      world.now += settlingMs;
      world.read();
      const { balance } = world;
      spendAll(world, random);
      expect(world.balance).toBeGreaterThanOrEqual(66_000);
      expect(world.balance).toBeLessThanOrEqual(balance);
      world.wait(3 * settlingMs);
      expect({ seed, elsewhere: world.state.elsewhere }).toEqual({ seed, elsewhere: 12_000 });
    }
  });
});

test('fourteen conversions are wanted while each reading still shows the balance from before: five are made', () => {
  let state = ledger.readBalance(open(66_000), 71_000, NOW, NOW);
  const made: boolean[] = [];
  for (let n = 1; n <= 14; n++) {
    const now = NOW + n * 3_000;
    const send = {
      subject: `lead:${n}`,
      attempt: `${n}`,
      run: 'r',
      credits: PRICE,
      runCap: 1e9,
      lookedAt: now,
      readSince: 0,
    };
    const asked = ledger.beginSend(state, send, now);
    made.push(asked.answer.kind === 'granted');
    const settlement = { kind: 'paid', credits: PRICE } as const;
    if (made.at(-1)) state = ledger.settle(asked.state, { ...send, settlement }, now).state;
    state = ledger.readBalance(state, 71_000, now, now + 200);
  }
  expect(made.filter(Boolean)).toHaveLength(5);
  expect(ledger.balance(state)).toBe(66_000);
  expect(state.elsewhere).toBe(0);
});

test('what was spent elsewhere stays spent when an older reading comes after the one that showed it', () => {
  const quiet = ledger.readBalance(open(66_000), 71_000, NOW, NOW);
  const at = NOW + 2 * settlingMs;
  const seen = ledger.readBalance(quiet, 66_000, at, at + 200);
  const stale = ledger.readBalance(seen, 71_000, at + MINUTE, at + MINUTE + 200);
  expect(ledger.available(stale)).toBe(66_000);
  expect(stale.elsewhere).toBe(5_000);
  const toppedUp = ledger.readBalance(stale, 71_000, ledger.nextReading(stale), ledger.nextReading(stale) + 200);
  expect(ledger.available(toppedUp)).toBe(71_000);
  expect(toppedUp.elsewhere).toBe(0);
});

test('credits given back to the books are not spendable before a reading shows them', () => {
  const read = ledger.readBalance(open(500), 1_500, NOW, NOW);
  const given = ledger.book(read, { subject: 'lead:1', run: 'r', credits: -PRICE, at: NOW + 1 });
  expect(ledger.available(given)).toBe(1_500);
  const shown = ledger.readBalance(given, 2_500, NOW + settlingMs + 2, NOW + settlingMs + 3);
  expect(ledger.available(shown)).toBe(2_500);
  expect(shown.elsewhere).toBe(0);
});

test('a ledger that replaced a lost one spends by no reading from before it knows what is under way', () => {
  const lost = open(66_000, true);
  const patientUntil = lost.patientUntil ?? 0;
  const early = ledger.readBalance(lost, 71_000, NOW, NOW);
  expect(ledger.available(early)).toBeUndefined();
  const late = ledger.readBalance(early, 66_500, patientUntil, patientUntil + 200);
  expect(ledger.available(late)).toBe(66_500);
});
