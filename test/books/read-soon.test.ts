/** S7: who waits for the books hears why, in a way that passes once a person has mended it. */
import { readSoon } from '../../src/books/read-soon';
import { openStorage, StorageError } from '../../src/storage';
import { at } from './books.stage';

const storage = () => openStorage(at.folder);

test('what is read in time is what it is, and a storage that does not answer is named', async () => {
  expect(await readSoon(Promise.resolve(3), storage())).toBe(3);
  await expect(readSoon(new Promise(() => undefined), storage(), 5)).rejects.toMatchObject({
    kind: 'unusable',
    message: expect.stringMatching(/^the books in the storage cannot be read: .*does not answer in time$/),
  });
});

test('damaged books do not end the run that needs them: it waits, and says which document it is', async () => {
  const damaged = new StorageError('damaged', "'books/u1/entries/0000000034.json' is not what was written there", 'x');
  await expect(readSoon(Promise.reject(damaged), storage())).rejects.toMatchObject({
    name: 'StorageUnusable',
    message: expect.stringContaining(
      "cannot be read: 'books/u1/entries/0000000034.json' is not what was written there",
    ),
  });
  const away = new StorageError('unusable', 'the books in the storage cannot be kept');
  await expect(readSoon(Promise.reject(away), storage())).rejects.toBe(away);
});
