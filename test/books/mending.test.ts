/** S8: books of which something was lost are made whole again, or go on without it. */
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mend } from '../../src/books/mending';
import { linesOf } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { verify } from '../../src/books/verifying';
import { CLOCK_TOLERANCE_MS } from '../../src/paying/open-sends';
import { openStorage } from '../../src/storage';
import { at, booksOf, entries, paid, pay, sealedAgain, storageWith } from './books.stage';

const numbered = (n: number) => String(n).padStart(10, '0');
const entry = (n: number) => join(entries(), `${numbered(n)}.json`);
const segment = (n: number) => join(at.folder, 'books', 'u1', 'segments', `${numbered(n)}.jsonl`);
const change = (file: string, how: (text: string) => string) => {
  const text = readFileSync(file, 'utf8');
  const changed = how(text);
  expect(changed).not.toBe(text);
  writeFileSync(file, changed);
};
const snapshot = () =>
  [...readdirSync(entries()).map((name) => join(entries(), name)), segment(1), segment(2)].map((file) =>
    readFileSync(file, 'utf8'),
  );
const mended = (givesUpLost = false) =>
  mend(openStorage(at.folder), 'u1', new Standing('UTC'), { givesUpLost, now: at.now });
const isWhole = async () =>
  expect(await verify(openStorage(at.folder), 'u1', new Standing('UTC'))).toEqual({
    ...{ missing: [], untrue: [], hasPlace: true },
  });
const spent = async () => (await booksOf('later').standing()).spentIn('2026-11-30', at.now);
const dearer = (text: string) => text.replace('"credits":1000', '"credits":9000');
const forged = (text: string) => sealedAgain(dearer(text));

/** Sixty payments: 121 entries (the first one begins the books), two segments, and 21 entries that no segment has yet. */
beforeEach(async () => {
  const books = booksOf('w1');
  for (let n = 0; n < 60; n++) {
    await pay(books, `l${n}`);
    await paid(books, `l${n}`);
  }
  await books.close();
});

test('what has a copy is written again byte for byte, whatever was done to it', async () => {
  const before = snapshot();
  for (const n of [1, 2, 49, 50, 51, 77]) unlinkSync(entry(n));
  change(entry(7), dearer);
  change(entry(8), (text) => text.slice(0, 90));
  change(entry(100), dearer);
  writeFileSync(entry(30), '');
  await expect(isWhole()).rejects.toThrow('0000000001.json');
  expect(await mended()).toEqual({ restored: [1, 2, 7, 8, 30, 49, 50, 51, 77, 100], lost: [], segments: [] });
  await isWhole();
  expect(snapshot()).toEqual(before);
  expect(await mended()).toEqual({ restored: [], lost: [], segments: [] });
});

test('a segment that is no true copy is copied again, and never believed against the entries', async () => {
  const before = snapshot();
  change(segment(1), dearer);
  change(segment(2), (text) => text.slice(0, 500));
  expect(await mended()).toEqual({ restored: [], lost: [], segments: [1, 2] });
  await isWhole();
  expect(snapshot()).toEqual(before);
});

test('a segment that is missing is named, and copied again', async () => {
  const before = snapshot();
  for (const n of [1, 2]) unlinkSync(segment(n));
  expect(await verify(openStorage(at.folder), 'u1', new Standing('UTC'))).toMatchObject({
    missing: [1, 2],
    untrue: [],
  });
  expect(await mended()).toEqual({ restored: [], lost: [], segments: [1, 2] });
  await isWhole();
  expect(snapshot()).toEqual(before);
});

test('a segment that is being written while all is read is not missing', async () => {
  for (let n = 101; n <= 121; n++) unlinkSync(entry(n));
  const copy = readFileSync(segment(2));
  unlinkSync(segment(2));
  const verified = verify(openStorage(at.folder), 'u1', new Standing('UTC'));
  setTimeout(() => writeFileSync(segment(2), copy), 1_000);
  expect(await verified).toMatchObject({ missing: [] });
});

test('what is written while all is read is read as well, and is no hole', async () => {
  const books = booksOf('w2');
  const storage = storageWith((real) => ({
    list: async function* (prefix, after) {
      if (prefix?.includes('/entries/')) await pay(books, 'late');
      yield* real.list(prefix, after);
    },
  }));
  const standing = new Standing('UTC');
  expect(await verify(storage, 'u1', standing)).toMatchObject({ missing: [], untrue: [] });
  expect(standing.seq).toBe(122);
});

test('the last entry of a segment has the segment as its witness', async () => {
  for (let n = 101; n <= 121; n++) unlinkSync(entry(n));
  const before = snapshot();
  change(entry(100), forged);
  await expect(isWhole()).rejects.toThrow(
    "entries/0000000100.json' is not what its copy in 'books/u1/segments/0000000002.jsonl' is",
  );
  expect(await mended()).toEqual({ restored: [100], lost: [], segments: [] });
  expect(snapshot()).toEqual(before);
});

test('the last entry of all has no witness but its own checksum, and is found where a digit of it was changed', async () => {
  change(entry(121), dearer);
  await expect(isWhole()).rejects.toThrow('0000000121.json');
  await expect(booksOf('w2').standing()).rejects.toThrow('0000000121.json');
  expect(await mended()).toMatchObject({ lost: [121] });
});

