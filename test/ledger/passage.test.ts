import { isSamePassage, PASSAGE, passageIn } from '../../src/ledger/passage';

const told = { at: 1_000, holds: [{ kind: 'token' }], parked: { reads: 2_000 }, balanceFloor: 0, timeZone: 'UTC' };
const since = (ms: number) => new Date(ms);

test('what a run has told since it began counts', () => {
  expect(passageIn({ [PASSAGE]: told }, since(1_000))).toEqual(told);
});

test('what was told before it began is the word of another run', () => {
  expect(passageIn({ [PASSAGE]: told }, since(1_001))).toBeUndefined();
});

test.each([
  ['no memo', undefined],
  ['nothing told', {}],
  ['null', { [PASSAGE]: null }],
  ['a text', { [PASSAGE]: 'free' }],
  ['a hold of a later version', { [PASSAGE]: { ...told, holds: [{ kind: 'fullMoon' }] } }],
  ['a moment that is none', { [PASSAGE]: { ...told, parked: { reads: 'soon' } } }],
])('in %s there is nothing: the ledger is asked', (_, memo) => {
  expect(passageIn(memo, since(0))).toBeUndefined();
});

test('the same said later is the same', () => {
  const passage = passageIn({ [PASSAGE]: told }, since(0));
  if (!passage) throw new Error('it is none');
  expect(isSamePassage(passage, { ...passage, at: 5_000 })).toBe(true);
  expect(isSamePassage(passage, { ...passage, takesTurns: true })).toBe(false);
});
