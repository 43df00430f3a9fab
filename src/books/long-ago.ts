/** Who has paid, ever since there are books: at hand they keep only what was settled lately, and else all of them are read. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Settled } from '../paying/open-sends';
import type { BooksOptions } from './options';
import { linesOf } from './reading';
import { Standing } from './standing';

/** More answers than a batch has under way. */
const MOST_KEPT = 10_000;

interface Answer {
  /** When the reading began. */
  readonly at: number;
  readonly settled: Settled | undefined;
}

/** What a standing at hand knows of it. */
export const paidIn = ({ sends }: Standing, subject: string): Settled | undefined =>
  sends.settled.find((one) => one.subject === subject && one.credits > 0);

/**
 * Long books take a minute to read. So one reading is under way at most, and answers all who have asked before it began; an
 * answer is kept, for whoever could not wait for it asks again.
 */
export class LongAgo {
  readonly #kept = new Map<string, Answer>();
  /** The reading that has not begun yet. */
  #next: { subjects: Set<string>; reading: Promise<void> } | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Not in the context of the call that began it: its cancellation would end what others wait for as well. */
  readonly #apart = AsyncLocalStorage.snapshot();

  constructor(private readonly options: Pick<BooksOptions, 'storage' | 'user' | 'timeZone' | 'now'>) {}

  /**
   * @param forgottenBefore what was settled since is at hand, and was not found there
   * @returns undefined where nobody has paid
   * @throws {StorageError} also `damaged`
   */
  async paidFor(subject: string, forgottenBefore: number): Promise<Settled | undefined> {
    const kept = this.#kept.get(subject);
    if (kept && kept.at > forgottenBefore) return kept.settled;
    this.#next ??= this.#afterLast();
    this.#next.subjects.add(subject);
    await this.#next.reading;
    return this.#kept.get(subject)?.settled;
  }

  #afterLast() {
    const subjects = new Set<string>();
    const reading = this.#last.then(() => {
      this.#next = undefined;
      return this.#apart(() => this.#read(subjects));
    });
    this.#last = reading.catch(() => undefined);
    return { subjects, reading };
  }

  async #read(subjects: ReadonlySet<string>): Promise<void> {
    const { storage, user, timeZone } = this.options;
    const at = this.options.now();
    const standing = new Standing(timeZone());
    const found = new Map<string, Settled>();
    const credits = new Map<string, number>();
    for await (const { entry, booked } of linesOf(storage, user, standing)) {
      if (booked && subjects.has(booked.subject))
        credits.set(booked.subject, (credits.get(booked.subject) ?? 0) + booked.credits);
      if (!('subject' in entry) || !subjects.has(entry.subject)) continue;
      const settled = paidIn(standing, entry.subject);
      if (settled) found.set(entry.subject, settled);
    }
    for (const subject of subjects) {
      this.#kept.delete(subject);
      this.#kept.set(subject, { at, settled: (credits.get(subject) ?? 0) > 0 ? found.get(subject) : undefined });
    }
    for (const subject of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(subject);
    }
  }
}
