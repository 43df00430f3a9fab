/** What a run made first stands, also after a person has reset it to a moment before. */
import type { z } from 'zod';
import type { Storage } from './storage';
import { readIfThere, storedJson } from './stored-json';

/**
 * A list that a run works off is not the same once some of it is done: made again after a reset it would hold what was left out
 * before, and the run would do more in all than it may (S3).
 * @param ref where it is kept, below a folder of the run
 * @param make what is done where nothing is kept yet
 * @param isKept false for what need not stand
 * @throws {StorageError} `damaged`
 */
export async function firstMade<T extends object>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<T>,
  make: () => Promise<T>,
  isKept: (made: T) => boolean = () => true,
): Promise<T> {
  const earlier = await readIfThere(storage, ref, schema);
  if (earlier) return earlier;
  const made = await make();
  if (isKept(made)) await storage.write(ref, storedJson(made), { contentType: 'application/json' });
  return made;
}
