import { describeOlderKeys } from '../../../src/cli/doctor/older-keys';

const none = new Map<string, string[]>();

test('a key that nothing needs can go, where all was looked at', () => {
  expect(describeOlderKeys(['k1'], { keys: none, looked: 501, left: 0 })).toEqual({
    words: '; key k1 is needed by no open run and no schedule',
    isKnown: true,
  });
});

test('where there was no time for all open runs it is not known that nothing needs a key', () => {
  const { words, isKnown } = describeOlderKeys(['k1'], { keys: none, looked: 1_234, left: 2_000 });
  expect(isKnown).toBe(false);
  expect(words).toContain('by none of the 1,234 oldest open runs; there was no time to look at the other 2,000');
  expect(words).toContain('keep the key');
});

test('what needs a key is named, five of them', () => {
  const keys = new Map([['k1', Array.from({ length: 7 }, (_, i) => `r${i}`)]]);
  expect(describeOlderKeys(['k1'], { keys, looked: 9, left: 3 })).toEqual({
    words: '; key k1 is needed by r0, r1, r2, r3, r4 and 2 more',
    isKnown: true,
  });
  expect(describeOlderKeys(['k1', 'k2'], { keys, looked: 9, left: 3 }).isKnown).toBe(false);
});
