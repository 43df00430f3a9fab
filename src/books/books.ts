/**
 * S8: one user's books, as one process keeps them up. What is written is decided on what stands in them: an entry takes the
 * next number, and where another process was faster, what it wrote is read and the decision made again.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLater, type Kept, momentsOf, NOTES, type Said } from '../ledger';
import type { ObstacleAsked } from '../ledger/messages';
import { REMEMBER_MS, type Settled, type Settlement } from '../paying/open-sends';
import { rootMessage } from '../root-cause';
import { StorageError } from '../storage';
import { isTimeZone } from '../time/day';
import { type AboutToSend, type Decision, lateRefusal, mayBeSent, type Refused } from './about-to-send';
import { type BalanceReading, type Ceilings, type OverCeiling, overCeiling } from './ceilings';
import type { Act, Draft, Entry } from './entry';
import { Journal } from './journal';
import { LongAgo, paidIn } from './long-ago';
import type { BooksOptions } from './options';
import { Place } from './place';
import { Sealing } from './sealing';
import { Standing } from './standing';

/** What is to be told is tried again after this, and twice as late each time, up to the other. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;
/** How old a reading may be by which waiting runs are told that they may go on. */
const FRESH_MS = 1_000;
const PATIENCE_MS = 5_000;

interface Told {
  readonly id: string;
  readonly draft: Draft;
  /** Since when it is to be told, milliseconds. */
  readonly since: number;
}

export class Books {
  /** In which storage these books are. */
  readonly place: Place;
  readonly #journal: Journal;
  readonly #sealing: Sealing;
  readonly #longAgo: LongAgo;
  #standing: Standing | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** What has happened and is not written yet, in its order. */
  readonly #untold: Told[] = [];
  #telling: Promise<void> | undefined;
  /** Why the last try to write failed. */
  #trouble: string | undefined;
  /** The reading under way, or the last one: since when it stands. */
  #read: { since: number; standing: Promise<Standing> } | undefined;
  readonly #closing = new AbortController();
  /** Not in the context of the call that began it: its cancellation would end what others wait for as well. */
  readonly #apart = AsyncLocalStorage.snapshot();

  constructor(private readonly options: BooksOptions) {
    this.place = new Place(options.storage, options.user);
    this.#journal = new Journal(options.storage, options.user);
    this.#longAgo = new LongAgo(options);
    this.#sealing = new Sealing(this.#journal, (what, error) => options.warn(what, error));
  }

  /** Before a paid request leaves. @returns why it must not; undefined once it is written down */
  async beforeSend(about: AboutToSend): Promise<Refused | undefined> {
    let isLate = false;
    const late = new AbortController();
    const written = this.#inTurn(() =>
      this.#append<Refused>((standing) => (isLate ? lateRefusal : mayBeSent(standing, about, this.options.now()))),
    );
    try {
      const refused = await Promise.race([
        written,
        sleep(about.withinMs, lateRefusal.refuse, { signal: late.signal, ref: false }),
      ]);
      if (refused?.kind === 'unwritten') return this.#unwritten(about, refused.why);
      // Where the books have just been begun by what the ledger knew, they have this very attempt as open.
      const { subject, attempt, run } = about.request;
      if (refused && this.#standing?.sends.open[subject]?.attempt === attempt)
        await this.became(subject, attempt, run, { kind: 'notPaid' });
      return refused;
    } catch (error) {
      return this.#unwritten(about, whyNot(error));
    } finally {
      isLate = true;
      late.abort();
      written.catch(() => undefined);
    }
  }

  /**
   * What became of a send, or what a look found. Returns once it is written, or after its patience: then it is tried again
   * for as long as the process lives.
   */
  async became(subject: string, attempt: string, run: string, settlement: Settlement): Promise<void> {
    const draft = { kind: 'became', subject, attempt, run, settlement } as const;
    this.#untold.push({ id: randomUUID(), draft, since: this.options.now() });
    await Promise.race([this.#tellAll(), this.#patience()]);
  }

  /** Hold and limits as people have said them, and the noted balance, where the books lack any of it. @throws while it cannot be written */
  async say(said: Said): Promise<void> {
    await this.#inTurn(() =>
      this.#append((standing) =>
        hasLater(momentsOf(said), momentsOf(standing.said), NOTES)
          ? { write: { kind: 'said', said } }
          : { refuse: 'known' },
      ),
    );
  }