test('what has none stays missing until a person gives it up; then the books go on, and say how many they lack', async () => {
  unlinkSync(entry(104));
  unlinkSync(entry(105));
  change(entry(111), dearer);
  unlinkSync(entry(60));
  unlinkSync(segment(2));
  const lost = [60, 104, 105, 111];
  expect(await mended()).toEqual({ restored: [], lost, segments: [] });
  await expect(spent()).rejects.toThrow('0000000060.json');
  expect(await mended(true)).toEqual({ restored: [], lost, segments: [2] });
  await isWhole();
  // Lost are the reservation of l29, both entries of l51, and what became of l54, which stays reserved.
  expect(await spent()).toBe(59_000);
  const standing = new Standing('UTC');
  for await (const _ of linesOf(openStorage(at.folder), 'u1', standing));
  expect(standing.lost).toBe(4);
  expect(Object.keys(standing.sends.open)).toEqual(['lead:l54']);
  // It may have been a payment: an older look proves nothing any more.
  const books = booksOf('w2');
  expect(await pay(books, 'l51', { lookedAt: at.now - 1 })).toEqual({ kind: 'stale' });
  expect(await pay(books, 'new', { lookedAt: at.now + 1 })).toBeUndefined();
  await paid(books, 'new');
  await books.close();
  await isWhole();
});

test('a process that knew the lost end goes on after it, and what it wrote follows what was given up', async () => {
  const alive = booksOf('w2');
  expect((await alive.standing()).seq).toBe(121);
  for (const n of [119, 120, 121]) unlinkSync(entry(n));
  await pay(alive, 'l60');
  await expect(spent()).rejects.toThrow('0000000119.json');
  expect(await mended(true)).toEqual({ restored: [], lost: [119, 120, 121], segments: [] });
  await paid(alive, 'l60');
  await isWhole();
  // Both entries of l59 are lost, and what became of l58, which stays reserved.
  expect(await spent()).toBe(60_000);
});

test('a process that is alive notices that the storage went back, and says what is there', async () => {
  const alive = booksOf('w2');
  expect((await alive.standing()).spentIn('2026-11-30', at.now)).toBe(60_000);
  for (let n = 90; n <= 121; n++) unlinkSync(entry(n));
  unlinkSync(segment(2));
  expect((await alive.standing()).spentIn('2026-11-30', at.now)).toBe(44_000);
});

test('a segment is sealed and read with entries that were given up, also as its last one', async () => {
  for (const n of [99, 100]) unlinkSync(entry(n));
  unlinkSync(segment(2));
  expect((await mended(true)).lost).toEqual([99, 100]);
  const books = booksOf('w2');
  expect((await books.standing()).lost).toBe(2);
  await books.close();
  expect(readFileSync(segment(2), 'utf8').split('\n')).toHaveLength(51);
  for (let n = 51; n <= 100; n++) unlinkSync(entry(n));
  // What became of l48 is lost, and the reservation of l49.
  expect(await spent()).toBe(60_000);
  expect((await mended()).restored).toHaveLength(50);
  await isWhole();
});

test('what a later version has written is not touched, and what is overwritten is kept beside', async () => {
  change(entry(10), dearer);
  const before = readFileSync(entry(10), 'utf8');
  await mended();
  const replaced = join(at.folder, 'books', 'u1', 'replaced');
  const [kept = ''] = readdirSync(replaced);
  expect(kept).toMatch(/^0000000010-[0-9a-f]{16}\.json$/);
  expect(readFileSync(join(replaced, kept), 'utf8')).toBe(before);
  await isWhole();
  const last = readdirSync(entries()).length;
  const later = (seq: number) =>
    change(entry(seq), (line) => line.replace(/"kind":"\w+"/, '"kind":"foretold"').replace(/,"sum":"\w+"/, ''));
  later(last - 1);
  expect((await mended(true)).lost).toEqual([last - 1]);
  later(last);
  await expect(mended(true)).rejects.toThrow(`${last}.json' was written by a later version of audit-runner`);
});

test('what was given up is taken from a copy that turns up again', async () => {
  const [right, copy] = [readFileSync(entry(60), 'utf8'), readFileSync(segment(2), 'utf8')];
  unlinkSync(entry(60));
  unlinkSync(segment(2));
  await mended(true);
  writeFileSync(segment(2), copy);
  expect(await mended()).toEqual({ restored: [60], lost: [], segments: [] });
  expect(readFileSync(entry(60), 'utf8')).toBe(right);
  await isWhole();
});

test('a place that somebody else takes meanwhile is not overwritten', async () => {
  unlinkSync(entry(103));
  const storage = storageWith((real) => ({
    create: async (ref, content) => {
      await real.create(ref, 'another');
      return real.create(ref, content);
    },
  }));
  const standing = new Standing('UTC');
  await expect(mend(storage, 'u1', standing, { givesUpLost: true, now: at.now })).rejects.toThrow('run it again');
  expect(readFileSync(entry(103), 'utf8')).toBe('another');
});

test('lost ones that a machine with a clock ahead has given up do not keep payments back for as long', async () => {
  unlinkSync(entry(60));
  unlinkSync(segment(1));
  unlinkSync(segment(2));
  const givesUp = { givesUpLost: true, now: at.now + 5 * 3_600_000 };
  expect(await mend(openStorage(at.folder), 'u1', new Standing('UTC'), givesUp)).toMatchObject({ lost: [60] });
  const books = booksOf('w2');
  const { forgottenBefore } = (await books.standing()).sends;
  expect(forgottenBefore).toBe(at.now + CLOCK_TOLERANCE_MS);
  at.now = forgottenBefore + 1_000;
  expect(await pay(books, 'new', { lookedAt: at.now })).toBeUndefined();
});
