/** Sums of any number of keys, of which few are in memory at once. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { type Order, Sums } from '../../src/cli/books/sums';

const KEYS = 1_000;

/** Each key twice, far apart: the key n has n credits in all, but for the last ones, which are equal. */
async function filled(mostKept?: number): Promise<Sums> {
  const sums = new Sums(mostKept);
  for (const part of [1, 2])
    for (let n = 1; n <= KEYS; n++) await sums.add(`run/${n} "ünï"\n`, part === 1 ? 1 : Math.min(n, 990) - 1);
  return sums;
}
const ALL = Array.from({ length: KEYS }, (_, i) => Math.min(i + 1, 990)).reduce((sum, credits) => sum + credits, 0);

test.each<[Order, number]>([
  ['largest', 3],
  ['largest', 20],
  ['last', 3],
  ['largest', 5_000],
  ['last', Number.POSITIVE_INFINITY],
])('the %s %d are the same, however few are kept in memory', async (order, limit) => {
  const [whole, apart] = [await filled(), await filled(10)];
  const ranked = await whole.ranked(order, limit);
  expect(await apart.ranked(order, limit)).toEqual(ranked);
  const told = ranked.sums.reduce((sum, [, credits]) => sum + credits, 0);
  expect(told + (ranked.others?.credits ?? 0)).toBe(ALL);
  expect(ranked.sums.length + (ranked.others?.count ?? 0)).toBe(KEYS);
  await Promise.all([whole.close(), apart.close()]);
});

test('the largest come first, and of equal ones those whose names do; the last come in the order of their names', async () => {
  const sums = new Sums(2);
  for (const [key, credits] of Object.entries({ a: 1, b: 7, c: 7, d: 3 })) await sums.add(key, credits);
  const told = async (order: Order) => (await sums.ranked(order, 3)).sums.map(([key]) => key).join('');
  expect(await told('largest')).toBe('bcd');
  expect(await told('last')).toBe('bcd');
  await sums.add('a', 9);
  expect(await told('largest')).toBe('abc');
  await sums.close();
});

test('what is put aside is in no folder where others find it', async () => {
  const folder = mkdtempSync(join(os.tmpdir(), 'sums-'));
  const asked = jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
  const sums = await filled(10);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(readdirSync(folder)).toEqual([]);
  await sums.close();
  asked.mockRestore();
  rmSync(folder, { recursive: true });
});
