/**
 * S1, S3, S8: any messages to the ledger's own handlers, while a process pays by it, by the books and by its configuration.
 */
import { type AboutToSend, mayBeSent } from '../../src/books/about-to-send';
import type { Draft, Entry } from '../../src/books/entry';
import { Standing } from '../../src/books/standing';
import * as ledger from '../../src/ledger';
import type { LedgerStatus } from '../../src/ledger/messages';
import type { Settlement } from '../../src/paying/open-sends';
import { leadSubject } from '../../src/paying/subject';
import { dayOf, monthOf } from '../../src/time/day';
import { Random } from '../simulation/world/random';
import { anyMessage } from '../support/any-message';
import { Handled, time } from './handled';

const STEPS = 60;
const LEADS = Array.from({ length: 12 }, (_, n) => `5e1c1c2e-1d2b-4c58-9f64-0d3f9c0f8d${n + 10}`);
const TIMING = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const PRICE = 1_000;
const FLOOR = 20_000;
const MINUTE = 60_000;

interface Request {
  readonly lead: string;
  readonly attempt: string;
  readonly run: string;
  /** When the service commits it, if it does; when the process hears of it, if it does. */
  readonly paidAt: number | undefined;
  readonly heardAt: number | undefined;
  isPaid: boolean;
}

/** One account: its ledger, its books, one worker process, the service. */
class Account {
  readonly handled = new Handled();
  readonly ceilings;
  /** What a conversion really costs. */
  readonly price: number;
  readonly charges: { at: number; run: string }[] = [];
  balance = 100_000;
  #standing = new Standing('UTC');
  #requests: Request[] = [];
  #n = 0;
  #dearKnownAt: number | undefined;

  constructor(private readonly random: Random) {
    const cap = () => random.pick([null, 2_000, 4_000, 6_000]);
    this.ceilings = { perRun: cap(), perDay: cap(), perMonth: cap(), balanceFloor: random.pick([0, FLOOR]) };
    this.price = random.pick([PRICE, PRICE, 1_500]);
    this.balance = random.pick([FLOOR + 3_000, 100_000]);
    this.handled.open(ledger.openLedger(this.#said, time.now, false));
    this.#write({ kind: 'begun', account: 'default', days: {}, runs: {}, open: {} });
  }

  get #said(): ledger.LedgerStart {
    return { account: 'default', worker: 'w', timing: TIMING, budget: { ...this.ceilings, timeZone: 'UTC' } };
  }

  attack(): void {
    const reachable = { leadIds: LEADS, now: time.now, ledgerId: 'l', ledgerRunId: undefined, runs: [] };
    const open = Object.entries(this.handled.state.flights.open);
    const message = anyMessage(reachable, this.random, 0);
    if (message.kind !== 'update') return;
    // Whoever looks at the ledger's page knows the names of what is under way.
    const [subject, send] = open.length > 0 ? this.random.pick(open) : [];
    const isNamed = send && this.random.chance(0.5) && typeof message.said === 'object' && message.said !== null;
    const named = isNamed
      ? { ...message.said, subject, attempt: send.attempt, run: send.run, worker: 'w' }
      : message.said;
    this.handled.update(message.name, named);
    if (!this.handled.passage) throw new Error(`what calls are told cannot be read after ${message.name}`);
  }

  report(): void {
    this.handled.update('configure', this.#said);
  }

  readBalance(): void {
    const { state } = this.handled;
    this.handled.change(ledger.readBalance(state, this.balance, time.now, time.now));
  }

  /** As `sendOnce` does it. */
  pay(): void {
    const lead = this.random.pick(LEADS);
    if (this.#requests.some((one) => one.lead === lead && one.isPaid)) return;
    const [attempt, run] = [`a${this.#n++}`, `run-${this.random.between(1, 3)}`];
    const subject = leadSubject(lead);
    const readSince = time.now;
    if (this.ceilings.balanceFloor > 0 && this.random.chance(0.9)) this.readBalance();
    const request = { subject, attempt, run, credits: PRICE, lookedAt: time.now, runCap: 1e6, readSince };
    const granted = this.handled.update<ledger.BeginAnswer>('beginSend', { ...request, sender: TIMING });
    if (granted?.kind !== 'granted') return;
    const { flight } = granted;
    const { balanceRead, balanceAskedAt = 0 } = this.handled.query<LedgerStatus>('status');
    const isRead = balanceRead !== undefined && balanceAskedAt >= readSince;
    const about: AboutToSend = {
      ...{ request, timing: TIMING, ceilings: this.ceilings, withinMs: 1 },
      open: flight,
      reading: isRead ? { amount: balanceRead, askedAt: balanceAskedAt, lagMs: TIMING.settlingMs } : undefined,
    };
    const decision = mayBeSent(this.#standing, about, time.now);
    if ('refuse' in decision) return void this.#settle({ subject, attempt, run }, { kind: 'notPaid' });
    this.#write(decision.write);
    this.#send({ lead, attempt, run });
  }

  #send(sent: { lead: string; attempt: string; run: string }): void {
    const { now } = time;
    const rival = this.#requests.find(({ lead, paidAt }) => lead === sent.lead && paidAt !== undefined && paidAt > now);
    if (rival) throw new Error(`${sent.lead} is sent while ${rival.attempt} may still be paid for`);
    const course = this.random.pick(['quick', 'quick', 'slow', 'late', 'refused', 'never', 'lost']);
    const takes = { quick: 200, slow: 200_000, late: 500_000, refused: 100, never: 0, lost: 1_000 }[course] ?? 0;
    const isPaid = course !== 'never' && course !== 'refused';
    const isHeard = course === 'quick' || course === 'slow' || course === 'refused';
    const at = now + takes;
    this.#requests.push({ ...sent, paidAt: isPaid ? at : undefined, heardAt: isHeard ? at : undefined, isPaid: false });
  }

  /** What the service does meanwhile, and what the process hears of it. */
  pass(ms: number): void {
    const until = time.now + ms;
    for (;;) {
      const next = this.#requests
        .flatMap(({ paidAt, heardAt, isPaid }) => [isPaid ? undefined : paidAt, heardAt])
        .filter((at) => at !== undefined && at > time.now && at <= until) as number[];
      if (next.length === 0) break;
      time.now = Math.min(...next);
      for (const one of this.#requests) {
        if (one.paidAt === time.now) this.#charge(one);
        if (one.heardAt === time.now) this.#hear(one);
      }
    }
    time.now = until;
  }

  #charge(request: Request): void {
    request.isPaid = true;
    this.balance -= this.price;
    this.charges.push({ at: time.now, run: request.run });
    const { perDay, perMonth, perRun, balanceFloor } = this.ceilings;
    const sum = (some: typeof this.charges) => some.length * this.price;
    const [day, month] = [dayOf(time.now, 'UTC'), monthOf(time.now, 'UTC')];
    // The first dearer reply may exceed a ceiling by the calls that were in flight.
    const excess = this.price === PRICE ? 0 : this.#inFlightAtFirst() * (this.price - PRICE);
    const within = (what: string, spent: number, most: number | null) => {
      if (most !== null && spent > most + excess) throw new Error(`${spent} are spent ${what}, of ${most}`);
    };
    within('in the day', sum(this.charges.filter(({ at }) => dayOf(at, 'UTC') === day)), perDay);
    within('in the month', sum(this.charges.filter(({ at }) => monthOf(at, 'UTC') === month)), perMonth);
    within('by the run', sum(this.charges.filter(({ run }) => run === request.run)), perRun);
    if (balanceFloor > 0 && this.balance < balanceFloor - excess)
      throw new Error(`${this.balance} are left, of ${balanceFloor}`);
  }

  /** Requests that were sent before the price was known. */
  #inFlightAtFirst(): number {
    const known = this.#dearKnownAt ?? Number.POSITIVE_INFINITY;
    return this.#requests.filter(({ attempt }) => Number(attempt.slice(1)) < known).length;
  }

  #hear({ lead, attempt, run, paidAt }: Request): void {
    if (paidAt !== undefined) this.#dearKnownAt ??= this.#n;
    const settlement: Settlement = paidAt === undefined ? { kind: 'notPaid' } : { kind: 'paid', credits: this.price };
    const subject = leadSubject(lead);
    this.#write({ kind: 'became', subject, attempt, run, settlement });
    this.#settle({ subject, attempt, run }, settlement);
  }

