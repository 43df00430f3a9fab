/** S6: an item ledger that was damaged is brought together all the same, and says what could not be read. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type Concluded, placesOf, writeLedger, writePart } from '../../activities/backfill-ledger';
import { ITEMS, readLines, readList, writeList } from '../../activities/backfill-list';
import { Item } from '../../src/batches/items';
import { openStorage } from '../../src/storage';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const activity = new MockActivityEnvironment();
const line = (n: number) => ({ n, id: `lead-${n}`, outcome: 'done' as const, credits: 1_000 });

async function ledger() {
  const storage = openStorage(`file://${folder}`);
  async function* items() {
    for (let n = 0; n < 5; n++) yield { id: `lead-${n}`, workflowId: `run-${n}`, input: {} };
  }
  await activity.run(() => writeList(storage, { folder: 'b', list: ITEMS, operation: 'convertLead' }, items()));
  await writePart(storage, 'b', 0, [line(0), line(1)]);
  await writePart(storage, 'b', 1, [line(2), line(3)]);
  return storage;
}
const part = (n: number) => join(folder, 'b/ledger', `00000${n}.jsonl`);
const conclude = async (storage: Awaited<ReturnType<typeof ledger>>, parts?: number): Promise<Concluded> => {
  const call = { folder: 'b', size: 5, begun: 4, unbegun: [{ from: 0, reason: 'stopped' }], ...(parts && { parts }) };
  return activity.run(() => writeLedger(storage, call, async () => ({ outcome: 'done', credits: 900 })));
};

test('parts that a list does not show yet count, as in stores that list what was written minutes later', async () => {
  const storage = await ledger();
  jest.spyOn(storage, 'list').mockImplementation(async function* () {});
  expect((await conclude(storage)).counts).toMatchObject({ done: 4, skipped: 1 });
});

test('each part takes one request: a long batch has thousands of them', async () => {
  const storage = await ledger();
  const read = jest.spyOn(storage, 'read');
  const stat = jest.spyOn(storage, 'stat');
  expect(await placesOf(storage, 'b', 5, ['unbegun'], 'unbegun', 2)).toEqual(new Set([4]));
  expect([read.mock.calls.length, stat.mock.calls.length]).toEqual([2, 0]);
  // Where nobody knows how many there are, the first that is not there is the end.
  expect(await placesOf(storage, 'b', 5, ['unbegun'], 'unbegun')).toEqual(new Set([4]));
  expect([read.mock.calls.length, stat.mock.calls.length]).toEqual([5, 0]);
});

test('of a run that went back to a backup only the parts count that it has written since, and one that is missing is named', async () => {
  const storage = await ledger();
  const gone = { n: 4, id: 'lead-4', outcome: 'failed' as const, reason: 'refused', credits: 0 };
  await writePart(storage, 'b', 2, [gone, { ...gone, n: 0 }]);
  expect((await conclude(storage, 2)).counts).toMatchObject({ done: 4, failed: 0, skipped: 1 });
  expect(await placesOf(storage, 'b', 5, ['failed'], 'unbegun', 2)).toEqual(new Set());
  rmSync(part(0));
  const { counts, notes } = await conclude(storage, 2);
  expect(counts).toMatchObject({ done: 4, skipped: 1 });
  expect(notes.join()).toContain('b/ledger/000000.jsonl, which is missing');
});

test('an item whose line was cut short is asked for by its run, and the line is named', async () => {
  const storage = await ledger();
  truncateSync(part(1), statSync(part(1)).size - 20);
  const { counts, credits, notes } = await conclude(storage);
  expect(counts).toMatchObject({ done: 4, skipped: 1 });
  expect(credits).toBe(3_900);
  expect(notes.join()).toContain('b/ledger/000001.jsonl, line 2');
  expect(readFileSync(join(folder, 'b/ledger.jsonl'), 'utf8').trim().split('\n')).toHaveLength(5);
});

test('a digit that was changed is not believed, and a part that was cut after one of its lines is named', async () => {
  const storage = await ledger();
  writeFileSync(part(0), readFileSync(part(0), 'utf8').replace('1000', '9000'));
  writeFileSync(part(1), readFileSync(part(1), 'utf8').split('\n').slice(0, 1).join());
  const { counts, credits, notes } = await conclude(storage);
  expect(counts).toMatchObject({ done: 4, skipped: 1 });
  expect(credits).toBe(3_800);
  expect(notes.join()).toContain('b/ledger/000000.jsonl, line 1; b/ledger/000001.jsonl, after line 1');
});

test.each([
  ['half a line', '{"n":4,"outc'],
  ['another shape', '{"n":"4"}'],
  ['nested without end', `{"n":4,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
])('S4: %s is left out and named without its content', async (_, text) => {
  const storage = await ledger();
  appendFileSync(part(1), `${text}\n`);
  const { counts, notes } = await conclude(storage);
  expect(counts).toMatchObject({ done: 4, skipped: 1 });
  expect(notes).toEqual([expect.stringContaining('1 line of the item ledger')]);
  expect(notes.join()).not.toContain(text.slice(0, 8));
  expect(await placesOf(storage, 'b', 5, ['unbegun'], 'unbegun')).toEqual(new Set([4]));
});

test('S6: rows of a quarantine that cannot be read count, and take nothing else away', async () => {
  const storage = await ledger();
  const { quarantine } = (await conclude(storage)).files;
  const rows = ['{"line":1,"reason":"a"}', `{"line":2,"reason":"${'x'.repeat(1024 * 1024)}"}`, '{"line":3'];
  writeFileSync(join(folder, quarantine), `${rows.join('\n')}\n`);
  const { counts, notes } = await conclude(storage);
  expect(counts).toMatchObject({ done: 4, skipped: 1, quarantined: 3 });
  expect(notes).toEqual([
    '2 lines of the quarantine could not be read; why those rows are no items is not told. Where: b/quarantine.jsonl, line 2; b/quarantine.jsonl, line 3.',
  ]);
  expect(readFileSync(join(folder, 'b/ledger.jsonl'), 'utf8').trim().split('\n')).toHaveLength(8);
});

test('a row with whatever is wrong in it has a reason that can be read again', async () => {
  const storage = await ledger();
  async function* rows() {
    yield { line: 1, problem: 'wrong. '.repeat(200_000) };
  }
  await activity.run(() => writeList(storage, { folder: 'b', list: ITEMS, operation: 'convertLead' }, rows()));
  const { counts, notes } = await conclude(storage);
  expect(counts).toMatchObject({ quarantined: 1 });
  expect(notes).toEqual([]);
});

test('S6: an item that was begun and has no line is asked for by its run, also where every part can be read', async () => {
  const storage = await ledger();
  // As if an earlier write of the same part had arrived last.
  await writePart(storage, 'b', 1, [line(2)]);
  const { counts, credits, notes } = await conclude(storage);
  expect(counts).toMatchObject({ done: 4, skipped: 1 });
  expect(credits).toBe(3_900);
  expect(notes).toEqual(['The item ledger has no line of 1 item: each was asked for by its own run.']);
});

test('S6: where parts are lost, an item whose last word is that it failed may have been paid for since', async () => {
  const storage = await ledger();
  const failed = { ...line(0), outcome: 'failed' as const, reason: 'refused', credits: 0, run: 'run-0' };
  await writePart(storage, 'b', 0, [failed, line(1)]);
  expect((await conclude(storage, 2)).counts).toMatchObject({ done: 3, failed: 1 });
  const { counts, credits } = await conclude(storage, 3);
  expect(counts).toMatchObject({ done: 4, failed: 0 });
  expect(credits).toBe(3_900);
});

test('an item list that lacks a line is damaged: what follows would be taken for other items', async () => {
  const storage = await ledger();
  const file = join(folder, 'b/items/000000.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  const read = async (size: number, from = 0) => {
    for await (const _ of readList(storage, { folder: 'b', list: ITEMS, size }, from));
  };
  const damaged = { name: 'StorageError', message: expect.stringContaining('000000.jsonl') };
  writeFileSync(file, [...lines.slice(0, 2), ...lines.slice(3)].join('\n'));
  await expect(read(5)).rejects.toMatchObject(damaged);
  // One item alone, as a batch asks for it whose place it knows.
  await expect(read(4, 3)).rejects.toMatchObject(damaged);
  writeFileSync(file, lines.slice(0, 3).join('\n'));
  await expect(read(5)).rejects.toMatchObject(damaged);
});

test('a list that was damaged is no reason to try again and again', async () => {
  const storage = await ledger();
  appendFileSync(join(folder, 'b/items/000000.jsonl'), '{"n":5');
  const read = async () => {
    for await (const _ of readLines(storage, 'b/items/000000.jsonl', Item));
  };
  await expect(read()).rejects.toMatchObject({ name: 'StorageError', message: expect.stringContaining('Line 6') });
});
