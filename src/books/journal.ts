/**
 * The entries as they are stored: one document each, created only where nobody has, under the next number. None is ever removed:
 * whoever is behind would find its number free, and go on with books of its own. Copies of fifty each, the segments, are there
 * to be read fast: where one is missing, or is no true copy, the entries themselves are read.
 */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type Storage, StorageError } from '../storage';
import { parseStored, storedJson } from '../storage/stored-json';
import { PROGRAM } from '../text/command';
import { Entry } from './entry';

/** Where the books of all users are. */
export const BOOKS = 'books/';

/** An entry as it was found. */
export interface Found {
  readonly entry: Entry;
  readonly text: string;
  readonly hash: string;
}

/** A place in the books: the number of an entry, and its hash. */
export interface Place {
  readonly seq: number;
  readonly hash: string;
}

export const BEGINNING: Place = { seq: 0, hash: '' };

/** Entries of one segment. */
export const SEGMENT = 50;
/** Documents that are read at once by whoever is far behind. */
const MOST_AHEAD = 16;
/** Entries whose names begin alike: what may be there without a segment is in one such block, or in the next. */
const BLOCK_DIGITS = 3;

const ENTRY_NAME = /\/(\d{10})\.json$/;
const SEGMENT_NAME = /\/(\d{10})\.jsonl$/;

export const hashOf = (line: string): string => createHash('sha256').update(line).digest('hex');
/** What the entry after this one has as `prev`: its hash, or that of the lost one in whose place it is. */
export const hashAfter = (entry: Entry, line: string): string =>
  entry.kind === 'lost' && entry.next !== undefined ? entry.next : hashOf(line);
const numbered = (n: number): string => String(n).padStart(10, '0');

export class Journal {
  readonly #root: string;

  /** @param user names the books of one user of the service: letters, digits and hyphens */
  constructor(
    private readonly storage: Storage,
    user: string,
  ) {
    this.#root = `${BOOKS}${user}/`;
  }

  entryRef(seq: number): string {
    return `${this.#root}entries/${numbered(seq)}.json`;
  }

  segmentRef(n: number): string {
    return `${this.#root}segments/${numbered(n)}.jsonl`;
  }

  /** Where what restoring has overwritten is kept. */
  replacedRef(seq: number, line: string): string {
    return `${this.#root}replaced/${numbered(seq)}-${hashOf(line).slice(0, 16)}.json`;
  }

  /**
   * The entries after a place, each checked against the one before; as many at once as there are segments.
   * @throws {StorageError} `damaged`, with the document's name
   */
  async *after(place: Place): AsyncGenerator<Found> {
    let last = place;
    for (;;) {
      const from = last.seq;
      for await (const found of this.#sealed(last)) {
        last = toPlace(found);
        yield found;
      }
      for await (const found of this.entries(last, lastOfSegment(last.seq))) {
        last = toPlace(found);
        yield found;
      }
      if (last.seq === from || !endsSegment(last.seq)) return;
    }
  }

  /**
   * The entries after a place, each from its own document and checked against the one before.
   * @throws {StorageError} `damaged`, with the document's name
   */
  async *entries(place: Place, end = Number.POSITIVE_INFINITY): AsyncGenerator<Found> {
    let last = place;
    for await (const { ref, line } of this.#documents((seq) => this.entryRef(seq), last.seq + 1, end)) {
      const found = follow(line, last);
      if (found === undefined) throw damaged(`'${ref}' is not what was written there`);
      yield found;
      last = toPlace(found);
    }
  }

  /** Whether the last entry before a place is still there, as it was. */
  async has({ seq, hash }: Place): Promise<boolean> {
    if (seq === BEGINNING.seq) return true;
    const line = await this.stored(this.entryRef(seq));
    const entry = line === undefined ? undefined : parseStored(line, Entry);
    return line !== undefined && entry !== undefined && hashAfter(entry, line) === hash;
  }

  /** Copies the segment that ends with this entry, where nobody has yet. @param how `write`: over what is there */
  async seal(seq: number, how: 'create' | 'write' = 'create'): Promise<void> {
    const lines = await this.#linesUpTo(seq);
    if (lines.length === SEGMENT) await this.storage[how](this.segmentRef(seq / SEGMENT), segmentOf(lines));
  }

  /** Whether anything was ever written: an entry, or a segment of entries that are gone. */
  async isBegun(): Promise<boolean> {
    for (const ref of [this.entryRef(1), this.segmentRef(1)]) if (await this.storage.stat(ref)) return true;
    return (await this.highest()) > 0;
  }

