/** What the books say, for a run that waits for it: it tells people why it waits, which nobody else sees (S7). */
import { rootMessage } from '../root-cause';
import { type Storage, StorageError } from '../storage';
import { within } from '../time/within';

const ANSWER_WITHIN_MS = 30_000;

/**
 * @param withinMs how long it waits for the storage
 * @throws {StorageError} `unusable`, also where the books are damaged: it passes once a person has mended them
 */
export async function readSoon<T>(reading: Promise<T>, storage: Storage, withinMs = ANSWER_WITHIN_MS): Promise<T> {
  try {
    return await within(reading, withinMs, `${storage.describe()} does not answer in time`);
  } catch (error) {
    throw error instanceof StorageError && error.kind === 'unusable'
      ? error
      : new StorageError('unusable', `the books in the storage cannot be read: ${rootMessage(error)}`);
  }
}
