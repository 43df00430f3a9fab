/** The item ledger in the storage: parts while it goes on, one document at the end, one line for each item (S6). */
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { Item } from '../src/batches/items';
import { type Counts, type Ended, LedgerLine, noCounts } from '../src/batches/outcomes';
import { type Storage, StorageError } from '../src/storage';
import { counted } from '../src/text/numbers';
import { ITEMS, quarantineRef, readLines, readList, writeLines, writeOwnLines } from './backfill-list';

/** With how many lines its part has; absent from those of earlier versions. */
const PartLine = LedgerLine.extend({ of: z.int().optional() });

const partRef = (folder: string, part: number) => `${folder}/ledger/${String(part).padStart(6, '0')}.jsonl`;

/** Writes one part. Repeatable: the same part has the same lines. */
export const writePart = (storage: Storage, folder: string, part: number, lines: readonly LedgerLine[]) =>
  writeOwnLines(
    storage,
    partRef(folder, part),
    lines.map((line) => ({ ...line, of: lines.length })),
  );

/**
 * The lines of all parts, in the order in which the items ended; one that was tried again is there more than once. By their
 * numbers: a list may not show the last ones yet.
 * @param parts how many there are; absent: as many as are found. What lies behind them was written before the run was reset, or
 * before the server went back to a backup
 */
async function* readParts(
  storage: Storage,
  folder: string,
  unreadable: Set<string>,
  parts = Number.POSITIVE_INFINITY,
): AsyncGenerator<LedgerLine> {
  for (let part = 0; part < parts; part++) {
    const ref = partRef(folder, part);
    try {
      // One request for each: of 100,000 items there are thousands.
      yield* linesOfPart(storage, ref, unreadable);
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'notFound') throw error;
      if (parts === Number.POSITIVE_INFINITY) return;
      unreadable.add(`${ref}, which is missing`);
    }
  }
}

/** A part may end with any of its lines where it was cut. */
async function* linesOfPart(storage: Storage, ref: string, unreadable: Set<string>): AsyncGenerator<LedgerLine> {
  const wrong = new Set<string>();
  let lines = 0;
  let wanted = 1;
  for await (const { of = 0, ...line } of readLines(storage, ref, PartLine, wrong)) {
    lines++;
    wanted = Math.max(wanted, of);
    yield line;
  }
  if (lines + wrong.size < wanted) wrong.add(`${ref}, after line ${lines + wrong.size}`);
  for (const where of wrong) unreadable.add(where);
}

/**
 * The places of the items whose last word is one of these, in order; those that have none count as `unbegun`.
 * @param spent gets the credits of all tries, by place, where there are any
 */
export async function placesOf(
  storage: Storage,
  folder: string,
  size: number,
  wanted: readonly string[],
  unbegun: string,
  parts?: number,
  spent = new Map<number, number>(),
): Promise<Set<number>> {
  const last = new Map<number, string>();
  for await (const { n, outcome, credits } of readParts(storage, folder, new Set(), parts)) {
    if (n === undefined) continue;
    last.set(n, outcome);
    if (credits > 0) spent.set(n, (spent.get(n) ?? 0) + credits);
  }
  const places = new Set<number>();
  for (let n = 0; n < size; n++) if (wanted.includes(last.get(n) ?? unbegun)) places.add(n);
  return places;
}

export interface Concluded {
  counts: Counts;
  /** Items that did not go well, by outcome and reason. */
  reasons: Record<string, number>;
  /** The first of those that have failed; absent from workers of earlier versions. */
  failed?: Pick<LedgerLine, 'id' | 'run' | 'reason'>[];
  credits: number;
  /** What a person should know of it, one sentence each. */
  notes: string[];
  /** References. */
  files: { ledger: string; quarantine: string };
}

/** Why items from this place on were not begun. */
export interface Unbegun {
  from: number;
  reason: string;
}

const Quarantine = z.object({ line: z.number(), reason: z.string() });

/** Most kinds of reasons that a result lists. */
const MOST_REASONS = 50;

export interface Concluding {
  folder: string;
  /** Items of the list, and how many of them were begun. */
  size: number;
  begun: number;
  /** Why the others were left: from which place on for which reason, in order. */
  unbegun: readonly Unbegun[];
  /** Parts that were written; absent in runs of before. */
  parts?: number;
}

/** Failed items that the page names. */
const MOST_FAILED = 10;

/** Lines that a note names. */
const MOST_NAMED = 20;

/**
 * Brings the parts together: one line for each item, its last word; then what was never begun, then the quarantine.
 * @param endOf what became of an item that was begun and has no line, or whose last one may be lost, by its own run
 */
