/**
 * Explores the pay-once protocol: real ledger and course functions against a simulated service that pays for every
 * request it commits, under seeded schedules of crashes, zombies, late commits, resets, second starts and lost ledgers.
 * Run `npm run explore -- 100000` for more schedules than the test takes.
 */

import * as ledger from '../../src/ledger';
import { type AttemptPlan, advance, type LookOutcome, resume, type Sent, start } from '../../src/paying/attempt-plan';

const PRICE = 1000;
const TIMING = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
/** What a worker that is configured otherwise tells the ledger; those before it send by theirs. */
const SHORTER = { ...TIMING, sendWindowMs: 2_000, paidTimeoutMs: 20_000 };
const CAP = 3 * PRICE;
const RUN_CAP = 2 * PRICE;
/** Requests that a run may spend before the simulation gives it up: no schedule may run for ever. */
const MAX_STEPS = 400;

export interface Options {
  seed: number;
  /** Negative control: looks always say "not found". */
  blind?: boolean;
  /** Negative control: every `beginSend` is granted. */
  lawless?: boolean;
}

export interface Outcome {
  seed: number;
  problems: string[];
  /** What this schedule exercised, for the test that the explorer does explore. */
  seen: Set<string>;
}

/** Mulberry32: small, fast and good enough to pick schedules. */
function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const budgetOfDay = (perDay: number | null) => ({ perDay, balanceFloor: 0, timeZone: 'UTC' });

const dayOf = (at: number) => Math.floor(at / 86_400_000);

type Process = Generator<number, void, void>;

/** One payment of the service, and the attempt that it was made for. */
interface Commit {
  at: number;
  /** The workflow ID: what was started again or reset keeps it. */
  owner: string;
  /** Whose books it is in. */
  run: string;
}

/** What a run said of itself in the end. */
interface Ended {
  id: string;
  subject: string;
  how: Extract<AttemptPlan['step'], { do: 'end' }>['how'];
  credits: number;
  unknowns: number;
}

/**
 * The definition of the cap that holds, said again and apart from the ledger: the least of what workers said within ten
 * minutes, or of all that were heard of last when none did; and of what a person set, who may only lower it.
 */
class Caps {
  private said: { worker: string; perDay: number; until: number }[] = [];
  private person = Number.POSITIVE_INFINITY;
  /** The highest that held at a grant. */
  most = 0;

  configured(worker: string, perDay: number, now: number): void {
    this.said = [...this.said.filter((one) => one.until > now && one.worker !== worker)];
    this.said.push({ worker, perDay, until: now + 600_000 });
  }
  left(worker: string, now: number): void {
    for (const one of this.said) if (one.worker === worker) one.until = Math.min(one.until, now);
  }
  private ofWorkers(now: number): number {
    const live = this.said.filter(({ until }) => until > now);
    return Math.min(...(live.length > 0 ? live : this.said).map(({ perDay }) => perDay));
  }
  set(perDay: number, now: number): void {
    if (perDay <= this.ofWorkers(now)) this.person = perDay === this.ofWorkers(now) ? Number.POSITIVE_INFINITY : perDay;
  }
  now(now: number): number {
    return Math.min(this.ofWorkers(now), this.person);
  }
}

class World {
  now = 1_700_000_000_000;
  readonly problems: string[] = [];
  readonly seen = new Set<string>();
  readonly commits = new Map<string, Commit[]>();
  readonly ended: Ended[] = [];
  private readonly rng: () => number;
  private readonly queue: { at: number; order: number; process: Process }[] = [];
  private order = 0;
  state: ledger.LedgerState;
  ledgerWasLost = false;
  /** The service shows nothing by which what was sent can be recognised. */
  readonly unreadable: boolean;
  caps = new Caps();
  private lawless: boolean;

  constructor(readonly options: Options) {
    this.rng = random(options.seed);
    this.lawless = options.lawless ?? false;
    this.unreadable = this.chance(0.1, 'marks cannot be read');
    this.state = ledger.openLedger(
      { account: 'a', worker: 'first', timing: TIMING, budget: budgetOfDay(CAP) },
      this.now,
      false,
    );
    this.caps.configured('first', CAP, this.now);
  }

