/** A storage in memory, which outlives the workers. */
import { Readable } from 'node:stream';
import { BOOKS, SEGMENT } from '../../../src/books/journal';
import { type Storage, StorageError, type Stored } from '../../../src/storage';
import type { Mishaps } from '../engine/mishaps';
import { here, type Process, type World } from '../world/world';

export class MemoryStorage {
  readonly documents = new Map<string, Buffer>();
  /** It cannot be reached. */
  isAway = false;

  constructor(
    private readonly world: World,
    private readonly mishaps: Mishaps,
    private readonly crossing: (process: Process, what: string) => boolean,
  ) {}

  /** As one process sees it. */
  get storage(): Storage {
    const { documents } = this;
    const stored = (ref: string): Stored => ({ ref, size: documents.get(ref)?.length ?? 0 });
    return {
      read: async (ref) => {
        await this.#turn('read');
        const found = documents.get(ref);
        if (!found) throw new StorageError('notFound', `There is no document '${ref}'`);
        return Readable.from([found]);
      },
      write: async (ref, content) => {
        const pieces: Buffer[] = [];
        if (typeof content === 'string' || content instanceof Uint8Array) pieces.push(Buffer.from(content));
        else for await (const piece of content) pieces.push(Buffer.from(piece));
        await this.#turn('write', () => void documents.set(ref, Buffer.concat(pieces)));
        return stored(ref);
      },
      create: async (ref, content) => {
        let isMade = false;
        await this.#turn('create', () => {
          isMade = !documents.has(ref);
          if (isMade) documents.set(ref, Buffer.from(content));
        });
        return isMade;
      },
      list: (prefix = '', after = '') => this.#list(prefix, after),
      folders: async (prefix) => {
        await this.#turn('list');
        const below = [...documents.keys()]
          .filter((one) => one.startsWith(prefix))
          .map((one) => one.slice(prefix.length));
        return [...new Set(below.flatMap((one) => (one.includes('/') ? one.replace(/\/.*/, '') : [])))].sort();
      },
      stat: async (ref) => {
        await this.#turn('stat');
        return documents.has(ref) ? stored(ref) : undefined;
      },
      delete: (ref) => this.#turn('delete', () => void documents.delete(ref)),
      urlOf: (ref) => `memory:///${ref}`,
      describe: () => 'memory',
    };
  }

  /**
   * The books as they were when they had this share of their entries.
   * @returns puts the newest in their place again, and answers whether something was written that is lost by it
   */
  setBooksBack(share: number): () => boolean {
    const newest = this.#books();
    const numberOf = (ref: string) => Number(/\/(\d{10})\./.exec(ref)?.[1]);
    const entries = newest.filter(([ref]) => ref.includes('/entries/'));
    const last = Math.floor(entries.length * share);
    for (const [ref] of newest)
      if (numberOf(ref) * (ref.includes('/segments/') ? SEGMENT : 1) > last) this.documents.delete(ref);
    const before = new Set(this.documents.keys());
    return () => {
      const since = this.#books().filter(([ref]) => !before.has(ref));
      for (const [ref] of this.#books()) this.documents.delete(ref);
      for (const [ref, document] of newest) this.documents.set(ref, document);
      return since.length > 0;
    };
  }

  #books(): [string, Buffer][] {
    return [...this.documents].filter(([ref]) => ref.startsWith(BOOKS));
  }

  async *#list(prefix: string, after: string): AsyncIterable<Stored> {
    await this.#turn('list');
    for (const ref of [...this.documents.keys()].filter((one) => one.startsWith(prefix) && one > after).sort())
      yield { ref, size: this.documents.get(ref)?.length ?? 0 };
  }

  /** It takes a while, and may fail before its effect or after it; a process may die on the way. */
  #turn(what: string, effect: () => void = () => undefined): Promise<void> {
    const { world, mishaps } = this;
    const process = here.getStore();
    return new Promise((resolve, reject) => {
      if (process && !this.crossing(process, `storage ${what}`)) return;
      const { isAway } = this;
      const isFull = mishaps.happens('storageFull');
      const isLost = mishaps.happens('storageReplyLost');
      const fail = (code: string) => reject(Object.assign(new Error(code), { code }));
      world.after(mishaps.happens('slow') ? 2_000 : world.random.between(1, 4), () => {
        if (!isFull && !isAway) effect();
        world.after(
          1,
          () => {
            if (process && !this.crossing(process, `storage ${what} done`)) return;
            if (isFull) fail('ENOSPC');
            else if (isLost || isAway) fail('EIO');
            else resolve();
          },
          process,
        );
      });
    });
  }
}
