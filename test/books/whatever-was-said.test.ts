/** S1, S3, S8: what the books allow follows from the configuration and the books, whatever the ledger was told by a message. */
import { randomUUID } from 'node:crypto';
import type { Begun } from '../../src/books/entry';
import { leadSubject } from '../../src/paying/subject';
import { at, booksOf, NOTHING, paid, pay } from './books.stage';

const HOUR = 3_600_000;
const ASKED = { lagMs: 300_000 };
const reading = (amount: number, askedAt = at.now) => ({ ...ASKED, amount, askedAt });

test('S1: a call is over by the times of its process, though the ledger was told shorter ones', async () => {
  const books = booksOf('w1');
  expect(await pay(books, 'l1', { overAt: at.now + 3 })).toBeUndefined();
  at.now += 400_000;
  // The service may still commit the first: a look that does not find it says nothing.
  expect(await pay(books, 'l1', { attempt: 'b' })).toMatchObject({ kind: 'open', attempt: 'a-l1' });
  at.now += 200_000;
  expect(await pay(books, 'l1', { attempt: 'b' })).toBeUndefined();
});

test('S1: nobody has looked later than now: a look in the future frees nothing', async () => {
  const books = booksOf('w1');
  await pay(books, 'l1');
  const lookedAt = at.now + HOUR;
  expect(await pay(books, 'l1', { attempt: 'b', lookedAt })).toMatchObject({ kind: 'open' });
  await books.became(leadSubject('l1'), '', 'ledger', { kind: 'foundNothing', lookedAt });
  expect(Object.keys((await books.standing()).sends.open)).toEqual([leadSubject('l1')]);
});

describe('S3: what must remain of the balance', () => {
  const ceilings = { balanceFloor: 40_000 };

  test('is not spent without a reading, nor below it', async () => {
    const books = booksOf('w1');
    expect(await pay(books, 'l1', { ceilings })).toEqual({ kind: 'unread' });
    expect(await pay(books, 'l1', { ceilings, reading: reading(40_999) })).toEqual({
      ...{ kind: 'capped', cap: 'floor', credits: 1_000 },
    });
    expect(await pay(books, 'l1', { ceilings, reading: reading(41_000) })).toBeUndefined();
  });

  test('counts what is open, and what was paid too late for the reading to show it', async () => {
    const [one, other] = [booksOf('w1'), booksOf('w2')];
    await pay(one, 'l1');
    expect(await pay(other, 'l2', { ceilings, reading: reading(41_999) })).toMatchObject({ cap: 'floor' });
    await paid(one, 'l1');
    expect(await pay(other, 'l2', { ceilings, reading: reading(41_999) })).toMatchObject({ cap: 'floor' });
    at.now += 300_001;
    expect(await pay(other, 'l2', { ceilings, reading: reading(41_999) })).toBeUndefined();
    expect(await other.obstacle({ ...NO_CEILING, ...ceilings }, { credits: 1_000 }, reading(41_999))).toMatchObject({
      cap: 'floor',
    });
  });
});
const NO_CEILING = { perRun: null, perDay: null, perMonth: null };

describe('S3: the price of the last reply', () => {
  const ceilings = { perDay: 10_000 };
  const granted = async (from: number, worker: string, asked = {}) => {
    const books = booksOf(worker);
    const answers = [];
    for (let n = from; n < from + 12; n++) answers.push(await pay(books, `l${n}`, { ceilings, ...asked }));
    return answers.filter((answer) => answer === undefined).length;
  };

  test('counts from then on, for every process and on every day', async () => {
    await pay(booksOf('w1'), 'l0');
    await paid(booksOf('w1'), 'l0', { credits: 1_500 });
    at.now += 2 * HOUR;
    expect(await granted(1, 'w2')).toBe(6);
  });

  test('is the configured one again after a cheaper reply', async () => {
    const books = booksOf('w1');
    for (const [lead, credits] of [
      ['l0', 1_500],
      ['l1', 1_000],
    ] as const) {
      await pay(books, lead);
      await paid(books, lead, { credits });
    }
    at.now += 2 * HOUR;
    expect(await granted(2, 'w2')).toBe(10);
  });

  test('is not believed any more once the configuration names another, as after a reply that was wrong', async () => {
    const books = booksOf('w1');
    await pay(books, 'l0');
    await paid(books, 'l0', { credits: 1_000_000 });
    at.now += 2 * HOUR;
    expect(await pay(books, 'l1', { ceilings })).toMatchObject({ cap: 'day', credits: 1_000_000 });
    expect(await pay(books, 'l1', { ceilings, credits: 1_200 })).toBeUndefined();
    expect(await pay(booksOf('w2'), 'l2', { ceilings, credits: 1_200 })).toBeUndefined();
  });
});