  chance(share: number, name: string): boolean {
    const hit = this.rng() < share;
    if (hit) this.seen.add(name);
    return hit;
  }
  between(from: number, to: number): number {
    return from + Math.floor(this.rng() * (to - from));
  }
  spawn(process: Process, delay = 0): void {
    this.queue.push({ at: this.now + delay, order: this.order++, process });
  }
  run(): void {
    while (this.queue.length > 0) {
      this.queue.sort((a, b) => a.at - b.at || a.order - b.order);
      const next = this.queue.shift();
      if (!next) return;
      this.now = next.at;
      const { done, value } = next.process.next();
      if (!done) this.queue.push({ at: this.now + value, order: this.order++, process: next.process });
    }
  }

  begin(request: ledger.BeginSend): ledger.BeginAnswer {
    const { state, answer } = ledger.beginSend(this.state, request, this.now);
    if (this.lawless && answer.kind !== 'granted') {
      const flight = {
        attempt: request.attempt,
        run: request.run,
        credits: PRICE,
        grantedAt: this.now,
        overAt: this.now,
      };
      return { kind: 'granted', flight };
    }
    const granted = answer.kind === 'granted' && !(request.subject in this.state.flights.open);
    this.state = state;
    const cap = this.caps.now(this.now);
    const used = ledger.spentOn(state, this.now) + ledger.reservedCredits(state);
    if (granted) this.caps.most = Math.max(this.caps.most, cap);
    if (granted && used > cap) this.problems.push(`S3: granted with ${used} used, though ${cap} a day are allowed`);
    return answer;
  }
  configure(worker: string, perDay: number | null, timing = TIMING): void {
    this.state = ledger.configure(this.state, { account: 'a', worker, timing, budget: budgetOfDay(perDay) }, this.now);
    this.caps.configured(worker, perDay ?? Number.POSITIVE_INFINITY, this.now);
  }
  setBudget(perDay: number): void {
    this.state = ledger.setBudget(this.state, { perDay }, 'Ada', this.now);
    this.caps.set(perDay, this.now);
  }
  settle(request: ledger.Settle): number {
    const { state, booked } = ledger.settle(this.state, request, this.now);
    this.state = state;
    return booked;
  }
  paid(subject: string): number {
    return this.commits.get(subject)?.length ?? 0;
  }
  commit({ subject, owner, run }: Call): void {
    this.commits.set(subject, [...(this.commits.get(subject) ?? []), { at: this.now, owner, run }]);
    if (this.paid(subject) > 1) this.problems.push(`S1/S2: ${subject} paid ${this.paid(subject)} times`);
    // The cap is of a day: some schedules go on past midnight.
    const today = [...this.commits.values()].flat().filter(({ at }) => dayOf(at) === dayOf(this.now)).length * PRICE;
    const { most } = this.caps;
    if (today > most && !this.ledgerWasLost) this.problems.push(`S3: ${today} credits spent in a day, ${most} allowed`);
  }
}

/** The service at work on one request: it commits now, late or never. */
function* commitLater(world: World, call: Call, delay: number): Process {
  if (delay > 0) yield delay;
  world.commit(call);
}

interface Call {
  subject: string;
  owner: string;
  run: string;
  attempt: string;
  lookedAt: number;
  again?: boolean;
  /** Filled when the activity's answer is known; a crash leaves it empty. */
  outcome?: Sent;
  over: boolean;
}

