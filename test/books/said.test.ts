/** S8: what people said stands in the books: hold and limits as typed words, and everything as a log. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Act } from '../../src/books/entry';
import { mend } from '../../src/books/mending';
import { Standing } from '../../src/books/standing';
import type { Moments } from '../../src/ledger';
import { leadSubject } from '../../src/paying/subject';
import { openStorage } from '../../src/storage';
import { at, booksOf, entries, paid, pay } from './books.stage';

const note = <T>(value: T, ms: number) => ({ value, by: 'Ada', at: ms });
const act = (when: number): Act => ({
  ...{ kind: 'act', update: 'hold', workflowId: 'account-ledger.u1', runId: 'r', when, by: 'Ada', said: '{}' },
});

test('of hold and limits the later word counts, by whichever process and in whichever order it is written', async () => {
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  await one.say({ hold: note('month end', 20), perDay: note(5_000, 10) });
  await other.say({ hold: note(null, 15), perDay: note(null, 30) });
  await one.say({ hold: note('month end', 20) });
  const standing = await booksOf('w3').standing();
  expect(standing.keptIn('UTC').said).toEqual({ hold: note('month end', 20), perDay: note(null, 30) });
  // What they begin with, and two words.
  expect(standing.seq).toBe(3);
});

test.each([
  ['a time zone longer than any name', { timeZone: note('x'.repeat(1_001), 1) }],
  ['a limit of half a credit', { perDay: note(0.5, 1) }],
  ['a limit below nothing', { perDay: note(-5, 1) }],
  ['a moment that is none', { hold: note('x', Number.NaN) }],
])('%s is not written: a ledger that takes the books over could not live with it', async (_, said) => {
  const books = booksOf('w1');
  await books.say(said).catch(() => undefined);
  expect((await booksOf('w2').standing()).said).toEqual({});
});

test('a time zone that this machine does not know is what was said all the same: the books are whole', async () => {
  const said = { timeZone: note('Mars/Olympus', 1) };
  await booksOf('w1').say(said);
  const [line = ''] = readdirSync(entries()).slice(-1);
  expect(readFileSync(join(entries(), line), 'utf8')).toContain('Mars/Olympus');
  expect((await booksOf('w2').standing()).said).toEqual(said);
  const { lost } = await mend(openStorage(at.folder), 'u1', new Standing('UTC'), { givesUpLost: true, now: at.now });
  expect(lost).toEqual([]);
});

test('what the ledger grants without having heard the last word on hold or limits is not sent', async () => {
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  await one.say({ hold: note('month end', 20), perDay: note(5_000, 10) });
  const granted = (lead: string, said?: Moments) => pay(other, lead, { said });
  // A ledger of before its server went back, one that lacks the limit, and one that does not tell.
  expect(await granted('1', { perDay: 10 })).toEqual({ kind: 'behind' });
  expect(await granted('1', { hold: 20 })).toEqual({ kind: 'behind' });
  expect(await granted('1', { hold: 20, perDay: 10 })).toBeUndefined();
  expect(await granted('2', { hold: 30, perDay: 10 })).toBeUndefined();
  expect(await granted('3')).toBeUndefined();
});

test('an act is written once, however often it is tried, and by whichever process', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  for (const books of [one, other, one]) await books.act(act(at.now), id);
  expect((await booksOf('w3').standing()).seq).toBe(2);
});

describe('of the noted balance', () => {
  const noted = (value: number, ms: number) => ({ balance: note(value, ms) });

  test('the books tell what was booked since, whenever the note is written, and by whichever process', async () => {
    const [one, other] = [booksOf('w1'), booksOf('w2')];
    await pay(one, '1');
    await paid(one, '1');
    expect((await one.kept())?.bookedSinceNote).toBeUndefined();
    const notedAt = at.now + 1;
    at.now += 10;
    // It is about the moment before this payment.
    await pay(other, '2');
    await paid(other, '2', { credits: 700 });
    await one.say(noted(50_000, notedAt));
    await one.say(noted(50_000, notedAt));
    expect(await one.kept()).toMatchObject({ said: noted(50_000, notedAt), bookedSinceNote: 700 });
    await pay(other, '3');
    await paid(other, '3');
    // Somebody else had paid for it: it may have been booked before the note.
    await other.became(leadSubject('3'), 'a-3', 'run', { kind: 'notPaid' });
    expect((await booksOf('w3').kept())?.bookedSinceNote).toBe(1_700);
    await other.say(noted(48_300, at.now + 1));
    const standing = await booksOf('w4').standing();
    expect([standing.seq, standing.keptIn('UTC').bookedSinceNote]).toEqual([10, 0]);
  });

  test('a note from before the books explains nothing: what was booked in between has no moment in them', async () => {
    const books = booksOf('w1');
    await books.say(noted(50_000, at.now - 1));
    expect((await books.kept())?.bookedSinceNote).toBeUndefined();
  });
});
