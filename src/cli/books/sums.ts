/**
 * Sums of credits by key, of any number of keys in bounded memory: what is too much is put aside in files, each with the keys of
 * one part, which are summed up one part after the other.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ten million keys in so many parts are again as many as are kept at once. */
const PARTS = 100;
const MOST_KEPT = 100_000;

type Sum = readonly [key: string, credits: number];

/** Some sums in their order, and what the others come to. */
export interface Ranked {
  readonly sums: readonly Sum[];
  /** Absent where there are none. */
  readonly others?: { readonly count: number; readonly credits: number };
}

/** Which sums are told: those of the most credits, the first the largest; or of the last keys in the order of their names. */
export type Order = 'largest' | 'last';

const ORDERS: Readonly<Record<Order, (one: Sum, other: Sum) => number>> = {
  largest: ([key, credits], [otherKey, others]) => others - credits || (key < otherKey ? -1 : 1),
  last: ([key], [other]) => (key > other ? -1 : 1),
};

export class Sums {
  #kept = new Map<string, number>();
  #parts: readonly FileHandle[] = [];

  /** @param mostKept so many keys are in memory at once */
  constructor(private readonly mostKept = MOST_KEPT) {}

  async add(key: string, credits: number): Promise<void> {
    this.#kept.set(key, (this.#kept.get(key) ?? 0) + credits);
    if (this.#kept.size > this.mostKept) await this.#putAside();
  }

  /** @param limit at most so many of them */
  async ranked(order: Order, limit: number): Promise<Ranked> {
    const compare = ORDERS[order];
    let first: Sum[] = [];
    let [count, credits] = [0, 0];
    for await (const sums of this.#all())
      for (const sum of sums) {
        count += 1;
        credits += sum[1];
        first.push(sum);
        if (first.length > 2 * limit) first = first.sort(compare).slice(0, limit);
      }
    first = first.sort(compare).slice(0, limit);
    const others = count - first.length;
    const told = first.reduce((sum, [, one]) => sum + one, 0);
    if (order === 'last') first.reverse();
    return { sums: first, ...(others > 0 && { others: { count: others, credits: credits - told } }) };
  }

  /** Nothing is left of it. */
  async close(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.close()));
  }

  async #putAside(): Promise<void> {
    if (this.#parts.length === 0) this.#parts = await unnamedFiles(PARTS);
    const lines: string[][] = this.#parts.map(() => []);
    for (const sum of this.#kept) lines[partOf(sum[0])]?.push(`${JSON.stringify(sum)}\n`);
    this.#kept = new Map();
    for (const [i, part] of this.#parts.entries()) await part.appendFile(lines[i]?.join('') ?? '');
  }

  async *#all(): AsyncGenerator<Iterable<Sum>> {
    if (this.#parts.length === 0) return yield this.#kept;
    await this.#putAside();
    for (const part of this.#parts) {
      const sums = new Map<string, number>();
      for await (const line of part.readLines({ start: 0, autoClose: false })) {
        const [key, credits]: Sum = JSON.parse(line);
        sums.set(key, (sums.get(key) ?? 0) + credits);
      }
      yield sums;
    }
  }
}

const partOf = (key: string): number => createHash('sha1').update(key).digest().readUInt32BE() % PARTS;

/** Files that only this process has, and that are gone with it. */
async function unnamedFiles(count: number): Promise<FileHandle[]> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-runner-sums-'));
  try {
    const names = Array.from({ length: count }, (_, i) => join(folder, String(i)));
    return await Promise.all(names.map((name) => open(name, 'ax+', 0o600)));
  } finally {
    await rm(folder, { recursive: true });
  }
}
