import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notesIn, Sending } from '../../activities/kept-record';
import { FolderStorage } from '../../src/storage/folder';
import { readStored } from '../../src/storage/stored-json';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-runner-record-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('S2: what the service has taken is kept, also where the storage fails for a moment after the call', async () => {
  const storage = new FolderStorage(folder);
  const notes = notesIn(storage, 'made/one.json', Sending, { since: 1 }, () => ({}));
  await notes.before();
  const write = jest.spyOn(storage, 'write').mockRejectedValueOnce(new Error('EIO'));
  await notes.after({ kind: 'paid', credits: 0 });
  expect(write).toHaveBeenCalledTimes(2);
  expect(await readStored(storage, 'made/one.json', Sending)).toEqual({ since: 1, sent: true, taken: true });
});
