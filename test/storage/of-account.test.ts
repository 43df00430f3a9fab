import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage, type Storage } from '../../src/storage';
import { inAccount } from '../../src/storage/account-folder';
import { givenRef } from '../../src/storage/of-account';

let root: string;
let storage: Storage;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'of-account-'));
  storage = openStorage(root);
});
afterEach(() => rm(root, { recursive: true }));

it("means the account's own document, and the one that all share only where it has none of this name", async () => {
  await storage.write('plans/a.pdf', 'shared');
  expect(await givenRef(storage, 'north', 'plans/a.pdf')).toBe('plans/a.pdf');
  await storage.write(inAccount('north', 'plans/a.pdf'), 'own');
  expect(await givenRef(storage, 'north', 'plans/a.pdf')).toBe('accounts/north/plans/a.pdf');
  expect(await givenRef(storage, 'north', 'accounts/north/plans/a.pdf')).toBe('accounts/north/plans/a.pdf');
  expect(await givenRef(storage, 'south', 'plans/a.pdf')).toBe('plans/a.pdf');
  // Nowhere: whoever opens it says so.
  expect(await givenRef(storage, 'north', 'plans/b.pdf')).toBe('plans/b.pdf');
});

const OF_OTHERS = /^The reference is refused: it belongs to another account: give one below accounts\/north\/\.$/;
const RECORD = /^The reference is refused: what audit-runner notes there for itself is no document/;
const RESULT = /^The reference is refused: it is a result that does not say which account it belongs to: copy it/;

it.each([
  ['accounts/south/plans/a.pdf', OF_OTHERS],
  ['accounts/north-2/plans/a.pdf', OF_OTHERS],
  ['accounts/north', OF_OTHERS],
  ['Accounts/South/plans/a.pdf', OF_OTHERS],
  ['ACCOUNTS/north/plans/a.pdf', OF_OTHERS],
  ['accountſ/south/plans/a.pdf', OF_OTHERS],
  ['acc\u200Counts/south/plans/a.pdf', OF_OTHERS],
  ['acc\u00ADounts/south/plans/a.pdf', OF_OTHERS],
  ['accounts./south/plans/a.pdf', OF_OTHERS],
  ['accounts /south/plans/a.pdf', OF_OTHERS],
  ['ACCOUN~1/south/plans/a.pdf', /its first name may be the short form of another one/],
  ['books/user/000001.json', RECORD],
  ['Books/user/000001.json', RECORD],
  ['projects-made/south/0f.json', RECORD],
  ['documents-made/south/p/0f.json', RECORD],
  ['calls-made/south/x.json', RECORD],
  ['sweeps/south.json', RECORD],
  ['notes/south/0f.json', RECORD],
  ['audits/project/analysis/report.html', RESULT],
  ['captures/1/capture.json', RESULT],
  ['calls/run/1.json', RESULT],
  ['runs/1/result.jsonl', RESULT],
  ['backfills/south/1/notes/2.txt', RESULT],
  ['backfills/unknown/1/notes/2.txt', RESULT],
  ['backfills/north', RESULT],
  ['accounts/north/../south/plans/a.pdf', /^The reference \(\d+ characters\) is refused: it has '\.' or '\.\.' in it/],
])('refuses to a run of another account, or to any: %s', async (ref, sentence) => {
  await storage.write('backfills/south/1/backfill.json', JSON.stringify({ account: 'south' }));
  await expect(givenRef(storage, 'north', ref)).rejects.toThrow(
    expect.objectContaining({ kind: 'refused', message: expect.stringMatching(sentence) }),
  );
});

it('reads what a batch of an earlier version has put beside its list, for the account whose batch it is', async () => {
  await storage.write('backfills/b/1/backfill.json', JSON.stringify({ account: 'north', folder: 'backfills/b/1' }));
  const note = 'backfills/b/1/notes/2.txt';
  expect(await givenRef(storage, 'north', note)).toBe(note);
});

it('leaves the folders alone in which people keep their own', async () => {
  for (const ref of ['notes/meeting.txt', 'notes/south/meeting.txt', 'documents/a.pdf', 'a.pdf', 'booksellers/a.pdf'])
    expect(await givenRef(storage, 'north', ref)).toBe(ref);
});
