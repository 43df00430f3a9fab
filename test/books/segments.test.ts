/** S8: copies of fifty entries each, by which whoever starts reads long books in seconds. */
import { readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Books } from '../../src/books/books';
import { verify } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { openStorage } from '../../src/storage';
import { at, booksOf, entries, paid, pay, storageWith } from './books.stage';

const segments = () => join(at.folder, 'books', 'u1', 'segments');
const fill = async (books: Books, payments: number) => {
  for (let n = 0; n < payments; n++) {
    await pay(books, `l${n}`);
    await paid(books, `l${n}`);
  }
};
const counting = () => {
  const read: string[] = [];
  const storage = storageWith((real) => ({
    read: (ref) => {
      read.push(ref);
      return real.read(ref);
    },
  }));
  return { read, storage };
};
const sumOf = async (books: Books) => (await books.standing()).spentIn('2026-11-30');

test('who starts reads fifty entries at once, and writes the segments that are missing', async () => {
  const first = booksOf('w1');
  await fill(first, 60);
  await first.close();
  expect(readdirSync(segments())).toEqual(['0000000001.jsonl', '0000000002.jsonl']);
  const { read, storage } = counting();
  expect(await sumOf(booksOf('w2', { storage }))).toBe(60_000);
  expect(read.filter((ref) => ref.includes('/entries/')).length).toBeLessThan(60);
  unlinkSync(join(segments(), '0000000001.jsonl'));
  const third = booksOf('w3');
  expect(await sumOf(third)).toBe(60_000);
  await third.close();
  expect(readdirSync(segments())).toHaveLength(2);
});

test('one that is no true copy is not believed: the entries are read, and verify names it', async () => {
  const first = booksOf('w1');
  await fill(first, 60);
  await first.close();
  for (const damage of [
    (text: string) => text.replace('1000', '9000'),
    (text: string) => text.slice(0, 900),
    // The last entry, which no other one vouches for.
    (text: string) => text.replace(/"at":1(?=[^\n]*\n[^\n]*$)/, '"at":2'),
    () => '',
  ]) {
    const file = join(segments(), '0000000002.jsonl');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, damage(whole));
    expect(await sumOf(booksOf('w2'))).toBe(60_000);
    await expect(verify(openStorage(at.folder), 'u1', new Standing('UTC'))).rejects.toThrow(
      "'books/u1/segments/0000000002.jsonl' is no copy of the entries, which are whole: `npx audit-runner books restore` copies them again",
    );
    writeFileSync(file, whole);
  }
  await verify(openStorage(at.folder), 'u1', new Standing('UTC'));
});

test('an entry that is gone is found missing by verify, also where its segment is there', async () => {
  const first = booksOf('w1');
  await fill(first, 60);
  await first.close();
  unlinkSync(join(entries(), '0000000007.json'));
  expect(await sumOf(booksOf('w2'))).toBe(60_000);
  await expect(verify(openStorage(at.folder), 'u1', new Standing('UTC'))).rejects.toThrow('0000000007.json');
  rmSync(entries(), { recursive: true });
  await expect(verify(openStorage(at.folder), 'u1', new Standing('UTC'))).rejects.toThrow('0000000001.json');
});

test('all that is gone before the last segment is noticed by whoever starts', async () => {
  const first = booksOf('w1');
  await fill(first, 60);
  await first.close();
  unlinkSync(join(segments(), '0000000001.jsonl'));
  unlinkSync(join(entries(), '0000000001.json'));
  await expect(booksOf('w2').standing()).rejects.toThrow('0000000001.json');
});

test('a storage that takes no segments keeps nobody from paying', async () => {
  const warned: string[] = [];
  const storage = storageWith((real) => ({
    create: (ref, content) =>
      ref.includes('/segments/') ? Promise.reject(new Error('EIO')) : real.create(ref, content),
  }));
  const books = booksOf('w1', { storage, warn: (what) => warned.push(what) });
  await fill(books, 30);
  await books.close();
  expect(warned).toEqual(['a segment of the books could not be written']);
  expect(await sumOf(booksOf('w2'))).toBe(30_000);
});
