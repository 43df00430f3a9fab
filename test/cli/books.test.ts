/** `audit-runner books`: what stands in the storage, for people who have nothing else left. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Books } from '../../src/books/books';
import { listActsCommand } from '../../src/cli/books/acts';
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
  process.env.TEMPORAL_ADDRESS = '127.0.0.1:1';
  said = '';
  jest.spyOn(Date, 'now').mockReturnValue(NOW + 86_400_000);
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
  delete process.env.TEMPORAL_ADDRESS;
  rmSync(folder, { recursive: true });
});

const booksNow = () =>
  new Books({
    ...{ storage: openStorage(folder), user: 'u1', worker: 'w', now: () => NOW, timeZone: () => 'UTC' },
    begin: async () => ({ kind: 'begun', account: 'main', days: { '2026-10-31': 500 }, runs: {}, open: {} }),
    warn: () => undefined,
  });

async function fill() {
  const books = booksNow();
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

/** What a person said to the run, a minute before the payments. */
async function say(update: string, who: { by?: string; identity?: string; principal?: string }, said: object = {}) {
  const books = booksNow();
  const act = {
    kind: 'act',
    update,
    workflowId: 'one',
    runId: 'r',
    when: NOW - 60_000,
    said: JSON.stringify(said),
  } as const;
  await books.act({ ...act, ...who }, randomUUID());
  await books.close();
}

const file = (name: string) => join(folder, 'books/u1', name);

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