/** The paid activity. A crashed worker's activity may go on as a zombie: nobody hears its answer, but it still acts. */
function* paidActivity(world: World, call: Call): Process {
  const askedAt = world.now;
  if (world.chance(0.1, 'slow grant')) yield world.between(0, 9_000);
  const { subject, owner, attempt, run, lookedAt, again = false } = call;
  const answer = world.begin({
    ...{ subject, attempt, run, lookedAt, again, credits: PRICE, runCap: RUN_CAP, sender: TIMING },
  });
  const finish = (outcome: Sent) => {
    call.outcome = outcome;
    call.over = true;
  };
  const settle = (settlement: ledger.Settle['settlement']) => world.settle({ subject, attempt, run, settlement });
  if (answer.kind === 'held' || answer.kind === 'stale') return finish({ kind: answer.kind });
  if (answer.kind === 'capped' || answer.kind === 'done') return finish(answer);
  if (answer.kind === 'unread' || answer.kind === 'behind' || answer.kind === 'later')
    throw new Error('neither a floor is set, nor are there books, nor does it ask for a turn');
  if (answer.kind === 'unwritten' || answer.kind === 'late') throw new Error('there are no books');
  if (answer.kind === 'parked') return finish({ kind: 'throttled', retryAt: answer.until });
  if (answer.kind === 'patient') return finish({ kind: 'open', overAt: answer.until, newBooks: true });
  // As `sendOnce`: an earlier try of its own, whose worker was lost in the call, is its own to find out.
  if (answer.kind === 'open')
    return finish({ kind: answer.attempt.startsWith(`${owner}/`) ? 'unknown' : 'open', overAt: answer.overAt });
  yield world.between(1, 6_000);
  if (world.now > askedAt + TIMING.sendWindowMs) {
    settle({ kind: 'notPaid' });
    return finish({ kind: 'notSent', reason: 'tooLate' });
  }
  if (world.chance(0.05, 'not sent')) {
    settle({ kind: 'notPaid' });
    return finish({ kind: 'notSent', reason: 'refused' });
  }
  if (world.chance(0.05, 'throttled')) {
    settle({ kind: 'notPaid' });
    return finish({ kind: 'throttled', retryAt: world.now + 60_000 });
  }
  if (world.chance(0.05, 'refused')) {
    settle({ kind: 'notPaid' });
    return finish({ kind: 'refused', reason: 'http400' });
  }
  const latest = TIMING.paidTimeoutMs + TIMING.settlingMs - 1;
  if (world.chance(0.35, 'outcome unknown')) {
    if (world.chance(0.7, 'committed unseen')) {
      const delay = world.chance(0.5, 'late commit') ? world.between(1, latest) : 0;
      world.spawn(commitLater(world, call, delay));
    }
    yield world.between(1, TIMING.paidTimeoutMs);
    return finish({ kind: 'unknown', overAt: answer.flight.overAt });
  }
  yield world.between(1, 30_000);
  world.commit(call);
  if (world.chance(0.2, 'slow reply')) yield world.between(1, 150_000);
  const lostSettle = world.chance(0.1, 'settle lost');
  const ref = !world.chance(0.1, 'reply without a reference') && { ref: `project of ${attempt}` };
  if (!lostSettle) settle({ kind: 'paid', credits: PRICE, ...ref });
  finish({ kind: 'paid', credits: PRICE });
}

/** The first run of each subject belongs to one pipeline, whose cap they share. */
const budgetOf = (id: string): string => (id.includes('#1') ? 'pipeline' : id);

const ownerOf = (id: string): string => id.replace(/[+~]+$/, '');

