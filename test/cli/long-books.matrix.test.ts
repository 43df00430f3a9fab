/** Books of years are read in bounded memory: nothing is kept of an entry that was read. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Entry } from '../../src/books/entry';
import { Standing } from '../../src/books/standing';
import { read } from '../../src/cli/books/read';
import { summedUp } from '../../src/cli/books/summed';
import { ALL_TIME } from '../../src/cli/since';
import { type Storage, StorageError } from '../../src/storage';

const SEGMENT = 50;
const SEGMENTS = 600;
/** Where memory is looked at, and by how much it may have grown in between: every line that is kept is a tenth of that. */
const LOOKS = [200, SEGMENTS];
const MOST_GROWN = 2_000_000;

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** Every odd entry says what became of the payment of the even one before; now and then somebody said something. */
function entryOf(seq: number, prev: string): Entry {
  const frame = { v: 1, seq, at: seq * 1_500, prev, id: uuid(seq), worker: 'w' } as const;
  if (seq === 1) return { ...frame, kind: 'begun', account: 'main', days: {}, runs: {}, open: {} };
  const n = Math.floor(seq / 2);
  const workflowId = `pipeline-${Math.floor(n / 5_000)}`;
  const [subject, run, attempt] = [`lead:${n}`, `${workflowId}/${uuid(0)}`, `convert-${n}#${uuid(n)}/1/${uuid(n)}`];
  if (n % 100 === 0 && seq % 2 === 0) {
    const act = { update: 'approve', workflowId, runId: uuid(n), when: frame.at, said: '{}' };
    return { ...frame, kind: 'act', ...act, identity: `ann-${n % 7}` };
  }
  const open = { attempt, run, credits: 1_000, grantedAt: frame.at, overAt: frame.at + 515_000 };
  if (seq % 2 === 0) return { ...frame, kind: 'sending', subject, ...open, runCap: 1e9 };
  return { ...frame, kind: 'became', subject, attempt, run, settlement: { kind: 'paid', credits: 1_000 } };
}

/** As if they were stored: each segment is made when it is read. @param look is called for some of them */
function longBooks(look: () => void): Storage {
  let [prev, seq] = ['', 0];
  const segment = () => {
    const lines = Array.from({ length: SEGMENT }, () => {
      seq += 1;
      const line = JSON.stringify(entryOf(seq, prev));
      prev = createHash('sha256').update(line).digest('hex');
      return line;
    });
    return [...lines, prev].join('\n');
  };
  const none = () => Promise.reject(new Error('not asked for'));
  return {
    async read(ref) {
      const n = Number(/segments\/(\d+)/.exec(ref)?.[1] ?? Number.POSITIVE_INFINITY);
      if (n > SEGMENTS) throw new StorageError('notFound', ref);
      if (LOOKS.includes(n)) look();
      return Readable.from([segment()]);
    },
    async *list() {},
    ...{ write: none, create: none, stat: none, delete: none, folders: none },
    ...{ urlOf: (ref) => ref, describe: () => 'made up' },
  };
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

async function grownBy(work: (storage: Storage, standing: Standing) => Promise<unknown>): Promise<number> {
  const sizes: number[] = [];
  const storage = longBooks(() => {
    collect();
    sizes.push(process.memoryUsage().heapUsed);
  });
  const standing = new Standing('UTC');
  await work(storage, standing);
  expect(standing.seq).toBe(SEGMENT * SEGMENTS);
  const [first = Number.NaN, last = Number.NaN] = sizes;
  return last - first;
}

test.each(['run', 'person'] as const)('sums by %s need no more memory for longer books', async (by) => {
  const grown = await grownBy(async (storage, standing) => {
    const { credits } = await summedUp({ user: 'u1', storage, standing }, { by, period: ALL_TIME, limit: 50 });
    expect(credits).toBe(1_000 * Math.floor((SEGMENT * SEGMENTS - 1) / 2));
  });
  expect(grown).toBeLessThan(MOST_GROWN);
});

test('the measure sees entries that are kept', async () => {
  const kept: string[] = [];
  const grown = await grownBy(async (storage, standing) => {
    for await (const { text } of read({ user: 'u1', storage, standing })) kept.push(text);
  });
  expect(grown).toBeGreaterThan(MOST_GROWN);
});

describe('a long reading', () => {
  const { isTTY, columns } = process.stderr;
  afterEach(() => {
    jest.restoreAllMocks();
    Object.assign(process.stderr, { isTTY, columns });
  });

  /** What is written to the standard error, where each look at the clock is a second later than the one before. */
  async function written(to: { isTTY: boolean }, isSilent = false): Promise<string> {
    Object.assign(process.stderr, { columns: 120, ...to });
    let text = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
      text += chunk;
      return true;
    });
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 1_000;
      return now;
    });
    const books = { user: 'u1', storage: longBooks(() => undefined), standing: new Standing('UTC') };
    for await (const { entry } of read(books, isSilent)) if (entry.seq === 2_000) break;
    return text;
  }

  test('says at a terminal how far it is, and leaves nothing of it', async () => {
    const text = await written({ isTTY: true });
    expect(text).toContain('Reading the books: entry 1,000, of 1970-01-01 00:25:00 UTC');
    // The line is gone at the end.
    expect(text.endsWith('\r\u001b[K')).toBe(true);
  });

  test('says nothing in a pipe, nor where the result is written to the terminal meanwhile', async () => {
    expect(await written({ isTTY: false })).toBe('');
    expect(await written({ isTTY: true }, true)).toBe('');
  });
});
