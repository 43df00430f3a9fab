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
import type { BeginAnswer, BeginSend, Budget, LedgerStart, LedgerState, Settle } from '../ledger';
import { type ObstacleAsked, type SubjectState, stateQuery } from '../ledger/messages';
import { type Kind, ONCE_ONLY, paidKinds } from '../paying/once-only';
import { lastEffect } from '../paying/open-sends';
import { paidKindOf, partsOf } from '../paying/subject';
import type { Storage } from '../storage';
import { within } from '../time/within';
import { InBooks } from './in-books';
import { KnownSubjects } from './known-subjects';
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
  readonly #known: KnownSubjects;
  /** The storage in which they are, as the ledger was told last. */
  #toldPlace: string | undefined;
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
    this.#known = new KnownSubjects({
      ...{ books: this.books, inBooks: this.#inBooks },
      ledger: {
        subject: (subject) => this.subject(subject),
        settle: (request) => super.settle(request),
        now: () => this.now(),
      },
      costs: (subject) => this.#costs(subject),
      sendWindowMs: () => this.config.timing.sendWindowMs,
      isShort: () => this.#compareSoon(),
    });
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
    const { id } = place;
    await super.configure(budget);
    this.#toldPlace = id;
    read.then((standing) => this.#known.complete(standing)).catch(() => undefined);
  }

  get #isPlaceTold(): boolean {
    const { id } = this.books.place;
    return id !== undefined && id === this.#toldPlace;
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
    const toldPlace = this.#toldPlace;
    const granted = await super.beginSend(request);
    if (granted.kind !== 'granted' || !isCostly) return granted;
    const { timing } = this.config;
    const { flight, said } = granted;
    // S1: by the times of this process at least, whatever the ledger was told.
    const answer = {
      ...granted,
      flight: { ...flight, overAt: Math.max(flight.overAt, lastEffect(flight.grantedAt, timing)) },
    };
    const reading = await this.#reading(request.readSince);
    const refused = await this.books.beforeSend({
      request,
      open: answer.flight,
      said,
      timing,
      ceilings: this.bookkeeping.ceilings(),
      reading,
      withinMs: timing.sendWindowMs - (performance.now() - askedAt),
    });
    if (!refused && this.books.standsIn === toldPlace) return answer;
    const { subject, attempt, run, turn, own } = request;
    const unsent = { kind: 'notPaid' } as const;
    // S8: it was written into another storage than the ledger knew of when it granted it: a folder's mount is gone, say.
    if (!refused) await this.books.became(subject, attempt, run, unsent);
    await super.settle({ subject, attempt, run, settlement: unsent, turn, own });
    // What the books have then the ledger takes over.
    if (!refused || refused.kind === 'behind') await this.configure().catch(() => undefined);
    // It is told of another storage soon.
    else if (refused.kind === 'unwritten') this.#compareSoon();
    return refused ?? { kind: 'unwritten', why: 'the books are in another storage than before' };
  }

  /** The books come first: what only the ledger knew would never be looked up again if this process died in between. */
  override async settle(request: Settle): Promise<number> {
    const { subject, attempt, run, settlement } = request;
    const isCostly = this.#costs(subject);
    const isFound = isCostly && settlement.kind === 'foundPaid';
    const known = isFound ? await this.#known.told(subject) : undefined;
    const lost = known && (await this.#inBooks.lostSend(subject, known));
    const isBooked =
      isFound && known && settlement.credits !== undefined && (await this.#inBooks.isForgotten(subject, known));
    // S3: what was booked and is forgotten since is not booked once more.
    const told = isBooked ? ({ kind: 'foundPaid', ref: settlement.ref } as const) : settlement;
    if (known && told.kind === 'foundPaid') await this.#known.becameFound(request, told, known);
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

  /** Writes down what a look has found that the ledger asked for: it books that itself. */
  async lookedUp(subject: string, isFound: boolean, lookedAt: number): Promise<void> {
    const [attempt, run] = ['', 'ledger'];
    if (isFound) {
      const known = await this.#known.told(subject);
      await this.#known.becameFound({ subject, attempt, run }, { kind: 'foundPaid' }, known);
      // A ledger that was told that what it had open was over books nothing of what it finds.
      this.#compareSoon();
    } else await this.books.became(subject, attempt, run, { kind: 'foundNothing', lookedAt });
  }

  /** What is known of a subject; see {@link KnownSubjects.everything}. @throws {StorageError} while the books cannot be read */
  everything(subject: string): Promise<SubjectState> {
    return this.#known.everything(subject);
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