  /**
   * What a person did. @param id of this act alone: with it, it is written once, however often it is tried
   * @throws while it cannot be written
   */
  async act(act: Act, id: string): Promise<void> {
    await this.#inTurn(() =>
      this.#append((standing) => (standing.acts.includes(id) ? { refuse: 'written' } : { write: act }), id),
    );
  }

  /**
   * The ceiling that stands in the way of so many credits more, by the books as they were a second ago at most; of a call, of
   * what it costs by them, where that is more.
   * @param reading of the balance, where a part of it must remain
   * @throws {StorageError} while they cannot be written or read
   */
  async obstacle(
    ceilings: Ceilings,
    { credits: least, call }: ObstacleAsked,
    reading?: BalanceReading,
  ): Promise<OverCeiling | undefined> {
    // Nobody else tries that again while all wait.
    if (this.place.id === undefined) await this.place.readSoon().catch(() => undefined);
    const { trouble } = this;
    if (trouble !== undefined)
      throw new StorageError('unusable', `the books in the storage cannot be kept, so nothing is paid: ${trouble}`);
    if (ceilings.perDay === null && ceilings.perMonth === null && reading === undefined) return undefined;
    const standing = await this.#ofLate();
    const credits = call ? Math.max(least, standing.priceOf(call.subject, call.credits)) : least;
    return overCeiling(standing, ceilings, { credits }, this.options.now(), reading);
  }

  /**
   * What the books come to now.
   * @throws {StorageError} also `damaged`: the books are not what was written
   */
  standing(): Promise<Standing> {
    return this.#inTurn(async () => {
      const { seq = 0, hash = '' } = this.#standing ?? {};
      // The storage may have gone back to a backup: then what this process remembers is no longer there.
      if (!(await this.#journal.has({ seq, hash }))) this.#standing = undefined;
      return this.#upToDate();
    });
  }

  /**
   * Who has paid for a subject, ever since there are books: at hand they keep only what was settled in the last hour, and else
   * all of them are read.
   * @returns undefined where nobody has
   * @throws {StorageError} also `damaged`
   */
  async paidFor(subject: string): Promise<Settled | undefined> {
    const standing = await this.standing();
    return paidIn(standing, subject) ?? this.#longAgo.paidFor(subject, standing.sends.forgottenBefore);
  }

  /** Of those who ask at the same time, or within a second, one reads. */
  #ofLate(): Promise<Standing> {
    if (this.#read === undefined || performance.now() - this.#read.since > FRESH_MS) {
      const read = { since: Number.POSITIVE_INFINITY, standing: this.standing() };
      this.#read = read;
      const over = () => {
        read.since = performance.now();
      };
      read.standing.then(over, over);
    }
    return this.#read.standing;
  }

  /** Why payments cannot be written down at present. */
  get trouble(): string | undefined {
    const { failure } = this.place;
    return this.#trouble ?? (failure === undefined ? undefined : whyNot(failure));
  }

  /**
   * For a ledger that knows less; undefined where nothing was ever paid.
   * @param timeZone the ledger's, in which it knows days
   */
  async kept(timeZone?: string): Promise<Kept | undefined> {
    const standing = await this.standing();
    const isKnown = timeZone !== undefined && isTimeZone(timeZone);
    return standing.seq === 0 ? undefined : standing.keptIn(isKnown ? timeZone : standing.timeZone);
  }

  /** This process ends: what is still to be told is tried once more, at once. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.race([this.#sealing.end(), this.#patience()]);
    if (this.#untold.length > 0) await Promise.race([this.#tellAll(), this.#patience()]);
    const lost = this.#untold.splice(0).map(({ draft }) => ('subject' in draft ? draft.subject : draft.kind));
    if (lost.length > 0)
      this.options.warn(`the books lack what became of ${lost.join(', ')}: these stay reserved in them`, this.#trouble);
  }

  /** It may be written all the same. That it was not sent is tried until it is: then the books can be written again. */
  #unwritten({ request: { subject, attempt, run } }: AboutToSend, why: string): Refused {
    this.#trouble = why;
    this.became(subject, attempt, run, { kind: 'notPaid' }).catch(() => undefined);
    return { kind: 'unwritten', why };
  }

  /** Writes all that is untold; one at a time, tried again until it succeeds. */
  #tellAll(): Promise<void> {
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  async #tell(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; this.#untold.length > 0; ) {
      // The last try is the one after it was closed.
      const isLast = signal.aborted;
      try {
        await this.#inTurn(() => this.#tellNext());
        this.#trouble = undefined;
      } catch (error) {
        this.#trouble = whyNot(error);
        if (failures++ === 0) this.options.warn('the books could not be written; it is tried again', error);
        if (isLast) return;
        const pause = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
        await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  async #tellNext(): Promise<void> {
    const [next] = this.#untold;
    if (!next) return;
    if (!(await this.#isBookedByOthers(next)))
      await this.#append(() => ({ write: next.draft }), next.id).catch((error: unknown) => {
        if (!(error instanceof StorageError && error.kind === 'refused')) throw error;
        this.options.warn('what became of a call could not be written into the books', error);
      });
    if (this.#untold[0] === next) this.#untold.shift();
  }

  /** S3: what could not be told for an hour another process may have written, and the books keep that at hand no longer. */
  async #isBookedByOthers({ draft, since }: Told): Promise<boolean> {
    if (draft.kind !== 'became' || draft.settlement.kind !== 'paid') return false;
    if (this.options.now() - since < REMEMBER_MS) return false;
    const standing = await this.#upToDate();
    const { subject, attempt } = draft;
    const { open, forgottenBefore } = standing.sends;
    if (open[subject]?.attempt === attempt || paidIn(standing, subject)) return false;
    return (await this.#longAgo.paidFor(subject, forgottenBefore))?.attempt === attempt;
  }

  async #append<R>(decide: (standing: Standing) => Decision<R>, id: string = randomUUID()): Promise<R | undefined> {
    const standing = this.#standing ?? (await this.#upToDate());
    // What was spent before there were books is their first entry.
    const begun = standing.seq === 0 ? await this.options.begin() : undefined;
    for (;;) {
      if (begun && standing.seq === 0) await this.#write(standing, begun, randomUUID());
      let decision = decide(standing);
      // What others wrote meanwhile may allow it.
      if ('refuse' in decision && (await this.#catchUp(standing)).length > 0) decision = decide(standing);
      if ('refuse' in decision) return decision.refuse;
      if (await this.#write(standing, decision.write, id)) return undefined;
    }
  }

  /** @returns false when another process was faster: what that one wrote is applied */
  async #write(standing: Standing, draft: Draft, id: string): Promise<boolean> {
    const { worker, now } = this.options;
    const entry: Entry = { v: 1, ...{ seq: standing.seq + 1, at: now(), prev: standing.hash, id, worker }, ...draft };
    const hash = await this.#journal.write(entry);
    if (hash === undefined) {
      const fresh = await this.#catchUp(standing);
      if (fresh.length === 0)
        throw new StorageError('unusable', `'${this.#journal.entryRef(entry.seq)}' is taken and cannot be read`);
      return fresh.includes(id);
    }
    standing.apply(entry, hash);
    this.#sealing.after(entry.seq);
    return true;
  }

  async #upToDate(): Promise<Standing> {
    const timeZone = this.options.timeZone();
    let standing = this.#standing;
    if (standing?.timeZone !== timeZone) {
      standing = new Standing(timeZone, this.options.now);
      await this.place.read();
    }
    await this.#catchUp(standing);
    if (standing !== this.#standing) await this.#mustEnd(standing);
    this.#standing = standing;
    return standing;
  }

  /** @returns the IDs of what was new */
  async #catchUp(standing: Standing): Promise<string[]> {
    const ids: string[] = [];
    for await (const { entry, hash } of this.#journal.after(standing)) {
      standing.apply(entry, hash);
      ids.push(entry.id);
    }
    return ids;
  }

  /** S8: what is missing in the middle looks like the end. */
  async #mustEnd(standing: Standing): Promise<void> {
    const segments = await this.#journal.segments();
    const highest = await this.#journal.highestFrom(standing.seq, segments);
    await this.#catchUp(standing);
    this.#journal.mustEndAt(standing.seq, highest);
    this.#sealing.missing(segments, standing.seq);
  }

  #patience(): Promise<void> {
    return sleep(this.options.patienceMs ?? PATIENCE_MS, undefined, { ref: false });
  }

  /** One after the other: who appends decides on what stands there. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#apart(work));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const whyNot = (error: unknown): string =>
  error instanceof StorageError ? error.message : `the storage does not answer (${rootMessage(error)})`;
