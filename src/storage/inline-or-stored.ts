/**
 * The claim check: what is small stays in the workflow's history, what is large goes to the storage and leaves a
 * reference. Lists become JSON Lines and are written and read as streams.
 */
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { type Storage, StorageError } from './storage';

/** A value, or where it is kept. The types of workflows use this; only activities open it. */
export type InlineOrStored<T> =
  | { readonly inline: T }
  /** `ref` ends in `.jsonl` for a list and in `.json` for anything else. */
  | { readonly ref: string; readonly bytes: number };

/** Bytes of JSON up to which a value stays inline. */
export const MAX_INLINE_BYTES = 64 * 1024;

/**
 * Keeps a value. Repeatable for the same value; where another attempt may keep another value, each needs its own `ref`.
 * @param ref reference without its ending
 * @throws {TypeError} for a value, or an entry of a list, that JSON has no word for
 */
export async function keep<T>(
  storage: Storage,
  ref: string,
  value: T,
  maxInlineBytes: number = MAX_INLINE_BYTES,
): Promise<InlineOrStored<T>> {
  if (Array.isArray(value)) {
    if (fits(value, maxInlineBytes)) return { inline: value };
    const stored = await storage.write(`${ref}.jsonl`, chunks(value), { contentType: 'application/jsonl' });
    return { ref: stored.ref, bytes: stored.size };
  }
  const json = toJson(value);
  if (Buffer.byteLength(json) <= maxInlineBytes) return { inline: value };
  const stored = await storage.write(`${ref}.json`, json, { contentType: 'application/json' });
  return { ref: stored.ref, bytes: stored.size };
}

/**
 * Opens what was kept, checked by its schema.
 * @throws {StorageError} `notFound`, or `damaged` when it is not as long as what was written or is no JSON
 */
export async function open<T>(storage: Storage, kept: InlineOrStored<T>, schema: z.ZodType<T>): Promise<T> {
  if ('inline' in kept) return schema.parse(kept.inline);
  if (!kept.ref.endsWith('.jsonl')) {
    let text = '';
    for await (const line of lines(storage, kept)) text += `${line}\n`;
    return schema.parse(fromJson(text, kept.ref));
  }
  const entries: unknown[] = [];
  for await (const line of lines(storage, kept)) entries.push(fromJson(line, kept.ref));
  return schema.parse(entries);
}

/**
 * The entries of a kept list, one at a time, so that a long list is never in memory whole.
 * @throws {StorageError} as {@link open}; a wrong length shows at the end
 */
export async function* openEach<T>(
  storage: Storage,
  kept: InlineOrStored<readonly T[]>,
  entry: z.ZodType<T>,
): AsyncGenerator<T> {
  if ('inline' in kept) yield* z.array(entry).parse(kept.inline);
  else for await (const line of lines(storage, kept)) yield entry.parse(fromJson(line, kept.ref));
}

function toJson(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`a ${typeof value} cannot be kept as JSON`);
  return json;
}

function fromJson(text: string, ref: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StorageError('damaged', `The document '${ref}' is not the JSON that was written.`);
  }
}

/** Whether a list's JSON is short enough; stops counting where it is not. */
function fits(values: readonly unknown[], most: number): boolean {
  let bytes = 2;
  for (const value of values) {
    bytes += Buffer.byteLength(toJson(value)) + 1;
    if (bytes > most) return false;
  }
  return true;
}

const CHUNK = 64 * 1024;

/** Lines in pieces of a useful size: a write for each line would make a long list slow. */
async function* chunks(values: readonly unknown[]): AsyncGenerator<string> {
  let chunk = '';
  for (const value of values) {
    chunk += `${toJson(value)}\n`;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

/** Lines end at '\n' alone: `node:readline` also ends them at U+2028, which JSON leaves as it is inside a text. */
async function* lines(storage: Storage, kept: { ref: string; bytes: number }): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  let rest = '';
  for await (const chunk of await storage.read(kept.ref)) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    const parts = (rest + decoder.write(buffer)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
  if (bytes !== kept.bytes)
    throw new StorageError(
      'damaged',
      `The document '${kept.ref}' has ${bytes} bytes, not the ${kept.bytes} that were written.`,
    );
}
