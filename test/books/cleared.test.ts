/** S3, S8: a call that a person has cleared reserves nothing once no look books it any more; what is told of it still counts. */
import { randomUUID } from 'node:crypto';
import type { Books } from '../../src/books/books';
import type { Ceilings } from '../../src/books/ceilings';
import type { Act } from '../../src/books/entry';
import * as ledger from '../../src/ledger';
import { leadSubject } from '../../src/paying/subject';
import { at, booksOf, paid, pay } from './books.stage';

const OVER_MS = 515_000;
/** So long afterwards a look may still book it. */
const LATE_MS = 3_600_000;
const LAG_MS = 300_000;
const ONE: Partial<Ceilings> = { perDay: 1_000 };

beforeEach(() => {
  at.now = Date.parse('2026-11-30T12:00:00Z');
});

const clear = (books: Books, lead: string, act: Partial<Act> = {}) =>
  books.act(
    {
      ...{ kind: 'act', update: 'clear', workflowId: 'account-ledger.u1', runId: 'r', when: at.now },
      said: JSON.stringify({ subject: leadSubject(lead), reason: 'not in the web app' }),
      ...act,
    },
    randomUUID(),
  );

/** A call whose outcome nobody has told, and no look either. */
async function unsettled(afterMs = OVER_MS + LATE_MS + 1): Promise<Books> {
  const books = booksOf('w1');
  expect(await pay(books, 'l1')).toBeUndefined();
  at.now += afterMs;
  return books;
}
const capped = { kind: 'capped', cap: 'day' };
const reading = (amount = 2_000) => ({ amount, askedAt: at.now, lagMs: LAG_MS });

test.each<Partial<Ceilings>>([ONE, { perMonth: 1_000 }, { perRun: 1_000 }])(
  'it counts towards %j until it is cleared, for every process',
  async (ceilings) => {
    const books = await unsettled();
    expect(await pay(books, 'l2', { ceilings })).toMatchObject({ kind: 'capped' });
    await clear(books, 'l1');
    expect(await pay(booksOf('w2'), 'l2', { ceilings })).toBeUndefined();
    expect(await pay(books, 'l3', { ceilings })).toMatchObject({ kind: 'capped' });
  },
);

test.each([OVER_MS - 1, OVER_MS + 1])(
  'S8: cleared after %d ms, it counts for as long as a look may book it',
  async (afterMs) => {
    const books = await unsettled(afterMs);
    await clear(books, 'l1');
    expect(await pay(books, 'l2', { ceilings: ONE })).toMatchObject(capped);
    at.now += OVER_MS + LATE_MS - afterMs;
    expect(await pay(books, 'l2', { ceilings: ONE })).toMatchObject(capped);
    at.now += 1;
    expect(await pay(books, 'l2', { ceilings: ONE })).toBeUndefined();
  },
);

test('S1: before it is over, it is not sent again, whoever says that it did not happen', async () => {
  const books = await unsettled(OVER_MS - 1);
  await clear(books, 'l1');
  expect(await pay(books, 'l1', { attempt: 'b' })).toMatchObject({ kind: 'open', attempt: 'a-l1' });
});

test.each<[what: string, act: () => Partial<Act>]>([
  ['from before it was granted', () => ({ when: at.now - OVER_MS - LATE_MS - 1 })],
  ['about another subject', () => ({ said: JSON.stringify({ subject: leadSubject('l9') }) })],
  ['that cannot be read', () => ({ said: '{"subject": "lead:l' })],
  ['said to another run', () => ({ workflowId: 'convert-lead.main.l1' })],
])('a word %s frees nothing', async (_, act) => {
  const books = await unsettled();
  await clear(books, 'l1', act());
  expect(await pay(books, 'l2', { ceilings: ONE })).toMatchObject(capped);
});

test('nor does one that was refused after it was written, or that came when nothing was reserved', async () => {
  const books = booksOf('w1');
  await clear(books, 'l1');
  await pay(books, 'l1');
  at.now += OVER_MS + LATE_MS + 1;
  expect(await pay(books, 'l2', { ceilings: ONE })).toMatchObject(capped);
  await clear(books, 'l1');
  await clear(books, 'l1', { update: 'clear, refused' });
  expect(await pay(books, 'l2', { ceilings: ONE })).toMatchObject(capped);
});

test('the next attempt at the same subject is reserved again', async () => {
  const books = await unsettled();
  await clear(books, 'l1');
  expect(await pay(books, 'l1', { attempt: 'b', ceilings: ONE })).toBeUndefined();
  at.now += OVER_MS + LATE_MS + 1;
  expect(await pay(books, 'l2', { ceilings: ONE })).toMatchObject(capped);
});

test.each<[what: string, tell: (books: Books) => Promise<void>]>([
  ['by its own reply', (books) => paid(books, 'l1')],
  ['by a look', (books) => books.became(leadSubject('l1'), '', 'ledger', { kind: 'foundPaid' })],
])('what it cost all the same, %s, counts in full and once', async (_, tell) => {
  const books = await unsettled();
  await clear(books, 'l1');
  await tell(books);
  expect(await pay(booksOf('w2'), 'l2', { ceilings: ONE })).toMatchObject(capped);
  expect(await pay(books, 'l2', { ceilings: { perDay: 2_000 } })).toBeUndefined();
  expect((await books.kept())?.runs).toEqual({ run: 1_000 });
});

test.each([true, false])(
  'S3: of the balance it counts until a reading must show it; cleared: %s',
  async (isCleared) => {
    const books = await unsettled(OVER_MS + 1);
    const ceilings = { balanceFloor: 1_000 };
    if (isCleared) await clear(books, 'l1');
    expect(await pay(books, 'l2', { ceilings, reading: reading() })).toMatchObject({ cap: 'floor' });
    at.now += LAG_MS - 1;
    expect(await pay(books, 'l2', { ceilings, reading: reading() })).toMatchObject({ cap: 'floor' });
    at.now += 1;
    expect(await pay(books, 'l2', { ceilings, reading: reading(1_999) })).toMatchObject({ cap: 'floor' });
    expect(await pay(books, 'l2', { ceilings, reading: reading() })).toBeUndefined();
  },
);

test('S8: a ledger that takes over or rereads the books does not hold it again', async () => {
  const budget = { perRun: null, perDay: null, balanceFloor: 0, timeZone: 'UTC' };
  const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: LAG_MS };
  const begun = ledger.openLedger({ account: 'main', timing, budget }, at.now, false);
  const books = await unsettled();
  const heldAfter = async () => {
    const kept = await books.kept();
    const asked = { at: at.now, open: {} };
    return Object.keys(ledger.reread(begun, kept ? { books: kept } : {}, asked, at.now).flights.open);
  };
  expect(await heldAfter()).toEqual([leadSubject('l1')]);
  await clear(books, 'l1');
  expect(await heldAfter()).toEqual([]);
});