/** One run of a workflow for one subject, with the misfortunes that a run can have. */
function* workflow(world: World, subject: string, id: string, history: AttemptPlan[] = []): Process {
  let course = history.at(-1) ?? start(world.now);
  let attempts = 0;
  const snapshots = [course];
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { step } = course;
    if (step.do === 'end') return yield* finishRun(world, subject, id, course);
    if (world.chance(0.01, 'terminated and started again'))
      return world.spawn(workflow(world, subject, `${id}+`), world.between(0, 5_000));
    if (world.chance(0.01, 'reset')) {
      const back = snapshots.slice(0, world.between(1, snapshots.length + 1));
      return world.spawn(workflow(world, subject, `${id}~`, back), world.between(0, 5_000));
    }
    if (step.do === 'look') {
      yield Math.max(0, step.notBefore - world.now);
      const askedAt = world.now;
      yield world.between(10, 20_000);
      const isThere = !world.options.blind && world.paid(subject) > 0;
      const found: LookOutcome = !isThere ? 'notFound' : world.unreadable ? 'cannotTell' : 'found';
      yield world.between(10, 20_000);
      course = advance(course, { type: 'looked', askedAt, found }, world.now, TIMING.settlingMs);
    } else if (step.do === 'send') {
      if (world.chance(0.05, 'long queue')) yield world.between(0, 4_000_000);
      let call: Call = {
        subject,
        run: budgetOf(id),
        owner: ownerOf(id),
        attempt: `${ownerOf(id)}/${id}/${steps}/${attempts++}`,
        lookedAt: step.lookedAt,
        again: step.again ?? false,
        over: false,
      };
      world.spawn(paidActivity(world, call));
      const patience = world.chance(0.12, 'worker lost in the call')
        ? world.between(0, 20_000)
        : Number.POSITIVE_INFINITY;
      for (let waited = 0; !call.over; waited += 500) {
        if (waited > patience) {
          // Temporal starts the activity again; the first one may still be alive somewhere.
          call = {
            subject,
            run: budgetOf(id),
            owner: ownerOf(id),
            attempt: `${ownerOf(id)}/${id}/${steps}/${attempts++}`,
            lookedAt: step.lookedAt,
            again: step.again ?? false,
            over: false,
          };
          world.spawn(paidActivity(world, call));
          waited = Number.NEGATIVE_INFINITY;
        }
        yield 500;
      }
      const outcome = call.outcome ?? { kind: 'stale' };
      course = advance(course, { type: 'sent', outcome }, world.now, TIMING.settlingMs);
    } else if (step.do === 'awaitHold' || step.do === 'awaitBudget') {
      if (step.do === 'awaitBudget' && step.cap === 'day') return;
      yield 60_000;
      course = resume(course, world.now);
    } else {
      world.seen.add(`asked: ${step.why}`);
      yield world.between(0, 1_000_000);
      // A person who looks into the web app first: sees what is there, sends again only if nothing is.
      const decision =
        world.paid(subject) > 0 ? 'itHappened' : world.chance(0.5, 'sent again by a person') ? 'sendAgain' : 'giveUp';
      course = advance(course, { type: 'decided', decision }, world.now, TIMING.settlingMs);
    }
    snapshots.push(course);
  }
  world.problems.push(`${id} did not end`);
}

function* finishRun(world: World, subject: string, id: string, course: AttemptPlan): Process {
  const { step } = course;
  if (step.do !== 'end') return;
  world.seen.add(`ended: ${step.how}`);
  const found = step.how === 'foundPaid' || step.how === 'alreadyDone';
  if ((found || step.how === 'paid') && world.paid(subject) === 0)
    world.problems.push(`S6: ${id} says ${step.how} but ${subject} was never paid`);
  const credits = step.how === 'paid' ? PRICE : found ? creditsFound(world, subject, id, step.how === 'foundPaid') : 0;
  world.ended.push({ id, subject, how: step.how, credits, unknowns: course.unknowns });
  yield 0;
}

/** What a run that found it paid for says that it spent: as `conclude` of `convertLead`. */
function creditsFound(world: World, subject: string, id: string, sent: boolean): number {
  const run = budgetOf(id);
  const settlement = { kind: 'foundPaid', ...(sent && { credits: PRICE }) } as const;
  const booked = world.settle({ subject, attempt: '', run, settlement });
  const settled = world.state.flights.settled.find((one) => one.subject === subject);
  const ours = sent || booked > 0 || (settled?.run === run && settled.credits > 0);
  return ours ? (settled?.credits ?? PRICE) : 0;
}

/** S6, the other way: what a run paid for is in its result, and what it did not is not. */
function wrongEnds({ ended, commits, ledgerWasLost }: World): string[] {
  return ended.flatMap(({ id, subject, how, credits, unknowns }) => {
    const paid = commits.get(subject) ?? [];
    const own = paid.some(({ owner }) => owner === ownerOf(id));
    const inItsBooks = paid.some(({ run }) => run === budgetOf(id));
    if (own && (how === 'refused' || how === 'gaveUp' || how === 'overRunCap'))
      return [`S6: ${id} says ${how} but its own attempt was paid`];
    // A ledger that was lost takes with it whose attempt it was.
    if (own && inItsBooks && credits === 0 && !ledgerWasLost) return [`S6: ${id} says ${how} and 0 credits but paid`];
    // Who sent and does not know counts what it finds as its own: the books err to the safe side.
    if (!own && !inItsBooks && unknowns === 0 && credits > 0)
      return [`S6: ${id} says ${how} and ${credits} credits but paid nothing`];
    return [];
  });
}

