/**
 * The ledger, with the books of its user behind it (S8): what the ledger grants is written down before it is sent, by the
 * process that sends it, and what became of it afterwards. What the books do not allow is not sent, whatever the ledger says.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type RouteName, routes } from '../agent-api/routes';
import { bookedBy } from '../books/against-ledger';
import { Books } from '../books/books';
import type { BalanceReading, Ceilings, OverCeiling } from '../books/ceilings';
import { readSoon } from '../books/read-soon';
import type { Standing } from '../books/standing';
import type { BeginAnswer, BeginSend, Budget, LedgerStart, LedgerState, Settle } from '../ledger';
import { type ObstacleAsked, type SubjectState, stateQuery } from '../ledger/messages';
import { type Kind, ONCE_ONLY, paidKinds } from '../paying/once-only';
import { lastEffect, type Settlement } from '../paying/open-sends';
import { paidKindOf, partsOf } from '../paying/subject';
import type { Storage } from '../storage';
import { within } from '../time/within';
import { InBooks } from './in-books';
import { LedgerClient, type LedgerConfig } from './ledger-client';
import { ledgerUser } from './ledger-id';

export interface Bookkeeping {
  readonly storage: Storage;
  /** What may be spent by the configuration of this process. */
  ceilings(): Ceilings;
  /** What a success of a route costs by it, credits. */
  creditsOf(route: RouteName): number;
  warn(what: string, error: unknown): void;
}

/** No sum of credits is more, in the books or in a ledger that somebody has told of more. */
const MOST_SUM = 1e12;
/** No call costs so many times what is set aside for it, whatever a message says. */
const MOST_DEARER = 10;

/** How long the ledger waits for what the books come to, and when they are compared after what a look has found. */
const READ_WITHIN_MS = 2_000;
const ASKED_WITHIN_MS = 1_000;
const COMPARE_AFTER_MS = 10_000;

/** The kinds of calls that are written down: any route may have been given a price. */
function kindsThatCost(creditsOf: (route: RouteName) => number): ReadonlySet<string> {
  const kindOf = (route: string): Kind => (isOnceOnly(route) ? ONCE_ONLY[route].kind : 'call');
  const priced = (Object.keys(routes) as RouteName[]).filter((route) => creditsOf(route) > 0);
  return new Set([...paidKinds, ...priced.map(kindOf)]);
}
const isOnceOnly = (route: string): route is keyof typeof ONCE_ONLY => Object.hasOwn(ONCE_ONLY, route);

export class BookedLedger extends LedgerClient {
  readonly books: Books;
  readonly #inBooks: InBooks;
  /** The ledger knows in which storage they are. */
  #isPlaceTold = false;
  /** What they come to, as it was read just before the ledger is told. */
  #booked: LedgerStart['booked'];
  #comparing: NodeJS.Timeout | undefined;
  #hasLeft = false;
  readonly #costly: ReadonlySet<string>;

  constructor(
    client: Client,
    workflowId: string,
    config: LedgerConfig,
    private readonly bookkeeping: Bookkeeping,
  ) {
    super(client, workflowId, config);
    this.#costly = kindsThatCost((route) => bookkeeping.creditsOf(route));
    const { storage, warn } = bookkeeping;
    this.books = new Books({
      storage,
      warn,
      user: ledgerUser(workflowId),
      worker: this.config.worker ?? '',
      now: () => this.now(),
      timeZone: () => this.config.budget.timeZone,
      begin: async () => ({
        kind: 'begun',
        account: this.config.account,
        ...this.#spentBefore(await client.workflow.getHandle(workflowId).query(stateQuery)),
      }),
    });
    this.#inBooks = new InBooks(this.books, storage, () => this.now());
  }

  override get configured(): LedgerStart {
    const { id } = this.books.place;
    const booked = this.#booked;
    return { ...super.configured, ...(id !== undefined && { books: id }), ...(booked && { booked }) };
  }