  /**
   * The highest number that anything stored has after an entry, 0 by default: nothing may be missing before it. Lists, which
   * reading does not.
   * @returns 0 without any
   */
  async highest(after = 0): Promise<number> {
    const sealed = Math.floor(after / SEGMENT);
    const [segment, entry] = await Promise.all([
      highestOf(this.#numbers('segments/', SEGMENT_NAME, this.segmentRef(sealed))),
      highestOf(this.#numbers('entries/', ENTRY_NAME, this.entryRef(after))),
    ]);
    return Math.max(SEGMENT * segment, entry);
  }

  /**
   * The same for whoever has read up to an entry and knows the segments, without listing all: only of more than a
   * thousand entries that are missing at once, and have no segment, it sees nothing.
   */
  async highestFrom(seq: number, segments: readonly number[]): Promise<number> {
    const blocks = [seq + 1, seq + 1 + 10 ** BLOCK_DIGITS].map((one) => numbered(one).slice(0, -BLOCK_DIGITS));
    const entries = blocks.map((block) => highestOf(this.#numbers(`entries/${block}`, ENTRY_NAME)));
    return Math.max(SEGMENT * (segments.at(-1) ?? 0), ...(await Promise.all(entries)));
  }

  /** The numbers of the segments that are there, in their order. */
  async segments(): Promise<number[]> {
    const found: number[] = [];
    for await (const n of this.#numbers('segments/', SEGMENT_NAME)) found.push(n);
    return found;
  }

  async *#numbers(prefix: string, name: RegExp, after?: string): AsyncGenerator<number> {
    for await (const { ref } of this.storage.list(this.#root + prefix, after)) {
      const n = name.exec(ref)?.[1];
      if (n !== undefined) yield Number(n);
    }
  }

  /** @throws {StorageError} `damaged` where reading ended before the highest number */
  mustEndAt(seq: number, highest: number): void {
    if (seq < highest) throw damaged(`'${this.entryRef(seq + 1)}' is missing, though later entries are there`);
  }

  /**
   * Writes an entry under its number. What could not be read again is not written.
   * @returns its hash; undefined when the number is taken
   * @throws {StorageError} `refused`
   */
  async write(entry: Entry): Promise<string | undefined> {
    const line = storedJson(entry);
    if (parseStored(line, Entry) === undefined)
      throw new StorageError(
        'refused',
        'what is to be written into the books is no entry: a number or text is out of bounds',
      );
    return (await this.storage.create(this.entryRef(entry.seq), line)) ? hashAfter(entry, line) : undefined;
  }

  /** What the segment that ends with this entry is a copy of. */
  async #linesUpTo(seq: number): Promise<string[]> {
    const lines: string[] = [];
    const entries = this.#documents((one) => this.entryRef(one), seq - SEGMENT + 1, seq);
    for await (const { line } of entries) lines.push(line);
    return lines;
  }

  /** Entries by the segments after a place, until one is missing or does not follow. */
  async *#sealed(place: Place): AsyncGenerator<Found> {
    if (!endsSegment(place.seq)) return;
    let last = place;
    for await (const { line } of this.#documents((n) => this.segmentRef(n), place.seq / SEGMENT + 1)) {
      const segment: Found[] = [];
      const lines = line.split('\n');
      if (lines.length !== SEGMENT + 1) return;
      for (const entry of lines.slice(0, SEGMENT)) {
        const found = follow(entry, last);
        if (found === undefined) return;
        segment.push(found);
        last = toPlace(found);
      }
      // Nothing after it vouches for the last.
      if (lines[SEGMENT] !== hashOf(lines[SEGMENT - 1] ?? '')) return;
      yield* segment;
    }
  }

  /** Documents one after the other, up to `end` or until one is missing: the further it gets, the more are read at once. */
  async *#documents(
    refOf: (n: number) => string,
    first: number,
    end = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<{ ref: string; line: string }> {
    for (let next = first, ahead = 1; next <= end; ahead = Math.min(MOST_AHEAD, 2 * ahead)) {
      const refs = Array.from({ length: Math.min(ahead, end - next + 1) }, (_, i) => refOf(next + i));
      const lines = await Promise.all(refs.map((ref) => this.stored(ref)));
      for (const [i, line] of lines.entries()) {
        if (line === undefined) return;
        yield { ref: refs[i] ?? '', line };
      }
      next += refs.length;
    }
  }

  /** A document as it is stored. @returns undefined where there is none */
  async stored(ref: string): Promise<string | undefined> {
    try {
      return await text(await this.storage.read(ref));
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'notFound') return undefined;
      throw error;
    }
  }
}

const damaged = (found: string): StorageError => new StorageError('damaged', found, MEND);
export const MEND = `have your administrator run \`${PROGRAM} books restore\``;

/** The entries, one a line, and the hash of the last. */
export const segmentOf = (lines: readonly string[]): string => [...lines, hashOf(lines.at(-1) ?? '')].join('\n');
/** What comes after a segment has this as `prev`; undefined where the segment does not say, or not the truth. */
export function endOfSegment(lines: readonly string[]): string | undefined {
  const last = lines[SEGMENT - 1] ?? '';
  if (lines.length !== SEGMENT + 1 || lines[SEGMENT] !== hashOf(last)) return undefined;
  const entry = parseStored(last, Entry);
  return entry && hashAfter(entry, last);
}
async function highestOf(numbers: AsyncIterable<number>): Promise<number> {
  let highest = 0;
  for await (const n of numbers) highest = Math.max(highest, n);
  return highest;
}
const toPlace = ({ entry, hash }: Found): Place => ({ seq: entry.seq, hash });
const endsSegment = (seq: number): boolean => seq % SEGMENT === 0;
const lastOfSegment = (seq: number): number => seq - (seq % SEGMENT) + SEGMENT;

/** @returns undefined where the line is not the entry after the last */
function follow(line: string, last: Place): Found | undefined {
  const entry = parseStored(line, Entry);
  if (entry?.seq !== last.seq + 1 || entry.prev !== last.hash) return undefined;
  return { entry, text: line, hash: hashAfter(entry, line) };
}
