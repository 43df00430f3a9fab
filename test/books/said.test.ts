/** S8: what people said stands in the books: hold and limits as typed words, and everything as a log. */
import type { Act } from '../../src/books/entry';
import { at, booksOf } from './books.stage';

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
  expect(standing.kept.said).toEqual({ hold: note('month end', 20), perDay: note(null, 30) });
  // What they begin with, and two words.
  expect(standing.seq).toBe(3);
});

test.each([
  ['a time zone that is none', { timeZone: note('x', 1) }],
  ['a limit of half a credit', { perDay: note(0.5, 1) }],
  ['a limit below nothing', { perDay: note(-5, 1) }],
  ['a moment that is none', { hold: note('x', Number.NaN) }],
])('%s is not written: a ledger that takes the books over could not live with it', async (_, said) => {
  const books = booksOf('w1');
  await books.say(said).catch(() => undefined);
  expect((await booksOf('w2').standing()).said).toEqual({});
});

test('an act is written once, however often it is tried, and by whichever process', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  for (const books of [one, other, one]) await books.act(act(at.now), id);
  expect((await booksOf('w3').standing()).seq).toBe(2);
});