  /** The ledger is told in which storage the books are now, or were when that could last be read. */
  override async configure(budget?: Budget): Promise<void> {
    const { place } = this.books;
    await place
      .readSoon()
      .catch((error: unknown) => this.bookkeeping.warn('the storage of the books cannot be used', error));
    const isKnown = place.id !== undefined;
    // Long books are told when they have been read.
    const read = this.books.standing();
    const reading = Promise.all([read, this.#ledgersTimeZone()]).then(([standing, timeZone = standing.timeZone]) =>
      bookedBy(standing, this.now(), timeZone),
    );
    this.#booked = await Promise.race([reading, sleep(READ_WITHIN_MS, undefined, { ref: false })]).catch(
      () => undefined,
    );
    reading.catch(() => undefined);
    // A farewell is not followed by anything.
    if (this.#hasLeft) return;
    await super.configure(budget);
    this.#isPlaceTold = isKnown;
    read.then((standing) => this.#complete(standing)).catch(() => undefined);
  }

  /**
   * What a process could not write down before it ended stays reserved in the books. The ledger remembers for a while what
   * was paid, an idle one for long; what it knows nothing of may have happened all the same.
   */
  async #complete({ sends }: Standing): Promise<void> {
    for (const [subject, { attempt, run, credits, overAt }] of Object.entries(sends.open)) {
      if (this.now() <= overAt) continue;
      const { settled } = await this.subject(subject);
      if (settled?.attempt !== attempt || settled.credits === 0) continue;
      // S8: a message may have told the ledger less, or far more: no room is made below a ceiling, and it is not used up.
      const used = Math.max(credits, Math.min(settled.credits, MOST_DEARER * credits));
      const paid = { kind: 'paid', credits: used, ref: settled.ref } as const;
      await this.books.became(subject, attempt, run, paid);
    }
  }

  /** In which its days begin, by what a person set or another worker; undefined where it does not answer at once, or never has. */
  async #ledgersTimeZone(): Promise<string | undefined> {
    if (this.lastRunId === undefined) return undefined;
    const heard = await within(this.passage(), ASKED_WITHIN_MS, 'too late').catch(() => undefined);
    return heard?.timeZone;
  }

