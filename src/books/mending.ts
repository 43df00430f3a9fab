/**
 * S8: books of which entries are missing or were changed. Each entry has the hash of the one before: by that the right one is
 * known again, in its own place or in its segment. What is in neither a person may give up: an entry that says so takes its
 * place, and the books go on. Whatever is overwritten is kept beside.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Storage, StorageError } from '../storage';
import { parseStored, storedJson } from '../storage/stored-json';
import { Entry } from './entry';
import { BEGINNING, endOfSegment, hashAfter, hashOf, Journal, SEGMENT } from './journal';
import type { Standing } from './standing';
import { falseSegments } from './verifying';

export interface Mending {
  /** Goes on without what cannot be had from copies. */
  readonly givesUpLost: boolean;
  /** Milliseconds. */
  readonly now: number;
  /** How long the newest segment may take to be there, milliseconds. @default that of verifying */
  readonly sealedWithinMs?: number;
}

/** By their numbers, in their order. */
export interface Mended {
  /** Entries that were written again, from their copies. */
  readonly restored: number[];
  /** Entries of which there is no copy: given up, or still missing. */
  readonly lost: number[];
  /** Segments that were missing or no true copies, and were made again. */
  readonly segments: number[];
}

interface Damage {
  readonly seq: number;
  /** What is there under its number. */
  readonly own: string | undefined;
  /** As it was written. */
  readonly right: string | undefined;
  /** What the entry after it has as `prev`; undefined where that one is lost, too, or there is none. */
  readonly next: string | undefined;
}

/** Names whoever writes an entry in the place of one that was lost. */
const WRITER = 'books restore';

/**
 * Makes the books of one user whole, as far as there are copies.
 * @param standing what they come to afterwards, where nothing is lost or it is given up
 * @throws {StorageError} where somebody else writes them at the same time
 */
export async function mend(
  storage: Storage,
  user: string,
  standing: Standing,
  { givesUpLost, now, sealedWithinMs }: Mending,
): Promise<Mended> {
  const journal = new Journal(storage, user);
  const put = async ({ seq, own }: Damage, line: string) => {
    const ref = journal.entryRef(seq);
    if (own !== undefined) {
      await storage.create(journal.replacedRef(seq, own), own);
      await storage.write(ref, line);
    } else if (!(await storage.create(ref, line)))
      throw new StorageError('unusable', `'${ref}' has been written by somebody else meanwhile`, 'run it again');
  };
  const restored: number[] = [];
  const lost: Damage[] = [];
  for await (const damage of damages(journal)) {
    if (damage.right === undefined) lost.push(damage);
    else {
      await put(damage, damage.right);
      restored.push(damage.seq);
    }
  }
  restored.reverse();
  lost.reverse();
  const numbers = lost.map(({ seq }) => seq);
  if (lost.length > 0 && !givesUpLost) return { restored, lost: numbers, segments: [] };
  for (const damage of lost) {
    const { seq, next } = damage;
    const before = await entryBefore(journal, seq);
    const frame = {
      v: 1,
      seq,
      // A machine whose clock is behind must not make a look from before count.
      at: Math.max(now, before.at),
      prev: before.hash,
      id: randomUUID(),
      worker: WRITER,
    } as const;
    await put(damage, storedJson({ ...frame, kind: 'lost', ...(next !== undefined && { next }) } satisfies Entry));
  }
  const segments: number[] = [];
  for await (const { n, copy } of falseSegments(journal, standing, sealedWithinMs)) {
    if (copy !== undefined) await storage.create(journal.replacedRef(n * SEGMENT, copy), copy);
    await journal.seal(n * SEGMENT, 'write');
    segments.push(n);
  }
  return { restored, lost: numbers, segments };
}

/** All entries that are not as they were written, the last first. */
async function* damages(journal: Journal): AsyncGenerator<Damage> {
  let next: string | undefined;
  for (let end = await journal.highest(); end > 0; ) {
    const first = end - ((end - 1) % SEGMENT);
    const copies = (await journal.stored(journal.segmentRef((first - 1) / SEGMENT + 1)))?.split('\n') ?? [];
    // The last of all has no other witness.
    next ??= endOfSegment(copies);
    const numbers = Array.from({ length: end - first + 1 }, (_, i) => first + i);
    const lines = await Promise.all(numbers.map((seq) => journal.stored(journal.entryRef(seq))));
    for (let seq = end; seq >= first; seq--) {
      const own = lines[seq - first];
      if (own !== undefined && isNewer(own, seq, next))
        throw new StorageError(
          'unusable',
          `'${journal.entryRef(seq)}' was written by a later version of audit-runner`,
          'restore the books with that version',
        );
      const all = [own, copies[seq - first]].flatMap((line) => writtenAs(line, seq, next) ?? []);
      const right = all.find(({ entry }) => entry.kind !== 'lost') ?? all[0];
      if (right === undefined || right.line !== own) yield { seq, own, right: right?.line, next };
      next = right?.entry.prev;
    }
    end = first - 1;
  }
}

/** @returns undefined where the line cannot be the entry of that number before one that has `next` as `prev` */
function writtenAs(line: string | undefined, seq: number, next: string | undefined) {
  const entry = line === undefined ? undefined : parseStored(line, Entry);
  if (line === undefined || entry?.seq !== seq) return undefined;
  if (seq === 1 && entry.prev !== BEGINNING.hash) return undefined;
  return next === undefined || hashAfter(entry, line) === next ? { entry, line } : undefined;
}

/** No entry of this version, and not damaged either. */
function isNewer(line: string, seq: number, next: string | undefined): boolean {
  // One of this version that was changed may look like one of a later: then the entry after it knows another hash.
  if (next !== undefined && hashOf(line) !== next) return false;
  const later = parseStored(line, Later);
  return later?.seq === seq && parseStored(line, Entry) === undefined && (later.v !== 1 || !KINDS.has(later.kind));
}
const Later = z.looseObject({ v: z.number(), seq: z.number(), prev: z.string(), kind: z.string() });
const KINDS = new Set<string>(Entry.options.map(({ shape }) => shape.kind.value));

/** What the entry before says of itself. */
async function entryBefore(journal: Journal, seq: number): Promise<{ at: number; hash: string }> {
  if (seq === 1) return { at: 0, hash: BEGINNING.hash };
  const line = (await journal.stored(journal.entryRef(seq - 1))) ?? '';
  const entry = parseStored(line, Entry);
  if (entry === undefined)
    throw new StorageError('unusable', `'${journal.entryRef(seq - 1)}' was changed meanwhile`, 'run it again');
  return { at: entry.at, hash: hashAfter(entry, line) };
}
