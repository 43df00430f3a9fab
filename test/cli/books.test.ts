/** `audit-runner books`: what stands in the storage, for people who have nothing else left. */
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Books } from '../../src/books/books';
import { exportBooksCommand } from '../../src/cli/books/export';
import { restoreBooksCommand } from '../../src/cli/books/restore';
import { showBooksCommand } from '../../src/cli/books/show';
import { verifyBooksCommand } from '../../src/cli/books/verify';
import { spendCommand } from '../../src/cli/spend';
import { leadSubject } from '../../src/paying/subject';
import { openStorage } from '../../src/storage';

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const NOW = Date.parse('2026-11-30T23:30:00Z');
let folder: string;
let said: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-books-'));
  process.env.STORAGE_URL = `file://${folder}`;
  said = '';
  const hear = (text: unknown) => {
    said += text;
    return true;
  };
  jest.spyOn(process.stdout, 'write').mockImplementation(hear);
  jest.spyOn(process.stderr, 'write').mockImplementation(hear);
});
afterEach(() => {
  jest.restoreAllMocks();
  delete process.env.STORAGE_URL;
  rmSync(folder, { recursive: true });
});

async function fill() {
  const books = new Books({
    ...{ storage: openStorage(folder), user: 'u1', worker: 'w', now: () => NOW, timeZone: () => 'UTC' },
    begin: async () => ({ kind: 'begun', account: 'main', days: { '2026-10-31': 500 }, runs: {}, open: {} }),
    warn: () => undefined,
  });
  for (const [lead, run] of [
    ['l1', 'one'],
    ['l2', '=HYPERLINK("x")'],
    ['l3', 'one'],
  ] as const) {
    const [subject, attempt] = [leadSubject(lead), `a-${lead}`];
    const request = { subject, attempt, run, credits: 1_000, lookedAt: NOW, runCap: 9_000 };
    const open = { attempt, run, credits: 1_000, grantedAt: NOW, overAt: NOW + 515_000 };
    const ceilings = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0 };
    expect(await books.beforeSend({ request, open, timing, ceilings, withinMs: 5_000 })).toBeUndefined();
    if (lead !== 'l3') await books.became(subject, attempt, run, { kind: 'paid', credits: 1_000 });
  }
}

test('verify says what they come to, and which entry is missing', async () => {
  await fill();
  expect(await verifyBooksCommand({ timeZone: 'UTC' })).toBe(0);
  expect(said).toMatch(
    /^Account main, user u1: whole; 6 entries, 2,500 credits booked, 1,000 reserved for what may be under way\nNot seen: whether the last entries.*--with-ledger/,
  );
  unlinkSync(join(folder, 'books/u1/entries/0000000003.json'));
  said = '';
  expect(await verifyBooksCommand({ timeZone: 'UTC' })).toBe(1);
  expect(said).toMatch(/Account main, user u1: damaged after 2 entries, .*entries\/0000000003\.json' is missing/);
});

test('restore says which entries cannot be had from copies, and goes on without them only when told to', async () => {
  await fill();
  for (const n of [3, 4]) unlinkSync(join(folder, `books/u1/entries/000000000${n}.json`));
  expect(await restoreBooksCommand({ timeZone: 'UTC' })).toBe(1);
  expect(said).toContain('entries 3 to 4 cannot be had from copies. Copy them from a backup of the storage');
  said = '';
  expect(await restoreBooksCommand({ timeZone: 'UTC', giveUpLost: true })).toBe(0);
  expect(said).toContain('Account main, user u1: given up: entries 3 to 4\n');
  expect(said).toContain('Account main, user u1: whole; 6 entries, 1,500 credits booked\n');
  said = '';
  expect(await verifyBooksCommand({ timeZone: 'UTC' })).toBe(0);
  expect(said).toContain('whole, but without 2 that were given up; 6 entries, 1,500 credits booked, 2,000 reserved');
  said = '';
  expect(await restoreBooksCommand({ timeZone: 'UTC', json: true })).toBe(0);
  expect(JSON.parse(said)).toMatchObject([{ user: 'u1', restored: [], lost: [], isWhole: true }]);
});

test.each([
  ['month', 'UTC', { '2026-10': '500', '2026-11': '2,000' }],
  ['day', 'Europe/Berlin', { '2026-10-31': '500', '2026-12-01': '2,000' }],
  ['run', 'UTC', { one: '1,000', '=HYPERLINK("x")': '1,000' }],
  ['subject', 'UTC', { 'lead:l1': '1,000', 'lead:l2': '1,000' }],
] as const)('show sums up by %s in %s', async (by, timeZone, sums) => {
  await fill();
  expect(await showBooksCommand({ by, timeZone })).toBe(0);
  for (const [key, sum] of Object.entries(sums))
    expect(said.split('\n').some((line) => line.startsWith(key) && line.endsWith(sum))).toBe(true);
});

test('spend since a moment reads the books alone, of one account, in its time zone', async () => {
  await fill();
  const file = join(folder, 'audit-runner.yaml');
  writeFileSync(
    file,
    `storageUrl: file://${folder}\naccounts:\n  main:\n    baseUrl: https://example.com\n    tokenEnv: T\n    timeZone: Europe/Berlin\n`,
  );
  const spend = (options: object) => spendCommand({ since: '2026-11-01', by: 'day', config: file, ...options });
  expect(await spend({})).toBe(0);
  expect(said).toContain('Account main, user u1: 2,000 credits booked since 2026-11-01 00:00:00 UTC, 1,000 reserved\n');
  expect(said).toMatch(/^2026-12-01 +2,000$/m);
  expect(said).not.toContain('2026-10-31');
  said = '';
  expect(await spend({ since: '2026-10-31', by: 'month', account: 'main', json: true })).toBe(0);
  expect(JSON.parse(said)).toMatchObject([{ credits: 2_500, by: { '2026-10': 500, '2026-12': 2_000 } }]);
  await expect(spend({ account: 'other' })).rejects.toThrow("there are no books of 'other'");
  await expect(spend({ since: 'tomorrow' })).rejects.toThrow('--since: give a duration');
});

test('export has a line for each entry, in which no spreadsheet finds a formula', async () => {
  await fill();
  expect(await exportBooksCommand({ format: 'csv', timeZone: 'UTC' })).toBe(0);
  const lines = said.trim().split('\n');
  expect(lines).toHaveLength(7);
  expect(lines[3]).toContain('became,lead:l1,one,a-l1,1000,paid');
  expect(lines[4]).toContain(`"'=HYPERLINK(""x"")"`);
  said = '';
  expect(await exportBooksCommand({ format: 'json', timeZone: 'UTC' })).toBe(0);
  expect(
    said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind),
  ).toEqual(['begun', 'sending', 'became', 'sending', 'became', 'sending']);
});

test('without books it says so', async () => {
  await expect(verifyBooksCommand({ timeZone: 'UTC' })).rejects.toThrow(
    /there are no books in the folder .*: they begin/,
  );
  await expect(verifyBooksCommand({ timeZone: 'Mars/Olympus' })).rejects.toThrow(/--time-zone/);
});
