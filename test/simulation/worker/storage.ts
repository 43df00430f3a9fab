/** A storage in memory, which outlives the workers. */
import { Readable } from 'node:stream';
import { BOOKS, SEGMENT } from '../../../src/books/journal';
import { type Storage, StorageError, type Stored } from '../../../src/storage';
import type { Mishaps } from '../engine/mishaps';
import { here } from '../world/world';

/** What a call of it may fail with for a while: a folder's own errors, and a server that refuses, or answers to nobody. */
export const STORAGE_TROUBLES = ['EIO', 'EACCES', 'ENOSPC', '503 SlowDown', 'no answer in time'] as const;
/** Its client gives up then (`LIMITS` of `bucket-client.ts`). */
export const HANGS_MS = 90_000;

/** Until a list shows what was written or deleted, as in some stores that speak the S3 protocol. */
const MOST_LATE_MS = 180_000;

/** Ends with a checksum, as what is read again does. */
const SEALED = /"sum":"[0-9a-f]{16}"\}\s*$|\n[0-9a-f]{64}$/;
const SUM_BYTES = 27;
const ENTRIES = /^books\/(?=.*\/(entries|segments)\/)/;

export class MemoryStorage {
  readonly documents = new Map<string, Buffer>();
  /** What each call fails with while it is away, full, or refuses everybody. */
  trouble: (typeof STORAGE_TROUBLES)[number] | undefined;
  /** Otherwise their entries go nowhere, as before the version that keeps books. */
  areBooksKept = true;
  /** What lists show: a document that was written is there after a while, and one that was deleted is no more. */
  readonly #listed = new Map<string, number>();

  constructor(private readonly mishaps: Mishaps) {}

  /** As one process sees it. */
  get storage(): Storage {
    const { documents } = this;
    const placeOf = (ref: string) => (this.areBooksKept ? ref : ref.replace(ENTRIES, 'nowhere/'));
    const stored = (ref: string): Stored => ({ ref, size: documents.get(placeOf(ref))?.length ?? 0 });
    return {
      read: async (ref) => {
        await this.#turn('read');
        const found = documents.get(placeOf(ref));
        if (!found) throw new StorageError('notFound', `There is no document '${ref}'`);
        return Readable.from([found]);
      },
      write: async (ref, content) => {
        const pieces: Buffer[] = [];
        if (typeof content === 'string' || content instanceof Uint8Array) pieces.push(Buffer.from(content));
        else for await (const piece of content) pieces.push(Buffer.from(piece));
        await this.#turn('write', () => this.#put(ref, Buffer.concat(pieces)));
        return stored(ref);
      },
      create: async (ref, content) => {
        const place = placeOf(ref);
        let isMade = false;
        await this.#turn('create', () => {
          isMade = !documents.has(place);
          if (isMade) this.#put(place, Buffer.from(content));
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
      delete: (ref) => this.#turn('delete', () => this.#put(ref, undefined)),
      urlOf: (ref) => `memory:///${ref}`,
      describe: () => 'memory',
    };
  }

  #put(ref: string, document: Buffer | undefined, isListedLate = this.mishaps.happens('listedLate')): void {
    if (document) this.documents.set(ref, document);
    else this.documents.delete(ref);
    const list = () => {
      const size = this.documents.get(ref)?.length;
      if (size === undefined) this.#listed.delete(ref);
      else this.#listed.set(ref, size);
    };
    const { world } = this.mishaps;
    if (isListedLate) world.after(world.random.between(2_000, MOST_LATE_MS), list);
    else list();
  }

