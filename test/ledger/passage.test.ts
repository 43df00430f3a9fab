import { openLedger } from '../../src/ledger';
import { isSamePassage, PASSAGE, passageIn, passageOf } from '../../src/ledger/passage';

const told = {
  ...{ of: 'run-1', at: 1_000, holds: [{ kind: 'token' }], parked: { reads: 2_000 }, balanceFloor: 0, timeZone: 'UTC' },
};
const describedAs = (passage: unknown, runId = 'run-1') => ({ memo: { [PASSAGE]: passage }, runId });

test('what a run has told counts', () => {
  expect(passageIn(describedAs(told))).toEqual(told);
});

test('what another one has told does not, nor what somebody has written who could not know its ID', () => {
  expect(passageIn(describedAs(told, 'run-2'))).toBeUndefined();
  expect(passageIn(describedAs({ ...told, of: undefined }))).toBeUndefined();
});

test('nothing is parked for longer than a message may say', () => {
  expect(passageIn(describedAs({ ...told, parked: { reads: 9e15 } }))).toBeUndefined();
});

test.each([
  ['nothing told', undefined],
  ['null', null],
  ['a text', 'free'],
  ['a hold of a later version', { ...told, holds: [{ kind: 'fullMoon' }] }],
  ['a moment that is none', { ...told, parked: { reads: 'soon' } }],
])('in %s there is nothing: the ledger is asked', (_, passage) => {
  expect(passageIn(describedAs(passage))).toBeUndefined();
  expect(passageIn({ runId: 'run-1' })).toBeUndefined();
});

test('a park that is over is not told', () => {
  const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
  const start = { account: 'a', timing, budget: { perDay: null, balanceFloor: 5, timeZone: 'UTC' } };
  const state = { ...openLedger(start, 0, false), parked: { reads: 1_000, notes: 2_000 } };
  expect(passageOf(state, 'run-1', 1_000)).toEqual({
    ...{ of: 'run-1', at: 1_000, holds: [], parked: { notes: 2_000 }, balanceFloor: 5, timeZone: 'UTC' },
  });
});

test('the same said later is the same', () => {
  const passage = passageIn(describedAs(told));
  if (!passage) throw new Error('it is none');
  expect(isSamePassage(passage, { ...passage, at: 5_000 })).toBe(true);
  expect(isSamePassage(passage, { ...passage, takesTurns: true })).toBe(false);
});
