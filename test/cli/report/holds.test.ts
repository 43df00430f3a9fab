import { type HoldNews, spansOf } from '../../../src/cli/report/holds';

const period = [1_000, 9_000] as const;
const began = (at: number, what = 'killSwitch'): HoldNews => ({ at, kind: 'holdBegan', what });
const ended = (at: number, what = 'killSwitch'): HoldNews => ({ at, kind: 'holdEnded', what });

test('news pair up by kind, in whatever order they are read; the latest hold is first', () => {
  const news = [ended(5_000), began(4_000), began(2_000, 'manual'), ended(3_000, 'manual')];
  expect(spansOf(news, [], 0, period).spans).toEqual([
    { kind: 'killSwitch', from: 4_000, to: 5_000 },
    { kind: 'manual', from: 2_000, to: 3_000 },
  ]);
});

test('a hold that is there now has no end, and is there once', () => {
  expect(spansOf([began(4_000)], [{ kind: 'killSwitch', since: 3_990 }], 0, period).spans).toEqual([
    { kind: 'killSwitch', from: 3_990 },
  ]);
});

test('a hold whose beginning is not known begins where knowledge does; one that has ended untold ends now', () => {
  expect(spansOf([ended(5_000), began(6_000)], [], 2_000, period)).toEqual({
    knownFrom: 2_000,
    spans: [
      { kind: 'killSwitch', from: 6_000, to: 9_000 },
      { kind: 'killSwitch', from: 2_000, to: 5_000 },
    ],
  });
});

test('a hold before the period is left out', () => {
  expect(spansOf([began(100), ended(900), began(950), ended(1_100)], [], 0, period).spans).toEqual([
    { kind: 'killSwitch', from: 950, to: 1_100 },
  ]);
});
