/** What the tests of the books have in common: a folder, and processes that keep their books in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Books } from '../../src/books/books';
import type { BalanceReading, Ceilings } from '../../src/books/ceilings';
import type { Begun } from '../../src/books/entry';
import type { Moments } from '../../src/ledger';
import { leadSubject } from '../../src/paying/subject';
import { openStorage, type Storage } from '../../src/storage';
import { storedJson } from '../../src/storage/stored-json';

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
export const NONE: Ceilings = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0 };
export const NOTHING: Begun = { kind: 'begun', account: 'main', days: {}, runs: {}, open: {} };

export const at = { folder: '', now: 0 };
let made: Books[];
beforeEach(() => {
  at.folder = mkdtempSync(join(tmpdir(), 'audit-runner-books-'));
  at.now = Date.parse('2026-11-30T23:00:00Z');
  made = [];
});
afterEach(async () => {
  for (const books of made) await books.close();
  rmSync(at.folder, { recursive: true });
});

export function booksOf(
  worker: string,
  {
    storage = openStorage(at.folder),
    begun = NOTHING,
    warn = () => undefined,
  }: { storage?: Storage; begun?: Begun; warn?: (what: string) => void } = {},
) {
  const books = new Books({
    storage,
    worker,
    user: 'u1',
    now: () => at.now,
    timeZone: () => 'UTC',
    begin: async () => begun,
    patienceMs: 3_000,
    warn,
  });
  made.push(books);
  return books;
}

interface Try {
  attempt?: string;
  run?: string;
  credits?: number;
  lookedAt?: number;
  ceilings?: Partial<Ceilings>;
  reading?: BalanceReading;
  /** As the ledger has granted it. */
  overAt?: number;
  said?: Moments | undefined;
  withinMs?: number;
}

export const pay = (books: Books, lead: string, asked: Try = {}) => {
  const {
    attempt = `a-${lead}`,
    run = 'run',
    credits = 1_000,
    lookedAt = at.now,
    ceilings = {},
    reading,
    overAt = at.now + 515_000,
    said,
    withinMs = 5_000,
  } = asked;
  return books.beforeSend({
    request: { subject: leadSubject(lead), attempt, run, credits, lookedAt, runCap: 100_000 },
    open: { attempt, run, credits, grantedAt: at.now, overAt },
    said,
    timing,
    ceilings: { ...NONE, ...ceilings },
    reading,
    withinMs,
  });
};
export const paid = (books: Books, lead: string, { attempt = `a-${lead}`, run = 'run', credits = 1_000 }: Try = {}) =>
  books.became(leadSubject(lead), attempt, run, { kind: 'paid', credits });

/** The folder, but for what is done otherwise. */
export function storageWith(otherwise: (real: Storage) => Partial<Storage>): Storage {
  const real = openStorage(at.folder);
  return {
    read: (ref) => real.read(ref),
    write: (ref, content) => real.write(ref, content),
    create: (ref, content) => real.create(ref, content),
    list: (prefix, after) => real.list(prefix, after),
    folders: (prefix) => real.folders(prefix),
    stat: (ref) => real.stat(ref),
    delete: (ref) => real.delete(ref),
    urlOf: (ref) => real.urlOf(ref),
    describe: () => real.describe(),
    ...otherwise(real),
  };
}

export const entries = () => join(at.folder, 'books', 'u1', 'entries');

/** What somebody changed who knows of the checksum: it fits again. */
export const sealedAgain = (text: string): string => storedJson({ ...JSON.parse(text), sum: undefined });
