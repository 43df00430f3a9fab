/** Whether books are as they were written: every entry, every copy of it, and the ID of their storage. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Storage, StorageError } from '../storage';
import { endOfSegment, Journal, MEND, SEGMENT, segmentOf } from './journal';
import { placeIn } from './place';
import { wholly } from './reading';
import type { Standing } from './standing';

/** Whoever writes the last entry of a segment makes the segment next. */
const SEALED_WITHIN_MS = 2_000;

/** What is not as it should be beside the entries, which are whole. */
export interface Beside {
  /** Segments that are not there, and those that are no copies of the entries, by their numbers. */
  readonly missing: number[];
  readonly untrue: number[];
  /** Whether the ID of the storage can be read. */
  readonly hasPlace: boolean;
}

/**
 * Reads every document of a user's books.
 * @param standing what they come to
 * @param sealedWithinMs how long the newest segment may take to be there, milliseconds
 * @throws {StorageError} `damaged`, with the document's name, where an entry is missing or was changed
 */
export async function verify(
  storage: Storage,
  user: string,
  standing: Standing,
  sealedWithinMs = SEALED_WITHIN_MS,
): Promise<Beside> {
  const journal = new Journal(storage, user);
  const [missing, untrue]: [number[], number[]] = [[], []];
  for await (const { n, copy } of falseSegments(journal, standing, sealedWithinMs))
    (copy === undefined ? missing : untrue).push(n);
  return { missing, untrue, hasPlace: (await placeIn(storage, user)) !== undefined };
}

/** A segment that is missing, or is no true copy. */
export interface FalseSegment {
  readonly n: number;
  /** What is there in its place. */
  readonly copy: string | undefined;
}

/**
 * The segments that are no copies of the entries; every entry is read for it.
 * @param standing what they come to
 * @param sealedWithinMs how long the newest one may take to be there, milliseconds
 * @throws {StorageError} `damaged`, where an entry is missing or was changed
 */
export async function* falseSegments(
  journal: Journal,
  standing: Standing,
  sealedWithinMs = SEALED_WITHIN_MS,
): AsyncGenerator<FalseSegment> {
  let lines: string[] = [];
  let last: { segment: FalseSegment; entry: string } | undefined;
  for await (const { entry, text } of wholly(journal, standing, (place) => journal.entries(place))) {
    if (last) yield last.segment;
    last = undefined;
    if (lines.push(text) < SEGMENT) continue;
    const n = entry.seq / SEGMENT;
    const copy = await journal.stored(journal.segmentRef(n));
    if (copy !== segmentOf(lines)) last = { segment: { n, copy }, entry: text };
    lines = [];
  }
  if (!last) return;
  const { segment, entry } = last;
  if (segment.copy === undefined) {
    if (sealedWithinMs > 0) await sleep(sealedWithinMs);
    if ((await journal.stored(journal.segmentRef(segment.n))) !== undefined) return;
  } else {
    // No later entry vouches for the last one, but its copy may.
    const copied = segment.copy.split('\n');
    if (endOfSegment(copied) !== undefined && copied[SEGMENT - 1] !== entry)
      throw new StorageError(
        'damaged',
        `'${journal.entryRef(standing.seq)}' is not what its copy in '${journal.segmentRef(segment.n)}' is`,
        MEND,
      );
  }
  yield segment;
}
