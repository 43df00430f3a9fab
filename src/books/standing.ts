/** What the books come to, entry by entry: open payments, sums of days, months and runs. */
import { KEEP_BOOKINGS, KEEP_DAYS, KEEP_RUNS, type Kept, laterOf, reservedAnew, type Said } from '../ledger';
import type { PaidKind } from '../paying/once-only';
import {
  type Booking,
  CLOCK_TOLERANCE_MS,
  noOpenSends,
  type OpenSend,
  type OpenSends,
  settle,
  take,
} from '../paying/open-sends';
import { paidKindOf } from '../paying/subject';
import { dayOf } from '../time/day';
import { Cleared } from './cleared';
import type { Begun, Entry } from './entry';

/** What lets a run pay: `start` is written for how it began. */
const ALLOWING: ReadonlySet<string> = new Set(['start', 'approve', 'changeLimits', 'decide', 'retryFailed', 'resume']);
/** Runs of which the credits are known: the last ones that have paid, or were allowed to. */
const MOST_RUNS = 50_000;
/** So many are known again when they are written once more. */
const KEEP_ACTS = 200;
/** Days of all time zones begin with a quarter of an hour; so many of those in which something was paid are years. */
const QUARTER_MS = 900_000;
const MOST_QUARTERS = 50_000;
/** So many attempts are known that did not pay: the ledger hears of it a moment later, unless the process dies in between. */
const KEEP_UNPAID = 200;
/** What is over may be booked so long afterwards: the run looks, and then the ledger. Milliseconds. */
const BOOKED_LATE_MS = 3_600_000;

/** What a kind of call cost by the last reply, and what it was expected to cost by the configuration. */
interface Price {
  readonly real: number;
  readonly configured: number | undefined;
}

export class Standing {
  /** The number of the last entry, and its hash. */
  seq = 0;
  hash = '';
  sends: OpenSends = noOpenSends();
  /** Credits spent, by calendar day and by run. */
  readonly days = new Map<string, number>();
  readonly runs = new Map<string, number>();
  /** Of the days those that were spent before there were books, and what was spent since, by quarter of an hour. */
  #daysBefore: Begun['days'] = {};
  readonly #quarters = new Map<number, number>();
  /** The last ones, {@link KEEP_BOOKINGS} at least. */
  bookings: Booking[] = [];
  /** What people have said of hold and limits. */
  said: Said = {};
  /** Credits booked since the balance in it was noted. */
  bookedSinceNote: number | undefined;
  #begunAt = 0;
  /** The IDs of the last entries on what people did. */
  acts: string[] = [];
  /** The last attempts that did not pay, by their own word. */
  unpaid: string[] = [];
  /** By the workflow ID of a run the number of the entry by which it may pay. */
  readonly #allowed = new Map<string, number>();
  readonly #prices = new Map<PaidKind, Price>();
  readonly #cleared = new Cleared();
  /** Entries of which nothing is known. */
  lost = 0;
  /** The account's name, as far as the books tell. */
  account = '';

  /**
   * @param timeZone in which days begin and end
   * @param now nothing that is read was written later, whatever the clock of its machine said; milliseconds
   */
  constructor(
    readonly timeZone: string,
    private readonly now: () => number = () => Number.POSITIVE_INFINITY,
  ) {}

