import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notesIn, Sending } from '../../activities/kept-record';
import type { SendOutcome } from '../../src/paying/attempt-plan';
import { FolderStorage } from '../../src/storage/folder';
import { readStored } from '../../src/storage/stored-json';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-runner-record-'));
});
afterAll(() => rm(folder, { recursive: true }));

const REF = 'made/one.json';
const notesOf = (storage: FolderStorage) => notesIn(storage, REF, Sending, { since: 1 }, () => ({}));
const ABOUT = { lookedAt: 10, overAt: 500 };

beforeEach(() => rm(join(folder, 'made'), { recursive: true, force: true }));

test('S2: what the service has taken is kept, also where the storage fails for a moment after the call', async () => {
  const storage = new FolderStorage(folder);
  const notes = notesOf(storage);
  await notes.before(ABOUT);
  const write = jest.spyOn(storage, 'write').mockRejectedValueOnce(new Error('EIO'));
  await notes.after({ kind: 'paid', credits: 0 }, 20);
  expect(write).toHaveBeenCalledTimes(2);
  expect(await readStored(storage, REF, Sending)).toEqual({ since: 1, sent: true, taken: true, until: 20 });
});

describe('S2: a Temporal server that has gone back to a backup asks for the same once more', () => {
  const storage = () => new FolderStorage(folder);
  const left = async (outcome: SendOutcome) => {
    const notes = notesOf(storage());
    expect(await notes.before(ABOUT)).toBeUndefined();
    await notes.after(outcome, 20);
  };
  const asks = (lookedAt: number, again?: boolean) => notesOf(storage()).before({ ...ABOUT, lookedAt, again });

  test('what was taken is looked for first, and sent where a later look does not find it', async () => {
    await left({ kind: 'paid', credits: 0 });
    expect(await asks(20)).toEqual({ kind: 'stale' });
    expect(await asks(21)).toBeUndefined();
  });

  test('what may still be taken is waited for', async () => {
    await left({ kind: 'unknown', overAt: 500 });
    expect(await asks(400)).toEqual({ kind: 'open', overAt: 500 });
    expect(await asks(501)).toBeUndefined();
  });

  test("what was refused is in nobody's way", async () => {
    await left({ kind: 'notSent', reason: 'connection' });
    expect(await asks(10)).toBeUndefined();
  });

  test('a person who has looked is believed', async () => {
    await left({ kind: 'paid', credits: 0 });
    expect(await asks(10, true)).toBeUndefined();
  });
});