test('verify finds an entry of which one byte was changed, and names it', async () => {
  await fill();
  const changed = readFileSync(file('entries/0000000003.json'), 'utf8').replace('1000', '1001');
  writeFileSync(file('entries/0000000003.json'), changed);
  expect(await verifyBooksCommand({ timeZone: 'UTC' })).toBe(1);
  expect(said).toMatch(/damaged after 2 entries, .*entries\/0000000003\.json' is not what was written there/);
});

test('verify names a missing ID of the storage, and what comes of it', async () => {
  await fill();
  unlinkSync(file('storage.json'));
  expect(await verifyBooksCommand({ timeZone: 'UTC' })).toBe(1);
  expect(said).toContain('its entries follow each other (6 entries, 2,500 credits booked, 1,000 reserved');
  expect(said).toContain(
    "- 'books/u1/storage.json' is missing or was changed: put it back from a backup of the storage.",
  );
  said = '';
  writeFileSync(file('storage.json'), '{"v":1}');
  expect(await verifyBooksCommand({ timeZone: 'UTC', json: true })).toBe(1);
  expect(JSON.parse(said)).toMatchObject([
    { user: 'u1', entries: 6, problem: expect.stringContaining('storage.json'), problems: [expect.any(String)] },
  ]);
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
  jest.mocked(Date.now).mockRestore();
  const none = /there are no books of 'other' in the folder .*; and no Temporal server answers at 127\.0\.0\.1:1/;
  await expect(spend({ account: 'other' })).rejects.toThrow(none);
  await expect(spend({ since: 'tomorrow' })).rejects.toThrow('--since: give a duration');
});

test.each<[since: string | undefined, until: string | undefined, by: 'day' | 'run', sums: object]>([
  ['2026-10-01', '2026-11-01', 'day', { '2026-10-31': 500 }],
  ['2026-10-01', '2026-10-31', 'day', {}],
  [undefined, '2026-11-30T23:30:00Z', 'day', { '2026-10-31': 500 }],
  [undefined, '2026-11-30T23:30:01Z', 'day', { '2026-10-31': 500, '2026-11-30': 2_000 }],
  ['2026-11-30T23:30:00Z', undefined, 'run', { one: 1_000, '=HYPERLINK("x")': 1_000 }],
])('show sums up what was booked since %s until %s by %s', async (since, until, by, sums) => {
  await fill();
  const period = { ...(since && { since }), ...(until && { until }) };
  expect(await showBooksCommand({ by, timeZone: 'UTC', json: true, ...period })).toBe(0);
  const credits = Object.values(sums).reduce((sum, one) => sum + one, 0);
  expect(JSON.parse(said)).toMatchObject([{ by: sums, credits }]);
  expect(Object.keys(JSON.parse(said)[0].by)).toHaveLength(Object.keys(sums).length);
});

test('an end before the beginning is refused', async () => {
  await fill();
  const show = showBooksCommand({ by: 'day', since: '2026-11-02', until: '2026-11-01' });
  await expect(show).rejects.toThrow('--until: give a moment after that of --since');
  await expect(showBooksCommand({ by: 'day', until: 'soon' })).rejects.toThrow('--until: give a duration');
});

test('show gives the largest sums, and says what the others come to', async () => {
  await fill();
  expect(await showBooksCommand({ by: 'subject', timeZone: 'UTC', limit: 1 })).toBe(0);
  expect(said).toMatch(/^lead:l1 +1,000\nThe 1 largest of 2; the others come to 1,000 credits\. --limit shows more/m);
  expect(said).not.toContain('lead:l2');
  said = '';
  expect(await showBooksCommand({ by: 'day', timeZone: 'UTC', limit: 1 })).toBe(0);
  expect(said).toMatch(/^2026-11-30 +2,000\nThe 1 last of 2; the others come to 500 credits/m);
  said = '';
  expect(await showBooksCommand({ by: 'run', timeZone: 'UTC', limit: 1, json: true })).toBe(0);
  expect(JSON.parse(said)).toMatchObject([{ others: { count: 1, credits: 1_000 } }]);
});

test('show by person tells whose word it was, and what tells who that is', async () => {
  await say('start', { identity: 'starter' }, { approval: 'all' });
  await say('approve', { principal: 'jwt:ann', identity: 'ann@laptop', by: 'the CFO' });
  await fill();
  expect(await showBooksCommand({ by: 'person', timeZone: 'UTC', json: true })).toBe(0);
  expect(JSON.parse(said)[0].by).toEqual({
    "the server's principal: jwt:ann": 1_000,
    'not known': 1_000,
    'not known: before there were books': 500,
  });
});

test.each<[string, { by?: string; identity?: string }, string, object, string]>([
  ['the identity of a client', { identity: 'ann@laptop', by: 'x' }, 'approve', {}, "the client's identity: ann@laptop"],
  ['the own word of a message', { by: 'the CFO' }, 'approve', {}, "the message's own word: the CFO"],
  [
    'a schedule of the file',
    {},
    'start',
    { schedule: 'audit-runner.morning' },
    'a schedule of the file: audit-runner.morning',
  ],
  ['another schedule', {}, 'start', { schedule: 'mine' }, 'a schedule: mine'],
  ['a budget', { identity: 'ann' }, 'start', { maxCredits: 1 }, "a budget in the input, the client's identity: ann"],
  // Whoever calls themselves so is still only a client.
  [
    'a name like another kind',
    { identity: "the server's principal: jwt:cfo" },
    'approve',
    {},
    "the client's identity: the server's principal: jwt:cfo",
  ],
])('show by person names %s', async (_, who, update, of, shown) => {
  await say(update, who, of);
  await fill();
  expect(await showBooksCommand({ by: 'person', timeZone: 'UTC' })).toBe(0);
  expect(said).toMatch(new RegExp(`^${shown} +1,000$`, 'm'));
});

test('acts are the last ones, the last first; those before them are shown by the number of an entry', async () => {
  for (const nth of [1, 2, 3, 4, 5]) await say('pause', { by: `p${nth}` });
  const shown = () => [...said.matchAll(/\bp\d\b/g)].join(' ');
  expect(await listActsCommand({ timeZone: 'UTC', limit: 2 })).toBe(0);
  expect(shown()).toBe('p5 p4');
  expect(said).toContain('The last 2 of 5; --before 5 shows those before them.');
  said = '';
  expect(await listActsCommand({ timeZone: 'UTC', limit: 2, before: 5 })).toBe(0);
  expect(shown()).toBe('p3 p2');
  said = '';
  expect(await listActsCommand({ timeZone: 'UTC', limit: 2, before: 3, json: true })).toBe(0);
  expect(JSON.parse(said)).toMatchObject([{ user: 'u1', acts: [{ by: 'p1', seq: 2 }], earlier: 0 }]);
  said = '';
  expect(await listActsCommand({ timeZone: 'UTC' })).toBe(0);
  expect(shown()).toBe('p5 p4 p3 p2 p1');
  expect(said).not.toContain('The last');
  said = '';
  expect(await listActsCommand({ timeZone: 'UTC', until: '2026-11-30T23:29:00Z' })).toBe(0);
  expect(said).toContain('nobody said anything to a run');
});

test('export gives the entries of a time', async () => {
  await fill();
  expect(await exportBooksCommand({ format: 'csv', timeZone: 'UTC', until: '2026-11-30' })).toBe(0);
  expect(said.trim().split('\n')).toHaveLength(1);
  said = '';
  expect(await exportBooksCommand({ format: 'json', timeZone: 'UTC', since: '2026-11-30' })).toBe(0);
  expect(said.trim().split('\n')).toHaveLength(6);
});

test('spend without a server tells what the books say, says what is missing, and fails as a server that is away does', async () => {
  await fill();
  jest.mocked(Date.now).mockRestore();
  expect(await spendCommand({})).toBe(4);
  expect(said).toContain('Account main, user u1: 2,500 credits booked, 1,000 reserved\n');
  expect(said).toMatch(/^2026-10-31 +500$/m);
  expect(said).toMatch(
    /Balance, holds and calls under way are not known: no Temporal server answers at 127\.0\.0\.1:1/,
  );
  said = '';
  expect(await spendCommand({ by: 'subject', json: true })).toBe(4);
  const [json = ''] = said.split(/^\]$/m);
  expect(JSON.parse(`${json}]`)).toMatchObject([
    { user: 'u1', by: { 'lead:l1': 1_000, 'lead:l2': 1_000 }, open: 1_000 },
  ]);
});

test('export has a line for each entry, in which no spreadsheet finds a formula', async () => {
  await fill();
  expect(await exportBooksCommand({ format: 'csv', timeZone: 'UTC' })).toBe(0);
  const lines = said.trim().split('\n');
  expect(lines).toHaveLength(7);
  expect(lines[0]).toContain('subject,run,attempt,reserved,credits,outcome');
  expect(lines[2]).toContain('sending,lead:l1,one,a-l1,1000,,');
  expect(lines[3]).toContain('became,lead:l1,one,a-l1,,1000,paid');
  // What was booked, once: before there were books, and by the two that were paid.
  const booked = lines.slice(1).map((line) => Number(line.split(',')[8]));
  expect(booked.reduce((sum, credits) => sum + credits, 0)).toBe(2_500);
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
