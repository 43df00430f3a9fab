/** The storage in which a user's books are: it has an ID, by which workers know whether they have the same one (S8). */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { NoConditionalWrites, type Storage, StorageError } from '../storage';
import { parseStored, readIfThere, storedJson } from '../storage/stored-json';
import { BOOKS } from './journal';

const SOON_MS = 3_000;
/** A storage that is away is looked at again after this. */
const AGAIN_MS = 10_000;

const Marker = z.object({ v: z.literal(1), id: z.uuid() });

/** Where a process keeps a user's books, as far as it knows. */
export class Place {
  #id: string | undefined;
  #failure: unknown;

  /** @param user names the books */
  constructor(
    private readonly storage: Storage,
    private readonly user: string,
  ) {}

  /** As it was read last; undefined: it never could be. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Why it is not known, or why no books can be kept there any more. */
  get failure(): unknown {
    return this.#id === undefined || this.#failure instanceof NoConditionalWrites ? this.#failure : undefined;
  }

  /**
   * Reads it anew.
   * @throws {StorageError} also where the storage cannot keep books
   */
  async read(): Promise<void> {
    try {
      this.#id = await placeOf(this.storage, this.user);
      this.#failure = undefined;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** The same, for those who do not wait long for a storage. @throws {StorageError} */
  async readSoon(): Promise<void> {
    const late = new StorageError('unusable', `${this.storage.describe()} does not answer`);
    const read = this.read();
    const isRead = await Promise.race([read.then(() => true), sleep(SOON_MS, false, { ref: false })]);
    if (isRead) return;
    read.catch(() => undefined);
    this.#failed(late);
    throw late;
  }

  /**
   * Whether the storage is still the one with this ID: a folder's mount may be gone, and a bucket emptied.
   * @throws while it is away
   */
  async isStill(id: string | undefined): Promise<boolean> {
    const there = await markerIn(this.storage, markerRef(this.user)).catch((error: unknown) => {
      // Which storage it was it does not say any more; whoever verifies the books hears of it.
      if (error instanceof StorageError && error.kind === 'damaged') return id;
      throw error;
    });
    return there !== undefined && there === id;
  }

  /** One that cannot keep books cannot until it was seen to. */
  #failed(error: unknown): void {
    if (!(this.#failure instanceof NoConditionalWrites)) this.#failure = error;
  }
}

/** Two processes would take the same number: nothing can be paid with such a storage, however long one waits. */
const overwrites = (storage: Storage) =>
  new NoConditionalWrites(storage, 'overwrites a document that was to be created only if there is none');

/** @throws {NoConditionalWrites} where the storage creates the same document twice, or cannot at all */
async function createOnce(storage: Storage, ref: string, contentOf: () => string): Promise<void> {
  const create = () => storage.create(ref, contentOf());
  if ((await create()) && (await create())) throw overwrites(storage);
}

/**
 * Whether books can be kept in a storage, whosever they are. It leaves a document there.
 * @throws {NoConditionalWrites} where they cannot
 * @throws where the storage is away
 */
const mustCreateOnce = (storage: Storage): Promise<void> =>
  createOnce(
    storage,
    `${BOOKS}created-once.txt`,
    () => 'Written only where nothing is: so can the books be kept here.\n',
  );

/**
 * Looks whether they can, as soon as the storage can be reached.
 * @throws {NoConditionalWrites} where they cannot
 */
export async function fitToKeep(storage: Storage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await mustCreateOnce(storage);
    } catch (error) {
      if (error instanceof NoConditionalWrites) throw error;
    }
    await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

const markerRef = (user: string): string => `${BOOKS}${user}/storage.json`;

/**
 * The ID that lies beside the entries; whoever comes first puts one there.
 * @param user names the books
 * @throws {StorageError} also {@link NoConditionalWrites}
 */
async function placeOf(storage: Storage, user: string): Promise<string> {
  const ref = markerRef(user);
  const there = await markerIn(storage, ref);
  if (there !== undefined) {
    // A storage may cease to mind conditions while workers run; what cannot be written keeps nobody from reading.
    await mustCreateOnce(storage).catch((error: unknown) => {
      if (error instanceof NoConditionalWrites) throw error;
    });
    return there;
  }
  await createOnce(storage, ref, () => `${storedJson({ v: 1, id: randomUUID() })}\n`);
  const created = await markerIn(storage, ref);
  if (created === undefined) throw new StorageError('unusable', `'${ref}' was written and is not there`);
  return created;
}

/** @returns undefined where there is none @throws {StorageError} also `damaged` */
async function markerIn(storage: Storage, ref: string): Promise<string | undefined> {
  const written = await storage.read(ref).then(text, (error: unknown) => {
    if (error instanceof StorageError && error.kind === 'notFound') return undefined;
    throw error;
  });
  if (written === undefined) return undefined;
  const marker = parseStored(written, Marker);
  if (marker) return marker.id;
  throw new StorageError('damaged', `'${ref}' is not what was written there`, 'restore it from a backup');
}

/** The same, as it is there. @returns undefined where it is missing or was changed */
export async function placeIn(storage: Storage, user: string): Promise<string | undefined> {
  try {
    return (await readIfThere(storage, markerRef(user), Marker))?.id;
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'damaged') return undefined;
    throw error;
  }
}
