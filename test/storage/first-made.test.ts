/** What a run made first stands. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { openStorage, type Storage } from '../../src/storage';
import { firstMade } from '../../src/storage/first-made';

const List = z.object({ items: z.array(z.string()) });
let folder: string;
let storage: Storage;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-test-'));
  storage = openStorage(pathToFileURL(folder).href);
});
afterEach(() => rmSync(folder, { recursive: true }));

const made = (...items: string[]) =>
  firstMade(
    storage,
    'runs/r/list.json',
    List,
    async () => ({ items }),
    (list) => list.items.length > 0,
  );

test('what was made first is there the next time', async () => {
  expect(await made('a', 'b')).toEqual({ made: { items: ['a', 'b'] }, isEarlier: false });
  expect(await made('c')).toEqual({ made: { items: ['a', 'b'] }, isEarlier: true });
});

test('what need not stand does not', async () => {
  expect(await made()).toEqual({ made: { items: [] }, isEarlier: false });
  expect(await made('c')).toEqual({ made: { items: ['c'] }, isEarlier: false });
});

test('of two at once both get what one of them has made', async () => {
  const [one, other] = await Promise.all([made('a'), made('b')]);
  expect(one.made).toEqual(other.made);
  expect((await made('c')).made).toEqual(one.made);
});