  /**
   * The books as they were when they had this share of their entries.
   * @returns puts the newest in their place again, and answers whether something was written that is lost by it
   */
  setBooksBack(share: number): () => boolean {
    const newest = this.books();
    const numberOf = (ref: string) => Number(/\/(\d{10})\./.exec(ref)?.[1]);
    const entries = newest.filter(([ref]) => ref.includes('/entries/'));
    const last = Math.floor(entries.length * share);
    for (const [ref] of newest)
      if (numberOf(ref) * (ref.includes('/segments/') ? SEGMENT : 1) > last) this.#put(ref, undefined, false);
    const before = new Set(this.documents.keys());
    return () => {
      const since = this.books().filter(([ref]) => !before.has(ref));
      for (const [ref] of since) this.#put(ref, undefined, false);
      for (const [ref, document] of newest) this.#put(ref, document, false);
      return since.length > 0;
    };
  }

  /**
   * A document that audit-runner keeps for itself is cut, or has another bit, as in a backup that somebody puts back by hand:
   * often the last entry of the books.
   * @param which of them, where in it, and what
   * @param but those that are damaged already: what puts them right would not know them again
   * @returns which it is, and what puts it right
   */
  damage(which: number, but: ReadonlyMap<string, unknown>): { ref: string; mend(): void } | undefined {
    const kept = [...this.documents].filter(([ref, document]) => !but.has(ref) && SEALED.test(document.toString()));
    const last = kept.filter(([ref]) => ref.includes('/entries/')).at(-1);
    const [ref, whole] = (which % 4 === 1 && last) || (kept[which % Math.max(1, kept.length)] ?? []);
    if (!ref || !whole) return undefined;
    // Its end is the checksum itself.
    const at = (7 * which) % (whole.length - SUM_BYTES);
    const damaged = Buffer.from(which % 3 === 0 ? whole.subarray(0, at) : whole);
    if (which % 3 > 0) damaged.writeUInt8(whole.readUInt8(at) ^ (1 << (which % 7)), at);
    this.#put(ref, damaged, false);
    const mend = () => {
      if (this.documents.get(ref) === damaged) this.#put(ref, whole, false);
    };
    return { ref, mend };
  }

  /** Lists show what is there. */
  showAll(): void {
    this.#listed.clear();
    for (const [ref, { length }] of this.documents) this.#listed.set(ref, length);
  }

  /** In the order of their entries. */
  books(): [string, Buffer][] {
    return [...this.documents]
      .filter(([ref]) => ref.startsWith(BOOKS))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  async *#list(prefix: string, after: string): AsyncIterable<Stored> {
    await this.#turn('list');
    const found = [...this.#listed]
      .filter(([ref]) => ref.startsWith(prefix) && ref > after)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [ref, size] of found) yield { ref, size };
  }

  /** It takes a while, and may fail before its effect or after it; a process may die on the way. Of people nothing is expected. */
  #turn(what: string, effect: () => void = () => undefined): Promise<void> {
    const { mishaps } = this;
    const { world } = mishaps;
    const process = here.getStore();
    return new Promise((resolve, reject) => {
      if (!process) return resolve(effect());
      if (!mishaps.crossing(process, `storage ${what}`)) return;
      const trouble = mishaps.happens('storageFull') ? 'ENOSPC' : this.trouble;
      const isLost = mishaps.happens('storageReplyLost');
      if (this.trouble) mishaps.note(`storage ${this.trouble}`);
      const isServers = trouble?.includes(' ');
      const usualMs = mishaps.happens('slow') ? world.random.pick([2_000, 20_000]) : world.random.between(1, 4);
      world.after(trouble === 'no answer in time' ? HANGS_MS : usualMs, () => {
        // A server that says so may have done it.
        if (!trouble || (isServers && world.random.chance(0.2))) effect();
        world.after(
          1,
          () => {
            if (!mishaps.crossing(process, `storage ${what} done`)) return;
            const code = trouble ?? (isLost ? 'EIO' : undefined);
            if (isServers) reject(new StorageError('unusable', `The bucket does not answer as it should (${code})`));
            else if (code) reject(Object.assign(new Error(code), { code }));
            else resolve();
          },
          process,
        );
      });
    });
  }
}
