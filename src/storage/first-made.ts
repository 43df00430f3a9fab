/** What a run made first stands, also after a person has reset it to a moment before. */
import type { z } from 'zod';
import type { Storage } from './storage';
import { readIfThere, readStored, storedJson } from './stored-json';

/**
 * A list that a run works off is not the same once some of it is done: made again after a reset it would hold what was left out
 * before, and the run would do more in all than it may (S3).
 * @param ref where it is kept, below a folder of the run
 * @param make what is done where nothing is kept yet
 * @param isKept false for what need not stand
 * @returns `isEarlier`: it was there already
 * @throws {StorageError} `damaged`
 */
export async function firstMade<T extends object>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<T>,
  make: () => Promise<T>,
  isKept: (made: T) => boolean,
): Promise<{ made: T; isEarlier: boolean }> {
  const earlier = await readIfThere(storage, ref, schema);
  if (earlier) return { made: earlier, isEarlier: true };
  const made = await make();
  // Another attempt may have been quicker: what it has made is what its run goes by.
  if (!isKept(made) || (await storage.create(ref, storedJson(made)))) return { made, isEarlier: false };
  return { made: await readStored(storage, ref, schema), isEarlier: false };
}