function* ledgerIsLost(world: World, delay: number): Process {
  yield delay;
  world.ledgerWasLost = true;
  const first = { account: 'a', worker: 'first', timing: TIMING, budget: budgetOfDay(CAP) };
  world.state = ledger.openLedger(first, world.now, true);
  // With it goes what others had said.
  world.caps = new Caps();
  world.caps.configured('first', CAP, world.now);
}

function* anotherConfigures(world: World, delay: number): Process {
  yield delay;
  world.configure('first', CAP, SHORTER);
}

/** A worker comes, says for a while what it is configured with, changes its mind perhaps, and is gone. */
function* worker(world: World, name: string): Process {
  yield world.between(0, 2_000_000);
  for (let times = world.between(1, 12); times > 0; times--) {
    world.configure(name, [CAP, 2 * CAP, PRICE, null][world.between(0, 4)] ?? null);
    yield world.between(60_000, 700_000);
  }
  if (world.chance(0.5, 'worker left')) yield* leaves(world, name);
}

function* leaves(world: World, name: string): Process {
  world.state = ledger.leave(world.state, name, world.now);
  world.caps.left(name, world.now);
  yield 0;
}

function* person(world: World): Process {
  yield world.between(0, 2_000_000);
  world.setBudget(PRICE * world.between(0, 8));
  yield world.between(0, 2_000_000);
  world.setBudget(PRICE * world.between(0, 8));
}

/** Runs one schedule and says what was violated. */
export function explore(options: Options): Outcome {
  const world = new World(options);
  const subjects = ['lead:1', 'lead:2', 'lead:3', 'lead:4', 'lead:5'].slice(0, world.between(1, 6));
  for (const subject of subjects)
    for (let n = world.between(1, 4); n > 0; n--)
      world.spawn(workflow(world, subject, `${subject}#${n}`), world.between(0, 600_000));
  if (world.chance(0.15, 'ledger lost')) world.spawn(ledgerIsLost(world, world.between(0, 900_000)));
  if (world.chance(0.15, 'configured otherwise')) world.spawn(anotherConfigures(world, world.between(0, 900_000)));
  if (world.chance(0.3, 'several workers')) for (const name of ['second', 'third']) world.spawn(worker(world, name));
  if (world.chance(0.2, 'a person sets the cap')) world.spawn(person(world));
  world.run();
  world.problems.push(...wrongEnds(world));
  if (!world.ledgerWasLost) {
    // The books: everything that was paid for is booked or still visibly open; nothing else is booked.
    const booked = Object.values(world.state.days).reduce((a, b) => a + b, 0);
    const open = ledger.reservedCredits(world.state);
    const paid = [...world.commits.values()].flat().length * PRICE;
    const ofPipeline = world.state.runs.pipeline?.spent ?? 0;
    if (ofPipeline > RUN_CAP) world.problems.push(`S3: the pipeline spent ${ofPipeline}`);
    if (booked > paid || booked + open < paid) world.problems.push(`S3: paid ${paid}, booked ${booked}, open ${open}`);
  }
  return { seed: options.seed, problems: world.problems, seen: world.seen };
}

if (require.main === module) {
  const count = Number(process.argv[2] ?? 100_000);
  const bad: Outcome[] = [];
  const began = Date.now();
  for (let seed = 1; seed <= count; seed++) {
    const outcome = explore({ seed });
    if (outcome.problems.length > 0) bad.push(outcome);
  }
  for (const { seed, problems } of bad.slice(0, 10)) process.stdout.write(`seed ${seed}: ${problems.join('; ')}\n`);
  process.stdout.write(
    `${count} schedules in ${((Date.now() - began) / 1000).toFixed(1)} s, ${bad.length} with a violation\n`,
  );
  process.exitCode = bad.length > 0 ? 1 : 0;
}
