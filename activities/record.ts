/** What is kept in the storage of a thing that must happen once, beyond its runs and the memory of the ledger. */
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Storage } from '../src/storage';

/** From when on the thing may be there, by the service's own clock, milliseconds; and what else is known of it. */
interface Kept {
  since: number;
}

/** @returns undefined when nothing is kept */
export async function readRecord<R extends Kept>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<R>,
): Promise<R | undefined> {
  return (await storage.stat(ref)) && schema.parse(await json(await storage.read(ref)));
}

/**
 * The first run writes the record before it sends, so that a later one knows how far back to look, also where nobody
 * remembers the first.
 * @returns what is known after all, and whether nothing was known before
 */
export async function openRecord<R extends Kept>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<R>,
  known: R,
): Promise<R & { isNew: boolean }> {
  const before = await readRecord(storage, ref, schema);
  const now = { ...before, ...known, since: before?.since ?? known.since };
  if (!isDeepStrictEqual(before, now))
    await storage.write(ref, `${JSON.stringify(now)}\n`, { contentType: 'application/json' });
  return { ...now, isNew: before === undefined };
}
