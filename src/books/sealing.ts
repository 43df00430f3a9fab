/** Segments are made beside everything else: who starts next reads faster, and nobody waits for it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Journal, SEGMENT } from './journal';

export class Sealing {
  #under: Promise<void> = Promise.resolve();
  #isOver = false;
  /** Not in the context of the call that began it. */
  readonly #apart = AsyncLocalStorage.snapshot();

  /** @param warn hears of what could not be written: it is made good by the next process that starts */
  constructor(
    private readonly journal: Journal,
    private readonly warn: (what: string, error: unknown) => void,
  ) {}

  /** The segment that ends with this entry, if one does. */
  after(seq: number): void {
    if (seq % SEGMENT === 0) this.#soon([seq]);
  }

  /** Those that are missing among the entries up to this one. */
  missing(segments: readonly number[], seq: number): void {
    const sealed = new Set(segments);
    const all = Array.from({ length: Math.floor(seq / SEGMENT) }, (_, i) => i + 1);
    this.#soon(all.flatMap((n) => (sealed.has(n) ? [] : n * SEGMENT)));
  }

  /** Returns once none is being written. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#under;
  }

  #soon(ends: readonly number[]): void {
    const seal = async () => {
      for (const seq of ends) if (!this.#isOver) await this.journal.seal(seq);
    };
    this.#under = this.#under
      .then(() => this.#apart(seal))
      .catch((error) => this.warn('a segment of the books could not be written', error));
  }
}