  /**
   * @param hash of the entry as it is stored
   * @returns what it books, if anything
   */
  apply(entry: Entry, hash: string): Booking | undefined {
    this.seq = entry.seq;
    this.hash = hash;
    switch (entry.kind) {
      case 'begun': {
        this.#begin(entry);
        this.#begunAt = entry.at;
        return undefined;
      }
      case 'sending': {
        const { attempt, run, credits, grantedAt, overAt } = entry;
        this.#expect(entry.subject, entry.price);
        this.sends = take(this.sends, entry.subject, { attempt, run, credits, grantedAt, overAt });
        return undefined;
      }
      case 'became': {
        const { subject, attempt, run, settlement } = entry;
        const { [subject]: open } = this.sends.open;
        const reserved = open?.attempt === attempt ? open.credits : undefined;
        const { flights, booking } = settle(this.sends, subject, attempt, run, settlement, entry.at);
        this.sends = flights;
        if (settlement.kind === 'paid') this.#learn(subject, settlement.credits, reserved);
        if (booking) this.#book(booking);
        if (settlement.kind === 'notPaid') this.unpaid = [...this.unpaid, attempt].slice(-KEEP_UNPAID);
        // A later word corrects it.
        if (settlement.kind === 'paid') this.unpaid = this.unpaid.filter((other) => other !== attempt);
        return booking;
      }
      case 'said': {
        this.#hear(entry.said as Said);
        return undefined;
      }
      case 'act': {
        if (ALLOWING.has(entry.update)) put(this.#allowed, entry.workflowId, entry.seq);
        if (entry.update === 'release') this.#forgetPrices();
        this.#cleared.hear(entry, this.sends.open);
        this.acts = [...this.acts, entry.id].slice(-KEEP_ACTS);
        return undefined;
      }
      case 'lost': {
        this.lost += 1;
        // It may have been a payment: only what is looked up from now on tells.
        const givenUpAt = Math.min(entry.at, this.now() + CLOCK_TOLERANCE_MS);
        this.sends = { ...this.sends, forgottenBefore: Math.max(this.sends.forgottenBefore, givenUpAt) };
        return undefined;
      }
    }
  }

  /**
   * Credits spent on a day, or in a month (`2026-11`), and reserved for what may have been paid in it, or may still be booked
   * in it: after midnight that is what was under way before.
   * @param but a subject whose open send is about to be replaced
   */
  spentIn(period: string, now: number, but?: string): number {
    let sum = 0;
    for (const [day, credits] of this.days) if (day.startsWith(period)) sum += credits;
    const isIn = (moment: number) => dayOf(moment, this.timeZone).startsWith(period);
    for (const send of this.#reserved(now, but))
      if (mayBeBooked(send, now) || isIn(send.grantedAt) || isIn(send.overAt)) sum += send.credits;
    return sum;
  }

  /** Credits reserved at a moment for what may be under way, or of which nobody has told what became of it. */
  reserved(now: number): number {
    return sumOf(this.#reserved(now));
  }

  /** Of what was over so long ago that no look books it any more what is still reserved, by subject. */
  leftAt(now: number): [subject: string, send: OpenSend][] {
    return this.#open().filter(([subject, send]) => !mayBeBooked(send, now) && !this.#cleared.has(subject, send));
  }

  /** Credits that open sends may have cost later than a moment, whoever says that they have not; but for one of a subject. */
  maybePaidSince(since: number, but: string | undefined): number {
    return sumOf(this.#open(but).flatMap(([, send]) => (send.overAt >= since ? send : [])));
  }

  /** Credits booked later than a moment. Of more than {@link KEEP_BOOKINGS} the last ones. */
  bookedSince(since: number): number {
    // What was given back only corrects what was booked too much.
    return this.bookings.reduce((sum, { at, credits }) => (at > since ? sum + Math.max(0, credits) : sum), 0);
  }

  /** The number of the entry that allowed a run to pay: how it began, or what a person said to it last. */
  allowedBy(run: string): number | undefined {
    // The key of a run is its workflow ID and its first run ID.
    return this.#allowed.get(run.slice(0, run.lastIndexOf('/')));
  }

  /**
   * What a call will cost: as the configuration says, or as the last reply said where that was more. A configuration that
   * names another price since then is believed.
   */
  priceOf(subject: string, configured: number): number {
    const kind = paidKindOf(subject);
    const known = kind && this.#prices.get(kind);
    if (!known || (known.configured !== undefined && known.configured !== configured)) return configured;
    return Math.max(configured, known.real);
  }

  /** The same for a run. */
  spentBy(run: string, now: number, but?: string): number {
    return (this.runs.get(run) ?? 0) + sumOf(this.#reserved(now, but).filter((send) => send.run === run));
  }

  /** Credits spent by calendar day of any time zone, of the last years. */
  daysIn(timeZone: string): ReadonlyMap<string, number> {
    if (timeZone === this.timeZone) return this.days;
    const days = new Map(Object.entries(this.#daysBefore));
    for (const [quarter, credits] of this.#quarters) add(days, dayOf(quarter * QUARTER_MS, timeZone), credits);
    return days;
  }

  /**
   * What a ledger takes over. It goes through Temporal, which takes two megabytes at once.
   * @param timeZone the ledger's
   */
  keptIn(timeZone: string): Kept {
    const latest = (sums: ReadonlyMap<string, number>, most: number) => Object.fromEntries([...sums].slice(-most));
    const open = this.#open().filter(([subject, send]) => !this.#cleared.has(subject, send));
    return {
      // The ledger, too, has not held any longer what was cleared.
      flights: { ...this.sends, open: Object.fromEntries(open) },
      days: latest(new Map([...this.daysIn(timeZone)].sort(([one], [other]) => (one < other ? -1 : 1))), KEEP_DAYS),
      timeZone,
      runs: latest(this.runs, KEEP_RUNS),
      bookings: this.bookings.slice(-KEEP_BOOKINGS),
      said: this.said,
      bookedSinceNote: this.bookedSinceNote,
    };
  }

  #open(but?: string): [subject: string, send: OpenSend][] {
    return Object.entries(this.sends.open).filter(([subject]) => subject !== but);
  }

  /** What counts as spent: all that is open, but for what was cleared once it cannot be booked any more. */
  #reserved(now: number, but?: string): OpenSend[] {
    return this.#open(but).flatMap(([subject, send]) =>
      mayBeBooked(send, now) || !this.#cleared.has(subject, send) ? send : [],
    );
  }

  #hear(said: Said): void {
    const before = this.said.balance;
    this.said = laterOf(this.said, said);
    const { balance } = this.said;
    if (balance === before || !balance) return;
    // What was booked before there were these books has no moment in them.
    this.bookedSinceNote = balance.at < this.#begunAt ? undefined : this.bookedSince(balance.at);
  }

  #begin({ account, days, runs, open, settled = [], forgottenBefore = 0 }: Begun): void {
    this.account = account;
    this.#daysBefore = days;
    for (const [day, credits] of Object.entries(days)) add(this.days, day, credits);
    for (const [run, credits] of Object.entries(runs)) put(this.runs, run, (this.runs.get(run) ?? 0) + credits);
    this.sends = {
      open: { ...this.sends.open, ...open },
      settled: [...this.sends.settled, ...settled],
      forgottenBefore: Math.max(this.sends.forgottenBefore, forgottenBefore),
    };
  }

  /** A call is sent that costs so much by the configuration of its process. */
  #expect(subject: string, configured: number | undefined): void {
    const kind = paidKindOf(subject);
    const known = kind && this.#prices.get(kind);
    if (!kind || configured === undefined || known?.configured === configured) return;
    if (known?.configured === undefined) this.#prices.set(kind, { real: known?.real ?? 0, configured });
    else this.#prices.set(kind, { real: 0, configured });
  }

  /** A person lets everything go on: a price by mistake, above every cap, would let no call through that could correct it. */
  #forgetPrices(): void {
    for (const [kind, { configured }] of this.#prices) this.#prices.set(kind, { real: 0, configured });
  }

  /** A reply says what a call cost: of those under way each is reserved as much. */
  #learn(subject: string, real: number, reserved: number | undefined): void {
    const kind = paidKindOf(subject);
    this.sends = reservedAnew(this.sends, subject, real, reserved);
    if (kind && reserved !== 0) this.#prices.set(kind, { real, configured: this.#prices.get(kind)?.configured });
  }

  #book(booking: Booking): void {
    const { run, credits, at } = booking;
    add(this.days, dayOf(at, this.timeZone), credits);
    const quarter = Math.floor(at / QUARTER_MS);
    put(this.#quarters, quarter, (this.#quarters.get(quarter) ?? 0) + credits, MOST_QUARTERS);
    put(this.runs, run, (this.runs.get(run) ?? 0) + credits);
    this.bookings.push(booking);
    // What is given back was booked too much, and maybe before the note.
    if (this.bookedSinceNote !== undefined) this.bookedSinceNote += Math.max(0, credits);
    if (this.bookings.length > 2 * KEEP_BOOKINGS) this.bookings = this.bookings.slice(-KEEP_BOOKINGS);
  }
}

const mayBeBooked = ({ overAt }: OpenSend, now: number): boolean => now <= overAt + BOOKED_LATE_MS;

const sumOf = (sends: readonly OpenSend[]): number => sends.reduce((sum, { credits }) => sum + credits, 0);

const add = (sums: Map<string, number>, key: string, credits: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + credits);

/** What was put last comes last; of too many the oldest go. */
export function put<K, V>(all: Map<K, V>, key: K, value: V, most = MOST_RUNS): void {
  all.delete(key);
  all.set(key, value);
  if (all.size <= most) return;
  for (const oldest of all.keys()) {
    all.delete(oldest);
    break;
  }
}
