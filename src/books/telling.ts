/** What has happened and is not in the books yet: written in its order, and tried again for as long as the process lives (S8). */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { REMEMBER_MS } from '../paying/open-sends';
import { rootMessage } from '../root-cause';
import { StorageError } from '../storage';
import type { Appending } from './appending';
import type { Draft } from './entry';
import { type LongAgo, paidIn } from './long-ago';
import type { BooksOptions } from './options';

/** It is tried again after this, and twice as late each time, up to the other. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;

interface Told {
  readonly id: string;
  readonly draft: Draft;
  /** Since when it is to be told, milliseconds. */
  readonly since: number;
}

export class Telling {
  /** Why the last try to write failed. */
  trouble: string | undefined;
  /** In its order. */
  readonly #untold: Told[] = [];
  #telling: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(
    private readonly options: Pick<BooksOptions, 'now' | 'warn'>,
    private readonly appending: Appending,
    private readonly longAgo: LongAgo,
  ) {}

  /** Resolves once it is written. */
  tell(draft: Draft): Promise<void> {
    this.#untold.push({ id: randomUUID(), draft, since: this.options.now() });
    return this.#all();
  }

  /** What is left is tried once more, at once. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#untold.length > 0) await this.#all();
  }

  /** What is left is given up. @returns what it is about */
  giveUp(): string[] {
    return this.#untold.splice(0).map(({ draft }) => ('subject' in draft ? draft.subject : draft.kind));
  }

  /** Writes all that is untold; one at a time, tried again until it succeeds. */
  #all(): Promise<void> {
    this.#telling ??= this.#writeAll().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  async #writeAll(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; this.#untold.length > 0; ) {
      // The last try is the one after it was closed.
      const isLast = signal.aborted;
      try {
        await this.appending.inTurn(() => this.#writeNext());
        this.trouble = undefined;
      } catch (error) {
        this.trouble = whyNot(error);
        if (failures++ === 0) this.options.warn('the books could not be written; it is tried again', error);
        if (isLast) return;
        const pause = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
        await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  async #writeNext(): Promise<void> {
    const [next] = this.#untold;
    if (!next) return;
    if (!(await this.#isBookedByOthers(next)))
      await this.appending
        .append(() => ({ write: next.draft }), next.id)
        .catch((error: unknown) => {
          if (!(error instanceof StorageError && error.kind === 'refused')) throw error;
          this.options.warn('what became of a call could not be written into the books', error);
        });
    if (this.#untold[0] === next) this.#untold.shift();
  }

  /** S3: what could not be told for an hour another process may have written, and the books keep that at hand no longer. */
  async #isBookedByOthers({ draft, since }: Told): Promise<boolean> {
    if (draft.kind !== 'became' || draft.settlement.kind !== 'paid') return false;
    if (this.options.now() - since < REMEMBER_MS) return false;
    const standing = await this.appending.upToDate();
    const { subject, attempt } = draft;
    const { open, forgottenBefore } = standing.sends;
    if (open[subject]?.attempt === attempt || paidIn(standing, subject)) return false;
    return (await this.longAgo.paidFor(subject, forgottenBefore))?.attempt === attempt;
  }
}

/** Why the books cannot be kept, for a person. */
export const whyNot = (error: unknown): string =>
  error instanceof StorageError ? error.message : `the storage does not answer (${rootMessage(error)})`;
