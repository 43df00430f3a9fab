/** What audit-runner keeps for itself is read as it was written, or named; what somebody has just removed is not there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Storage } from '../../src/storage';
import { openStorage } from '../../src/storage';
import { parseStored, readIfThere, storedJson } from '../../src/storage/stored-json';

const InlineOrStored = z.object({ since: z.number() });
const folder = mkdtempSync(join(tmpdir(), 'audit-runner-stored-'));
const storage = openStorage(`file://${folder}`);

afterAll(() => rmSync(folder, { recursive: true }));

test('it is read as it was written, and what is not there is nothing', async () => {
  await storage.write('made/a.json', '{"since": 1}\n');
  expect(await readIfThere(storage, 'made/a.json', InlineOrStored)).toEqual({ since: 1 });
  expect(await readIfThere(storage, 'made/b.json', InlineOrStored)).toBeUndefined();
});

test('a byte that was changed shows by the checksum, and so does the end that is missing', () => {
  const text = `${storedJson({ since: 1_000, what: 'a "sum" of, "sum":"0123456789abcdef"}' })}\n`;
  const schema = z.looseObject({ since: z.number() });
  expect(parseStored(text, schema)).toEqual({ since: 1_000, what: 'a "sum" of, "sum":"0123456789abcdef"}' });
  const flipped = text.replace('1000', '9000');
  expect(parseStored(flipped, schema)).toBeUndefined();
  for (let length = 0; length < text.length - 2; length++)
    expect(parseStored(text.slice(0, length), schema)).toBeUndefined();
});

test('what is removed between a look and the reading is nothing', async () => {
  await storage.write('made/c.json', '{"since": 1}\n');
  const removed: Storage = {
    ...storage,
    stat: (ref) => storage.stat(ref),
    async read(ref) {
      await storage.delete(ref);
      return storage.read(ref);
    },
  };
  expect(await readIfThere(removed, 'made/c.json', InlineOrStored)).toBeUndefined();
});

test.each(['{"since": ', '[]', `${'['.repeat(10_000)}${']'.repeat(10_000)}`])(
  'what was not written is named',
  async (text) => {
    await storage.write('made/d.json', text);
    await expect(readIfThere(storage, 'made/d.json', InlineOrStored)).rejects.toMatchObject({ kind: 'damaged' });
  },
);