  override async beginSend(request: Omit<BeginSend, 'sender'>): Promise<BeginAnswer> {
    const isCostly = paidKindOf(request.subject) !== undefined || request.credits > 0;
    if (isCostly && !this.#isPlaceTold) {
      // Who has not told its storage would pay beside those who have another one.
      await this.configure();
      const { trouble } = this.books;
      if (!this.#isPlaceTold) return { kind: 'unwritten', why: trouble ?? 'the storage of the books is not known' };
    }
    const askedAt = performance.now();
    const granted = await super.beginSend(request);
    if (granted.kind !== 'granted' || !isCostly) return granted;
    const { timing } = this.config;
    const { flight, said } = granted;
    // S1: by the times of this process at least, whatever the ledger was told.
    const answer = {
      ...granted,
      flight: { ...flight, overAt: Math.max(flight.overAt, lastEffect(flight.grantedAt, timing)) },
    };
    const refused = await this.books.beforeSend({
      request,
      open: answer.flight,
      said,
      timing,
      ceilings: this.bookkeeping.ceilings(),
      reading: await this.#reading(request.readSince),
      withinMs: timing.sendWindowMs - (performance.now() - askedAt),
    });
    if (!refused) return answer;
    const { subject, attempt, run, turn, own } = request;
    await super.settle({ subject, attempt, run, settlement: { kind: 'notPaid' }, turn, own });
    // What the books have then the ledger takes over.
    if (refused.kind === 'behind') await this.configure().catch(() => undefined);
    return refused;
  }

  /** The books come first: what only the ledger knew would never be looked up again if this process died in between. */
  override async settle(request: Settle): Promise<number> {
    const { subject, attempt, run, settlement } = request;
    const isCostly = this.#costs(subject);
    const isFound = isCostly && settlement.kind === 'foundPaid';
    const known = isFound ? await this.#toldWhatIsKnown(subject) : undefined;
    const lost = known && (await this.#inBooks.lostSend(subject, known));
    const isBooked =
      isFound && known && settlement.credits !== undefined && (await this.#inBooks.isForgotten(subject, known));
    // S3: what was booked and is forgotten since is not booked once more.
    const told = isBooked ? ({ kind: 'foundPaid', ref: settlement.ref } as const) : settlement;
    if (known && told.kind === 'foundPaid') await this.#becameFound(request, told, known);
    else if (isCostly) await this.books.became(subject, attempt, run, told);
    const booked = await super.settle(
      lost && told.kind === 'foundPaid'
        ? { ...request, attempt: lost.attempt, run: lost.run, settlement: { ...told, credits: lost.credits } }
        : { ...request, settlement: told },
    );
    // Of what a look has found, a ledger whose server went back to a backup may know less than the books.
    if (isFound) this.#compareSoon();
    return lost && lost.run !== run ? 0 : booked;
  }

  /** What the ledger knows once it was told what only the books knew. */
  async #toldWhatIsKnown(subject: string): Promise<SubjectState> {
    return (await this.tellKnown(subject)) ?? this.subject(subject);
  }

  /** Writes down what a look has found that the ledger asked for: it books that itself. */
  async lookedUp(subject: string, isFound: boolean, lookedAt: number): Promise<void> {
    const [attempt, run] = ['', 'ledger'];
    if (isFound) {
      const known = await this.#toldWhatIsKnown(subject);
      await this.#becameFound({ subject, attempt, run }, { kind: 'foundPaid' }, known);
      // A ledger that was told that what it had open was over books nothing of what it finds.
      this.#compareSoon();
    } else await this.books.became(subject, attempt, run, { kind: 'foundNothing', lookedAt });
  }

  /**
   * Writes down that a look has found a subject paid for: for the call that the ledger has open, where the books know of none,
   * since a worker of 0.2 sent it or one died before it could write that it was about to. Else they would lack what that costs.
   */
  async #becameFound(
    { subject, attempt, run }: Pick<Settle, 'subject' | 'attempt' | 'run'>,
    found: Extract<Settlement, { kind: 'foundPaid' }>,
    { open }: SubjectState,
  ): Promise<void> {
    const isWritten = open !== undefined && this.now() > open.grantedAt + this.config.timing.sendWindowMs;
    const isUnkept = isWritten && !(await this.#inBooks.has(subject));
    if (isUnkept) await this.books.became(subject, open.attempt, open.run, { ...found, credits: open.credits });
    else await this.books.became(subject, attempt, run, found);
  }

  /**
   * Tells the ledger what only the books know, since a process died in between or the server went back to a backup: that the
   * attempt which it has open did not pay, and who has paid. What a look finds then is booked once, and is that one's own (S6).
   * @returns what it knew, where it was told nothing
   */
  async tellKnown(subject: string): Promise<SubjectState | undefined> {
    if (!this.#costs(subject)) return undefined;
    // A ledger that does not answer is asked again by what follows; without this it may book too much, never too little.
    const known = await this.subject(subject).catch(() => undefined);
    return known && !(await this.#tell(subject, known)) ? known : undefined;
  }

  /**
   * What is known of a subject, by the books too: who has paid they know for ever, and the ledger for an hour (S6).
   * @throws {StorageError} while they cannot be read
   */
  async everything(subject: string): Promise<SubjectState> {
    const before = await this.subject(subject);
    if (!this.#costs(subject)) return before;
    let known = before;
    try {
      if (await this.#tell(subject, before)) known = await this.subject(subject);
    } catch (error) {
      // A run that is stopped must not wait for the storage for what the ledger knows.
      if (before.open || before.settled) return before;
      throw error;
    }
    const { open, settled } = known;
    // One that only says what it became was made when who had paid was forgotten.
    const isNameOnly = settled?.attempt === '' && settled.credits === 0 && this.#costs(subject);
    if (open || (settled && !isNameOnly)) return known;
    const paid = await this.#inBooks.paidFor(subject);
    const ref = settled?.ref ?? paid?.ref;
    return { ...known, ...(paid && { settled: { ...paid, ...(ref !== undefined && { ref }) } }) };
  }

  /** @returns whether the ledger was told anything */
  async #tell(subject: string, known: SubjectState): Promise<boolean> {
    const { open, settled, forgottenBefore = Number.POSITIVE_INFINITY } = known;
    const { sends, unpaid } = await this.#inBooks.standing();
    const paid = sends.settled.find((one) => one.subject === subject && one.credits > 0);
    if (open !== undefined) {
      // S1: whoever was granted it when that was over had looked, and found nothing of it.
      const wasOver = (since = Number.NEGATIVE_INFINITY) => since > open.overAt;
      const isReplaced = wasOver(sends.open[subject]?.grantedAt) || wasOver(paid?.grantedAt);
      const isUnpaid = isReplaced || unpaid.includes(open.attempt);
      const isLongAgo = !isUnpaid && (await this.#inBooks.isPaidLongAgo(subject, open, sends));
      if (!isUnpaid && !isLongAgo) return false;
      if (isLongAgo) this.#compareSoon();
      await super.settle({ subject, attempt: open.attempt, run: open.run, settlement: { kind: 'notPaid' } });
    }
    // S3: what it has booked and forgotten would be booked once more. It may have done so long before the books heard of it.
    const isForgotten = paid !== undefined && (paid.grantedAt ?? paid.at) <= forgottenBefore;
    if (!paid || (settled && settled.credits > 0) || isForgotten) return open !== undefined;
    const { attempt, run, credits, ref, byLook } = paid;
    await super.settle({ subject, attempt, run, settlement: { kind: byLook ? 'foundPaid' : 'paid', credits, ref } });
    return true;
  }

  override async leave(): Promise<void> {
    clearTimeout(this.#comparing);
    this.#hasLeft = true;
    await super.leave();
  }

  #costs(subject: string): boolean {
    return this.#costly.has(partsOf(subject)?.kind ?? '');
  }

  #spentBefore({ days, adjusted = {}, runs, flights }: LedgerState) {
    const credits = (sum: number) => Math.min(MOST_SUM, Math.max(0, sum));
    const paid = Object.entries(days).map(([day, spent]) => [day, credits(spent - (adjusted[day] ?? 0))] as const);
    return {
      days: Object.fromEntries(paid),
      runs: Object.fromEntries(Object.entries(runs).map(([run, { spent }]) => [run, credits(spent)])),
      open: Object.fromEntries(Object.entries(flights.open).filter(([subject]) => this.#costs(subject))),
      // S1: a look from before a rollback of the server must not be believed over what was paid before there were books.
      settled: flights.settled.filter(({ subject }) => this.#costs(subject)),
      forgottenBefore: Math.max(0, flights.forgottenBefore),
    };
  }

  /** Tells the ledger what the books come to; once for all that is found meanwhile. */
  #compareSoon(): void {
    if (this.#comparing !== undefined || this.#hasLeft) return;
    this.#comparing = this.apart(() =>
      setTimeout(() => {
        this.#comparing = undefined;
        this.configure().catch(() => undefined);
      }, COMPARE_AFTER_MS).unref(),
    );
  }

  /** What must remain of the balance by the configuration of this process, credits. */
  get floor(): number {
    return this.bookkeeping.ceilings().balanceFloor;
  }

  /**
   * What is left of the balance, where a part of it must remain.
   * @param since a reading counts only if it was asked for no sooner
   * @returns undefined where there is none
   */
  async #reading(since = Number.POSITIVE_INFINITY): Promise<BalanceReading | undefined> {
    if (this.floor === 0) return undefined;
    const {
      balanceRead,
      balanceAskedAt = Number.NEGATIVE_INFINITY,
      available,
      reserved = 0,
    } = (await this.status()) ?? {};
    if (balanceAskedAt < since) return undefined;
    if (balanceRead !== undefined)
      return { amount: balanceRead, askedAt: balanceAskedAt, lagMs: this.config.timing.settlingMs };
    // A ledger on a worker of an earlier version tells what is surely left, and not what was read.
    return available === undefined ? undefined : { amount: available + reserved, askedAt: this.now(), lagMs: 0 };
  }

  /** The ceiling that stands in the way of so many credits more, or of what the call costs by the books, if any. */
  async overCeiling(asked: ObstacleAsked): Promise<OverCeiling | undefined> {
    const { ceilings, storage } = this.bookkeeping;
    const reading = await this.#reading(Number.NEGATIVE_INFINITY);
    return readSoon(this.books.obstacle(ceilings(), asked, reading), storage);
  }
}
