/** Lists of items in the storage, in chunks of one size, so that any item is found without reading those before it. */
import { Context } from '@temporalio/activity';
import type { z } from 'zod';
import type { ShownItem } from '../src/batches/approval-page';
import { Item } from '../src/batches/items';
import { linesOf } from '../src/batches/lines';
import { addNeeds, type Needs, noNeeds } from '../src/batches/plan';
import type { Operation } from '../src/inputs/backfill';
import type { Storage } from '../src/storage';
import { damaged, parseStored, storedJson } from '../src/storage/stored-json';
import { clip } from '../src/text/printable';

/** Items of one chunk. */
const CHUNK = 500;
/** The list of a backfill's own source; those of its retries have other names. */
export const ITEMS = 'items';

/** What preparing a list has found. */
export interface Prepared {
  needs: Needs;
  /** Rows that never became an item; they are in `quarantine.jsonl`. */
  quarantined: number;
  /** What the source has beyond the items, by why it was left, such as leads by the rules' first reason. */
  left: Record<string, number>;
  /** What a person should know of the source, one sentence each. */
  notes: string[];
  /** The first items, as people are shown them; absent in what earlier versions prepared, as is the next. */
  first?: ShownItem[];
  /** What may still be spent, in lines for a person; empty where nobody can tell. */
  mayBeSpent?: string[];
}

/** What writing a list has found. */
interface Written extends Pick<Prepared, 'needs' | 'quarantined' | 'left'> {
  first: ShownItem[];
}

/** A list that was made. */
export interface ListMade extends Written {
  notes: string[];
}

/** So many items a person reads. */
const SHOWN = 10;

/** What a source gives, one after the other. */
export type Candidate =
  | (Omit<Item, 'n'> & Pick<ShownItem, 'lead'>)
  /** To be kept under the place that it has already. */
  | Item
  /** A row that is no item. */
  | { line: number; problem: string }
  /** Not meant by the filter. */
  | { left: string };

/** Longest reason of a quarantined row, characters: its line is read again, and a line has a longest length. */
const LONGEST_REASON = 2_000;

/** A row that never became an item. */
interface Quarantined {
  line: number;
  reason: string;
}

/** Values as lines of JSON, in pieces of a useful size. */
export async function* jsonLines(
  values: AsyncIterable<object> | Iterable<object>,
  asJson: (value: object) => string = JSON.stringify,
): AsyncGenerator<string> {
  let piece = '';
  for await (const value of values) {
    piece += `${asJson(value)}\n`;
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * The values of a JSON Lines document, checked, one at a time.
 * @param unreadable gets where a line stands that cannot be read, which is then left out
 * @throws {StorageError} `notFound`; `damaged` for such a line, unless somebody wants to know of it
 */
export async function* readLines<T>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<T>,
  unreadable?: Set<string>,
): AsyncGenerator<T> {
  for await (const { line, text } of linesOf(await storage.read(ref))) {
    if (text === '') continue;
    const value = text === undefined ? undefined : parseStored(text, schema);
    if (value !== undefined) yield value;
    else if (unreadable) unreadable.add(`${ref}, line ${line}`);
    else throw damaged(`Line ${line} of the document '${ref}'`);
  }
}

/** For people. */
export const writeLines = (storage: Storage, ref: string, values: AsyncIterable<object> | Iterable<object>) =>
  storage.write(ref, jsonLines(values), { contentType: 'application/jsonl' });

/** For audit-runner itself: each line has its checksum. */
export const writeOwnLines = (storage: Storage, ref: string, values: Iterable<object>) =>
  storage.write(ref, jsonLines(values, storedJson), { contentType: 'application/jsonl' });

const chunkRef = (folder: string, list: string, chunk: number) =>
  `${folder}/${list}/${String(chunk).padStart(6, '0')}.jsonl`;

/**
 * Writes a list while it is read, and what is no item into the quarantine. Repeatable: the same candidates leave the same
 * documents. Only the identifiers of the items stay in memory, to find those that are there twice.
 */
export async function writeList(
  storage: Storage,
  { folder, list, operation }: { folder: string; list: string; operation: Operation },
  candidates: AsyncIterable<Candidate>,
): Promise<Written> {
  const needs = noNeeds();
  const first: ShownItem[] = [];
  const left: Record<string, number> = {};
  const seen = new Map<string, number | undefined>();
  let quarantined = 0;
  let chunk: Item[] = [];
  const flush = async () => {
    if (chunk.length === 0) return;
    const number = Math.ceil(needs.items / CHUNK) - 1;
    await writeOwnLines(storage, chunkRef(folder, list, number), chunk);
    chunk = [];
    Context.current().heartbeat();
  };
  async function* rejected(): AsyncGenerator<Quarantined> {
    for await (const candidate of candidates) {
      if ('left' in candidate) left[candidate.left] = (left[candidate.left] ?? 0) + 1;
      else if ('problem' in candidate) {
        quarantined++;
        yield { line: candidate.line, reason: clip(candidate.problem, LONGEST_REASON) };
      } else if (seen.has(candidate.id)) {
        const earlier = seen.get(candidate.id);
        quarantined++;
        yield {
          line: candidate.line ?? 0,
          reason: earlier === undefined ? 'is there twice' : `is the same item as line ${earlier}`,
        };
      } else {
        const { lead, ...item } = { lead: undefined, ...candidate };
        const { id, line } = item;
        seen.set(id, line);
        if (first.length < SHOWN) first.push({ id, ...(line !== undefined && { line }), ...(lead && { lead }) });
        chunk.push({ ...item, n: 'n' in item ? item.n : needs.items });
        addNeeds(needs, operation, item.input);
        if (chunk.length === CHUNK) await flush();
      }
    }
    await flush();
  }
  if (list === ITEMS) await writeLines(storage, quarantineRef(folder), rejected());
  else for await (const _ of rejected());
  return { needs, quarantined, left, first };
}

export const quarantineRef = (folder: string): string => `${folder}/quarantine.jsonl`;

/** Items of a list from a position on, in order. */
export async function* readList(
  storage: Storage,
  { folder, list, size }: { folder: string; list: string; size: number },
  from = 0,
): AsyncGenerator<Item> {
  for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < size; chunk++) {
    let position = chunk * CHUNK;
    const ref = chunkRef(folder, list, chunk);
    for await (const item of readLines(storage, ref, Item)) {
      // Without one of its lines all that follow would be taken for others. A list of retries has places of the first one.
      if (list === ITEMS && item.n !== position) throw damaged(`The document '${ref}'`);
      if (position >= from && position < size) yield item;
      position++;
    }
    if (position < Math.min(size, (chunk + 1) * CHUNK)) throw damaged(`The document '${ref}'`);
  }
}
