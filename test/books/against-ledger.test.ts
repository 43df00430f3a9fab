/** S8: what nothing in the storage vouches for is compared with what the ledger has heard. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bookedBy, lackingIn, leftReserved } from '../../src/books/against-ledger';
import { linesOf } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import * as ledger from '../../src/ledger';
import { leadSubject } from '../../src/paying/subject';
import { openStorage } from '../../src/storage';
import { at, booksOf, entries, paid, pay, sealedAgain } from './books.stage';

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const budget = { perRun: null, perDay: null, balanceFloor: 0, timeZone: 'UTC' };
const MINUTE = 60_000;

let state: ledger.LedgerState;
let books: ReturnType<typeof booksOf>;
beforeEach(() => {
  state = ledger.openLedger({ account: 'main', timing, budget }, at.now - 1, false);
  books = booksOf('w1');
});

/** Both hear of it, as when a worker pays. */
async function begin(lead: string) {
  const request = { subject: leadSubject(lead), attempt: `a-${lead}`, run: 'run', credits: 1_000, lookedAt: at.now };
  state = ledger.beginSend(state, { ...request, runCap: 1e6 }, at.now).state;
  await pay(books, lead);
}
async function end(lead: string) {
  const settlement = { kind: 'paid', credits: 1_000 } as const;
  const settled = { subject: leadSubject(lead), attempt: `a-${lead}`, run: 'run', settlement };
  await paid(books, lead);
  state = ledger.settle(state, settled, at.now).state;
}
const last = () => join(entries(), readdirSync(entries()).sort().at(-1) ?? '');

async function lacking(afterMs = 10 * MINUTE): Promise<string[]> {
  const standing = new Standing('UTC');
  for await (const _ of linesOf(openStorage(at.folder), 'u1', standing));
  return lackingIn(standing, state, at.now + afterMs);
}

test('books that have all of it lack nothing, also while a call is under way', async () => {
  await begin('l1');
  await end('l1');
  await begin('l2');
  expect(await lacking()).toEqual([]);
});

test('what became of the last call is missing', async () => {
  await begin('l1');
  await end('l1');
  unlinkSync(last());
  expect(await lacking()).toEqual([
    'by the ledger 1,000 credits were paid for lead:l1, booked at 2026-11-30 23:00:00 UTC; in the books what became of it is missing',
  ]);
});

test('the last payment is missing, and with it its credits', async () => {
  for (const lead of ['l1', 'l2']) {
    await begin(lead);
    await end(lead);
  }
  for (const _ of [1, 2]) unlinkSync(last());
  expect(await lacking()).toEqual([
    expect.stringMatching(/paid for lead:l2, .*; the books know nothing of it$/),
    expect.stringMatching(/^1,000 of the credits booked since 2026-\d\d-\d\d are missing in them$/),
  ]);
});

test.each([10, 9_000])(
  'the last entry was changed along with its checksum: by it %s credits were paid',
  async (credits) => {
    await begin('l1');
    await end('l1');
    const forged = readFileSync(last(), 'utf8').replace('"credits":1000', `"credits":${credits}`);
    writeFileSync(last(), sealedAgain(forged));
    expect(await lacking()).toContainEqual(
      expect.stringMatching(new RegExp(`paid for lead:l1, .*; by the books it was ${credits.toLocaleString('en')}$`)),
    );
  },
);

test('a call that is under way is missing, once it would have been written', async () => {
  await begin('l1');
  await begin('l2');
  unlinkSync(last());
  expect(await lacking(30_000)).toEqual([]);
  expect(await lacking(2 * MINUTE)).toEqual([
    'the ledger has a call for lead:l2 under way since 2026-11-30 23:00:00 UTC, of which the books know nothing',
  ]);
});

test('a hold that stood in them is missing', async () => {
  const said = { hold: { value: 'month end', by: 'Ada', at: at.now } };
  await books.say(said);
  state = { ...state, keptSaid: ledger.momentsOf(said) };
  expect(await lacking()).toEqual([]);
  unlinkSync(last());
  expect(await lacking()).toEqual([
    'hold or limits, as people have set them, were in the books once and are not there any more',
  ]);
});

test('of what both have forgotten the sums of thirty days tell', async () => {
  await begin('l1');
  await end('l1');
  const before = readdirSync(entries());
  await begin('l2');
  await end('l2');
  state = { ...state, flights: { ...state.flights, settled: [] } };
  expect(await lacking()).toEqual([]);
  for (const name of readdirSync(entries())) if (!before.includes(name)) unlinkSync(join(entries(), name));
  expect(await lacking()).toEqual([
    expect.stringMatching(/^1,000 of the credits booked since .* are missing in them$/),
  ]);
});

const clear = (lead: string) => {
  const said = JSON.stringify({ subject: leadSubject(lead), reason: 'not in the web app' });
  const act = { workflowId: 'account-ledger.u1', runId: 'r', when: at.now, said };
  return books.act({ kind: 'act', update: 'clear', ...act }, randomUUID());
};

test('a call that was cleared is missing nowhere, and excuses no credits that are missing', async () => {
  await begin('l1');
  at.now += 70 * MINUTE;
  await clear('l1');
  // Written, and not taken yet.
  expect(await lacking()).toEqual([]);
  state = ledger.clear(state, leadSubject('l1')).state;
  expect(await lacking()).toEqual([]);
  expect(bookedBy(await books.standing(), at.now, 'UTC')).toMatchObject({ reserved: 0 });
  await begin('l2');
  await end('l2');
  unlinkSync(last());
  expect(await lacking()).toContainEqual(expect.stringMatching(/paid for lead:l2, .* what became of it is missing$/));
});

test('what stays reserved is told once no look books it any more, where the ledger holds nothing for it, until it is cleared', async () => {
  await begin('l1');
  const over = at.now + 515_000;
  await pay(books, 'l2');
  const left = async (afterMs: number) => leftReserved(await books.standing(), state, over + afterMs);
  expect(await left(60 * MINUTE)).toEqual([]);
  expect(await left(60 * MINUTE + 1)).toEqual([
    "1,000 credits stay reserved for lead:l2, which was over at 2026-11-30 23:08:35 UTC, and nobody has told what became of it: if it was not paid, send 'clear' to the ledger",
  ]);
  at.now += 2 * 60 * MINUTE;
  await clear('l2');
  expect(await left(60 * MINUTE + 1)).toEqual([]);
});