  #settle(of: { subject: string; attempt: string; run: string }, settlement: Settlement): void {
    this.handled.update('settle', { ...of, settlement });
  }

  #write(draft: Draft): void {
    const { seq } = this.#standing;
    const frame = { v: 1, seq: seq + 1, at: time.now, prev: '', id: `${seq}`, worker: 'w' } as const;
    this.#standing.apply({ ...frame, ...draft } as Entry, `${seq + 1}`);
  }
}

/** @returns what went wrong */
function played(seed: number): { problem: string | undefined; charged: number } {
  const random = new Random(seed);
  // Days and months end meanwhile.
  time.now = Date.parse('2026-11-30T23:00:00Z') - random.pick([0, 30, 24 * 60]) * MINUTE;
  const account = new Account(random);
  try {
    for (let step = 0; step < STEPS; step++) {
      const what = random.next();
      if (what < 0.45) account.pay();
      else if (what < 0.85) account.attack();
      else if (what < 0.9) account.report();
      else account.pass(random.pick([1_000, 60_000, 400_000, 40 * MINUTE]));
      if (random.chance(0.3)) account.pass(random.between(1, 2_000));
    }
    account.pass(60 * MINUTE);
    return { problem: undefined, charged: account.charges.length };
  } catch (error) {
    return { problem: `seed ${seed}: ${error instanceof Error ? error.message : error}`, charged: 0 };
  }
}

/** @param sequences the seeds from 1 on */
export const anyMessages = (sequences: number) =>
  test(`${sequences} sequences of ${STEPS} acts: no ceiling is exceeded, nothing is paid twice, no handler fails`, () => {
    const all = Array.from({ length: sequences }, (_, n) => played(n + 1));
    expect(all.flatMap(({ problem }) => problem ?? []).slice(0, 5)).toEqual([]);
    expect(all.reduce((sum, { charged }) => sum + charged, 0)).toBeGreaterThan(sequences);
  });
