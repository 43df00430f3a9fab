/** S8: one user's books, as one process keeps them up: asked before each payment, and told what became of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLater, type Kept, momentsOf, NOTES, type Said } from '../ledger';
import type { ObstacleAsked } from '../ledger/messages';
import type { Settled, Settlement } from '../paying/open-sends';
import { StorageError } from '../storage';
import { isTimeZone } from '../time/day';
import { type AboutToSend, lateRefusal, mayBeSent, type Refused } from './about-to-send';
import { Appending } from './appending';
import { type BalanceReading, type Ceilings, type OverCeiling, overCeiling } from './ceilings';
import type { Act } from './entry';
import { LongAgo, paidIn } from './long-ago';
import type { BooksOptions } from './options';
import { Place } from './place';
import type { Standing } from './standing';
import { Telling, whyNot } from './telling';

/** How old a reading may be by which waiting runs are told that they may go on. */
const FRESH_MS = 1_000;
const PATIENCE_MS = 5_000;

/** The trouble of a storage that is there, and slow. */
const LATE = 'the storage did not answer in time';

export class Books {
  /** In which storage these books are. */
  readonly place: Place;
  readonly #appending: Appending;
  readonly #telling: Telling;
  readonly #longAgo: LongAgo;
  /** The reading under way, or the last one: since when it stands. */
  #read: { since: number; standing: Promise<Standing> } | undefined;

  constructor(private readonly options: BooksOptions) {
    this.place = new Place(options.storage, options.user);
    this.#longAgo = new LongAgo(options);
    this.#appending = new Appending(options, this.place);
    this.#telling = new Telling(options, this.#appending, this.#longAgo);
  }

  /** The storage into which was written last, by its ID; another one may be taken for that of the books since. */
  get standsIn(): string | undefined {
    return this.#appending.standsIn;
  }

  /** Before a paid request leaves. @returns why it must not; undefined once it is written down */
  async beforeSend(about: AboutToSend): Promise<Refused | undefined> {
    let isLate = false;
    const late = new AbortController();
    const written = this.#appending.inTurn(() =>
      this.#appending.append<Refused>((standing) =>
        isLate ? lateRefusal : mayBeSent(standing, about, this.options.now()),
      ),
    );
    try {
      const refused = await Promise.race([
        written,
        sleep(about.withinMs, lateRefusal.refuse, { signal: late.signal, ref: false }),
      ]);
      if (refused?.kind === 'late') return this.#notWritten(about, LATE, refused);
      // Where the books have just been begun by what the ledger knew, they have this very attempt as open.
      const { subject, attempt, run } = about.request;
      if (refused && this.#appending.known?.sends.open[subject]?.attempt === attempt)
        await this.became(subject, attempt, run, { kind: 'notPaid' });
      return refused;
    } catch (error) {
      const why = whyNot(error);
      return this.#notWritten(about, why, { kind: 'unwritten', why });
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
    await Promise.race([this.#telling.tell(draft), this.#patience()]);
  }

  /** Hold and limits as people have said them, and the noted balance, where the books lack any of it. @throws while it cannot be written */
  async say(said: Said): Promise<void> {
    await this.#appending.inTurn(() =>
      this.#appending.append((standing) =>
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
    await this.#appending.inTurn(() =>
      this.#appending.append((standing) => (standing.acts.includes(id) ? { refuse: 'written' } : { write: act }), id),
    );
  }

  /**
   * The ceiling that stands in the way of so many credits more, by the books as they were a second ago at most; of a call, of
   * what it costs by them, where that is more, and without what an earlier try of it has reserved.
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
    const wanted = { credits, ...(call && { subject: call.subject }) };
    return overCeiling(standing, ceilings, wanted, this.options.now(), reading);
  }

  /**
   * What the books come to now.
   * @throws {StorageError} also `damaged`: the books are not what was written
   */
  standing(): Promise<Standing> {
    return this.#appending.inTurn(() => this.#appending.standing());
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
    return this.#telling.trouble ?? (failure === undefined ? undefined : whyNot(failure));
  }

  /** The trouble is that a grant was not in the books in time: the storage may be there, and slow. */
  get isLate(): boolean {
    return this.trouble === LATE;
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
    await Promise.race([Promise.all([this.#appending.end(), this.#telling.close()]), this.#patience()]);
    const lost = this.#telling.giveUp();
    if (lost.length > 0)
      this.options.warn(`the books lack what became of ${lost.join(', ')}: these stay reserved in them`, this.trouble);
  }

  /** It may be written all the same. That it was not sent is tried until it is: then the books can be written again. */
  #notWritten({ request: { subject, attempt, run } }: AboutToSend, trouble: string, refused: Refused): Refused {
    this.#telling.trouble = trouble;
    this.became(subject, attempt, run, { kind: 'notPaid' }).catch(() => undefined);
    return refused;
  }

  #patience(): Promise<void> {
    return sleep(this.options.patienceMs ?? PATIENCE_MS, undefined, { ref: false });
  }
}
