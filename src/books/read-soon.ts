/** What the books say, for a run that waits for it: it tells people why it waits, which nobody else sees (S7). */
import { setTimeout as sleep } from 'node:timers/promises';
import { rootMessage } from '../root-cause';
import { type Storage, StorageError } from '../storage';

const ANSWER_WITHIN_MS = 30_000;

/**
 * @param withinMs how long it waits for the storage
 * @throws {StorageError} `unusable`, also where the books are damaged: it passes once a person has mended them
 */
export async function readSoon<T>(reading: Promise<T>, storage: Storage, withinMs = ANSWER_WITHIN_MS): Promise<T> {
  const unreadable = (why: string) => new StorageError('unusable', `the books in the storage cannot be read: ${why}`);
  const late = new AbortController();
  const error = unreadable(`${storage.describe()} does not answer in time`);
  const found = await Promise.race([
    reading.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    sleep(withinMs, { error }, { ref: false, signal: late.signal }),
  ]);
  late.abort();
  if ('value' in found) return found.value;
  throw found.error instanceof StorageError && found.error.kind === 'unusable'
    ? found.error
    : unreadable(rootMessage(found.error));
}