export async function writeLedger(
  storage: Storage,
  { folder, size, begun, unbegun, parts }: Concluding,
  endOf: (item: Pick<Item, 'workflowId'>) => Promise<Ended>,
): Promise<Concluded> {
  const unreadable = new Set<string>();
  const unreadableRows = new Set<string>();
  const counts = noCounts();
  const reasons: Record<string, number> = {};
  const failed: NonNullable<Concluded['failed']> = [];
  let credits = 0;
  const whyNot = (n: number) => unbegun.findLast(({ from }) => from <= n)?.reason ?? 'notBegun';
  // Two passes, so that of 100,000 lines only numbers are in memory: the first finds out which word is the last.
  const lastLine = new Int32Array(size).fill(-1);
  let index = 0;
  for await (const { n } of readParts(storage, folder, unreadable, parts)) {
    if (n !== undefined && n < size) lastLine[n] = index;
    index++;
  }
  const count = (line: LedgerLine): LedgerLine => {
    counts[line.outcome]++;
    credits += line.credits;
    const { outcome, id, run, reason } = line;
    if (outcome === 'failed' && failed.length < MOST_FAILED) failed.push({ id, run, reason });
    if (line.outcome === 'done' || line.outcome === 'alreadyDone') return line;
    const why = line.outcome === 'quarantined' ? line.outcome : `${line.outcome}: ${line.reason ?? 'unknown'}`;
    if (why in reasons || Object.keys(reasons).length < MOST_REASONS) reasons[why] = (reasons[why] ?? 0) + 1;
    return line;
  };
  /** Of one that failed, and was tried again, the later word may stand in what is lost. */
  async function lastWord(line: LedgerLine): Promise<LedgerLine> {
    if (unreadable.size === 0 || line.outcome !== 'failed' || line.run === undefined) return line;
    const ended = await endOf({ workflowId: line.run });
    if (ended.outcome !== 'done' && ended.outcome !== 'alreadyDone') return line;
    const { reason: _, ...rest } = line;
    return { ...rest, ...ended, credits: Math.max(line.credits, ended.credits) };
  }
  let unlisted = 0;
  async function* lines(): AsyncGenerator<LedgerLine> {
    let at = 0;
    // What an earlier try of the same item has cost is part of its sum.
    const spent = new Map<number, number>();
    for await (const line of readParts(storage, folder, unreadable, parts)) {
      const { n } = line;
      if (n === undefined || n >= size) continue;
      if (lastLine[n] === at) yield count(await lastWord({ ...line, credits: line.credits + (spent.get(n) ?? 0) }));
      else if (line.credits > 0) spent.set(n, (spent.get(n) ?? 0) + line.credits);
      at++;
    }
    for await (const item of readList(storage, { folder, list: ITEMS, size })) {
      const { n, line, id, workflowId } = item;
      if (lastLine[n] !== -1) continue;
      const about = { n, ...(line !== undefined && { line }), id };
      if (n >= begun) yield count({ ...about, outcome: 'skipped', reason: whyNot(n), credits: 0 });
      else {
        unlisted++;
        yield count({ ...about, ...(await endOf(item)), run: workflowId });
      }
      Context.current().heartbeat();
    }
    for await (const { line, reason } of rejected()) yield count({ line, outcome: 'quarantined', reason, credits: 0 });
    const reason = 'its line in the quarantine cannot be read';
    for (const _ of unreadableRows) yield count({ outcome: 'quarantined', reason, credits: 0 });
  }
  async function* rejected() {
    try {
      yield* readLines(storage, quarantineRef(folder), Quarantine, unreadableRows);
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'notFound') throw error;
    }
  }
  const { ref } = await writeLines(storage, `${folder}/ledger.jsonl`, lines());
  const notes = [
    ...(unlisted > 0 && unreadable.size === 0
      ? [`The item ledger has no line of ${counted(unlisted, 'item')}: each was asked for by its own run.`]
      : []),
    ...noteOf(unreadable, 'of the item ledger', "what became of the items was asked of the items' own runs"),
    ...noteOf(unreadableRows, 'of the quarantine', 'why those rows are no items is not told'),
  ];
  return { counts, reasons, failed, credits, notes, files: { ledger: ref, quarantine: quarantineRef(folder) } };
}

/** @param otherwise what is done without these lines, as a clause */
function noteOf(unreadable: ReadonlySet<string>, ofWhat: string, otherwise: string): string[] {
  if (unreadable.size === 0) return [];
  const named = [...unreadable].slice(0, MOST_NAMED).join('; ');
  return [`${counted(unreadable.size, 'line')} ${ofWhat} could not be read; ${otherwise}. Where: ${named}.`];
}