test('S3: the price of a reply that was wrong is forgotten when a person releases the account', async () => {
  const ceilings = { perDay: 10_000 };
  const books = booksOf('w1');
  await pay(books, 'l0');
  await paid(books, 'l0', { credits: 1_000_000 });
  at.now += 2 * HOUR;
  expect(await pay(books, 'l1', { ceilings })).toMatchObject({ cap: 'day', credits: 1_000_000 });
  const waiting = { credits: 1_000, call: { subject: leadSubject('l1'), credits: 1_000 } };
  expect(await books.obstacle({ ...NO_CEILING, balanceFloor: 0, ...ceilings }, waiting)).toMatchObject({
    credits: 1_000_000,
  });
  const release = { update: 'release', workflowId: 'account-ledger.u1', runId: 'r', when: at.now, said: '{}' };
  await books.act({ kind: 'act', ...release }, randomUUID());
  expect(await pay(booksOf('w2'), 'l1', { ceilings })).toBeUndefined();
  // The next reply is believed again.
  await paid(books, 'l1', { credits: 1_500 });
  expect(await pay(books, 'l2', { ceilings: { perDay: 2_500 } })).toMatchObject({ cap: 'day', credits: 1_500 });
});

test('S7: what an earlier try has reserved does not keep the run that would replace it', async () => {
  const books = booksOf('w1');
  await pay(books, 'l1');
  await pay(books, 'l2');
  at.now += 600_000;
  const waiting = (lead: string) => ({ credits: 1_000, call: { subject: leadSubject(lead), credits: 1_000 } });
  const asked = (lead: string, limits: object) =>
    books.obstacle({ ...NO_CEILING, balanceFloor: 0, ...limits }, waiting(lead));
  for (const limits of [{ perDay: 2_000 }, { perMonth: 2_000 }]) {
    expect(await asked('l3', limits)).toMatchObject({ kind: 'capped' });
    expect(await asked('l2', limits)).toBeUndefined();
  }
  // As where it is sent.
  const ceilings = { perDay: 2_000 };
  expect(await pay(books, 'l3', { ceilings })).toMatchObject({ kind: 'capped' });
  expect(await pay(books, 'l2', { ceilings, attempt: 'b' })).toBeUndefined();
});

test('S3: what was under way at midnight counts for the day in which it may be booked, too', async () => {
  const ceilings = { perDay: 5_000 };
  const books = booksOf('w1');
  at.now = Date.parse('2026-11-30T23:59:58Z');
  for (let n = 0; n < 5; n++) expect(await pay(books, `l${n}`, { ceilings })).toBeUndefined();
  at.now += 4_000;
  expect(await pay(books, 'l5', { ceilings })).toMatchObject({ kind: 'capped', cap: 'day' });
  for (let n = 0; n < 4; n++) await paid(books, `l${n}`);
  await books.became(leadSubject('l4'), 'a-l4', 'run', { kind: 'notPaid' });
  expect(await pay(books, 'l5', { ceilings })).toBeUndefined();
  // What nobody has told the end of counts as spent on its own day alone.
  at.now += 24 * HOUR;
  for (let n = 6; n < 11; n++) expect(await pay(books, `l${n}`, { ceilings })).toBeUndefined();
});

test('S1: what was paid before there were books is not paid again by a look from before that', async () => {
  const settled = {
    subject: leadSubject('l1'),
    attempt: 'a',
    run: 'r',
    at: at.now - 60_000,
    credits: 1_000,
    byLook: false,
  };
  const begun: Begun = { ...NOTHING, settled: [settled], forgottenBefore: at.now - HOUR };
  const books = booksOf('w1', { begun });
  expect(await pay(books, 'l1', { lookedAt: at.now - 120_000 })).toMatchObject({ kind: 'stale' });
  expect(await pay(books, 'l2', { lookedAt: at.now - HOUR })).toMatchObject({ kind: 'stale' });
  expect(await pay(books, 'l2')).toBeUndefined();
});
