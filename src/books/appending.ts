/**
 * S8: entries at the end of one user's books. An entry takes the next number, and is decided on what stands there: where another
 * process was faster, what it wrote is read and the decision made again.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { StorageError } from '../storage';
import type { Decision } from './about-to-send';
import type { Draft, Entry } from './entry';
import { Journal } from './journal';
import type { BooksOptions } from './options';
import type { Place } from './place';
import { Sealing } from './sealing';
import { Standing } from './standing';

export class Appending {
  readonly #journal: Journal;
  readonly #sealing: Sealing;
  #standing: Standing | undefined;
  /** The storage from which that was read: what this process takes for its storage may be another one since. */
  #standsIn: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** Not in the context of the call that began it: its cancellation would end what others wait for as well. */
  readonly #apart = AsyncLocalStorage.snapshot();

  constructor(
    private readonly options: BooksOptions,
    private readonly place: Place,
  ) {
    this.#journal = new Journal(options.storage, options.user);
    this.#sealing = new Sealing(this.#journal, (what, error) => options.warn(what, error));
  }

  /** What the books came to when they were read or written last; undefined before. */
  get known(): Standing | undefined {
    return this.#standing;
  }

  /** In which storage that stands; what is written is written there. */
  get standsIn(): string | undefined {
    return this.#standsIn;
  }

  /** One after the other: who appends decides on what stands there. All else here is to be called in a turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#apart(work));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Writes what is decided on what stands in the books, or what others wrote meanwhile.
   * @param id of this entry alone: with it, it is written once, however often it is tried
   * @returns why nothing was written
   * @throws {StorageError} also `damaged`
   */
  async append<R>(decide: (standing: Standing) => Decision<R>, id: string = randomUUID()): Promise<R | undefined> {
    const standing = this.#standing ?? (await this.upToDate());
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

  /** What the books come to now, also where the storage has gone back to a backup. @throws {StorageError} also `damaged` */
  async standing(): Promise<Standing> {
    const isThere = async (last: Standing) => this.#standsIn === this.place.id && (await this.#journal.has(last));
    if (this.#standing && !(await isThere(this.#standing))) this.#standing = undefined;
    return this.upToDate();
  }

  /** The same, where what was known last is still there. */
  async upToDate(): Promise<Standing> {
    const timeZone = this.options.timeZone();
    let [standing, standsIn] = [this.#standing, this.#standsIn];
    if (standing?.timeZone !== timeZone) {
      standing = new Standing(timeZone, this.options.now);
      await this.place.read();
      standsIn = this.place.id;
    }
    await this.#catchUp(standing);
    if (standing !== this.#standing) await this.#mustEnd(standing);
    this.#standing = standing;
    this.#standsIn = standsIn;
    return standing;
  }

  /** This process ends. */
  end(): Promise<void> {
    return this.#sealing.end();
  }

  /** @returns false when another process was faster: what that one wrote is applied */
  async #write(standing: Standing, draft: Draft, id: string): Promise<boolean> {
    const { worker, now } = this.options;
    // S8: else it would stand in other books than those that it was decided on.
    if (!(await this.place.isStill(this.#standsIn))) throw this.#elsewhere();
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

  #elsewhere(): StorageError {
    return new StorageError(
      'unusable',
      `${this.options.storage.describe()} has no books any more, or others than before`,
      'see whether it is mounted, and is the one that it was',
    );
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
}
