import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openStorage, type Storage } from '../../src/storage';
import { type InlineOrStored, keep, MAX_INLINE_BYTES, open, openEach } from '../../src/storage/inline-or-stored';

const Item = z.strictObject({ id: z.string(), n: z.number() });
type Item = z.infer<typeof Item>;
const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => ({ id: `id-${n}`, n }));

let root: string;
let storage: Storage;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'claim-'));
  storage = openStorage(root);
});
afterEach(() => rm(root, { recursive: true }));

async function each<T>(kept: InlineOrStored<readonly T[]>, schema: z.ZodType<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of openEach(storage, kept, schema)) found.push(item);
  return found;
}
const refOf = (kept: InlineOrStored<unknown>): string => {
  if ('inline' in kept) throw new Error('kept inline');
  return kept.ref;
};

it('keeps a value inline up to the limit, to the byte, and in the storage beyond it', async () => {
  expect(MAX_INLINE_BYTES).toBe(65_536);
  const value = 'ä'.repeat(32_767);
  expect(await keep(storage, 'a', value)).toEqual({ inline: value });
  expect(await keep(storage, 'a', `${value}x`)).toEqual({ ref: 'a.json', bytes: 65_537 });
  const list = [1, 2, 3];
  expect(await keep(storage, 'b', list, 8)).toEqual({ inline: list });
  expect(await keep(storage, 'b', list, 7)).toEqual({ ref: 'b.jsonl', bytes: 6 });
  expect(await keep(storage, 'c', [], 2)).toEqual({ inline: [] });
});

it.each([
  ['a short list', items(3)],
  ['a long list', items(20_000)],
])('gives back %s, whole and one at a time', async (_what, list) => {
  const kept = await keep(storage, 'runs/1/items', list);
  expect('inline' in kept).toBe(list.length === 3);
  expect(await open(storage, kept, z.array(Item))).toEqual(list);
  expect(await each(kept, Item)).toEqual(list);
});

it('gives back a large value that is no list', async () => {
  const value = { items: items(10_000), note: 'x' };
  const kept = await keep(storage, 'runs/1/value', value);
  expect(refOf(kept)).toBe('runs/1/value.json');
  expect(await open(storage, kept, z.strictObject({ items: z.array(Item), note: z.string() }))).toEqual(value);
});

it('keeps apart lines that only some programs see: line separators, carriage returns, characters cut by a chunk', async () => {
  const texts = Array.from({ length: 9000 }, (_, i) => `${i}\u2028\u2029\r\n\u0085😀${'é'.repeat(i % 7)}`);
  const kept = await keep(storage, 'texts', texts);
  expect(await each(kept, z.string())).toEqual(texts);
  expect(await open(storage, kept, z.array(z.string()))).toEqual(texts);
});

it('keeps a list in which each entry has a line, for other programs', async () => {
  const kept = await keep(storage, 'items', items(3), 10);
  expect(await readFile(join(root, refOf(kept)), 'utf8')).toBe(
    '{"id":"id-0","n":0}\n{"id":"id-1","n":1}\n{"id":"id-2","n":2}\n',
  );
});

it('can be repeated for the same value', async () => {
  const first = await keep(storage, 'items', items(5000));
  expect(await keep(storage, 'items', items(5000))).toEqual(first);
});

it('checks what it opens against the schema, inline or not', async () => {
  const wrong = [...items(5000), { id: 7 }];
  for (const limit of [10, 1_000_000]) {
    const kept: InlineOrStored<unknown> = await keep(storage, 'items', wrong, limit);
    await expect(open(storage, kept, z.array(z.unknown()).pipe(z.array(Item)))).rejects.toThrow(z.ZodError);
  }
});

it('refuses what JSON has no word for instead of losing it', async () => {
  await expect(keep(storage, 'x', undefined)).rejects.toThrow('a undefined cannot be kept as JSON');
  for (const limit of [0, 1000])
    await expect(keep(storage, 'x', [1, () => 2], limit)).rejects.toThrow('a function cannot be kept as JSON');
  expect(await storage.stat('x.jsonl')).toBeUndefined();
});

it.each([
  ['cut at the end of a line', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
  ['cut in a line', (text: string) => text.slice(0, -4)],
  ['made longer', (text: string) => `${text}{"id":"x","n":1}\n`],
  ['overwritten', () => 'no JSON\n'],
])('says that a list is damaged when it was %s', async (_how, change) => {
  const kept = await keep(storage, 'items', items(5000));
  const path = join(root, refOf(kept));
  await writeFile(path, change(await readFile(path, 'utf8')));
  await expect(open(storage, kept, z.array(Item))).rejects.toMatchObject({ kind: 'damaged' });
  await expect(each(kept, Item)).rejects.toMatchObject({ kind: 'damaged' });
});

it('says that a value is gone', async () => {
  const kept = await keep(storage, 'items', items(5000));
  await storage.delete(refOf(kept));
  await expect(open(storage, kept, z.array(Item))).rejects.toMatchObject({ kind: 'notFound' });
});

it('reads a list as it goes: the first entries come before the end of the document was read', async () => {
  const kept = await keep(storage, 'items', items(100_000));
  const path = join(root, refOf(kept));
  await writeFile(path, `${(await readFile(path, 'utf8')).slice(0, -4)}`);
  const found: number[] = [];
  for await (const { n } of openEach(storage, kept, Item)) if (found.push(n) === 1000) break;
  expect(found).toEqual(items(1000).map(({ n }) => n));
});
