import { type AnalysisSeen, isNew, isOursAfterRunning, isRewritten, mayBeRewritten } from '../../src/audits/analysis';

const at = (minute: number) => `2026-03-02T08:0${minute}:00.000Z`;
const none: AnalysisSeen = { state: 'none' };
const analysis = (state: AnalysisSeen['state'], id?: string, createdAt?: string): AnalysisSeen => ({
  state,
  ...(id && { id }),
  ...(createdAt && { createdAt }),
});

test.each<[string, AnalysisSeen, AnalysisSeen, boolean | undefined]>([
  ['none shows', none, none, false],
  ['the first one', analysis('complete', 'a', at(1)), none, true],
  ['the same', analysis('complete', 'a', at(1)), analysis('complete', 'a', at(1)), false],
  ['the same, and no time is shown', analysis('complete', 'a'), analysis('complete', 'a'), false],
  ['another', analysis('failed', 'b', at(2)), analysis('complete', 'a', at(1)), true],
  ['another within the same moment', analysis('complete', 'b', at(1)), analysis('complete', 'a', at(1)), true],
  ['another, and no time is shown', analysis('complete', 'b'), analysis('complete', 'a'), true],
  ['an older one behind it', analysis('complete', 'a', at(1)), analysis('failed', 'b', at(2)), false],
  ['the same place used again', analysis('complete', 'a', at(2)), analysis('complete', 'a', at(1)), true],
  ['only times are shown', analysis('complete', undefined, at(1)), analysis('complete', undefined, at(1)), false],
  ['the one that was running', analysis('complete', 'a', at(1)), analysis('running', 'a', at(1)), true],
  [
    'an older one behind the one that was running',
    analysis('complete', 'a', at(1)),
    analysis('running', 'b', at(2)),
    false,
  ],
  ['nothing tells', analysis('complete'), analysis('complete'), undefined],
  ['one was running and nothing else tells', analysis('complete'), analysis('running'), true],
])('%s', (_, now, before, expected) => {
  expect(isNew(now, before)).toBe(expected);
});

/** Before the run's starts, and before the last of them. */
const started = (firstStart: AnalysisSeen, thisStart = firstStart) => ({ firstStart, thisStart });
const updated = (seen: AnalysisSeen, minute: number) => ({ ...seen, updatedAt: at(minute) });
const first = analysis('complete', 'a', at(1));

test.each<[string, AnalysisSeen, AnalysisSeen, boolean]>([
  ['changed since', updated(first, 3), updated(first, 2), true],
  ['left as it was', updated(first, 2), updated(first, 2), false],
  ['an older copy of it', updated(first, 1), updated(first, 2), false],
  ['no change is shown', first, first, false],
  ['still running', updated(analysis('running', 'a', at(1)), 3), updated(first, 2), false],
  ['failed before, complete now', first, analysis('failed', 'a', at(1)), true],
  ['another one, behind it', updated(analysis('complete', 'b', at(0)), 3), updated(first, 2), false],
])('one analysis for each project: %s', (_, now, before, expected) => {
  expect(isRewritten(now, started(before))).toBe(expected);
});

test('one that was seen running in the place of the one before is the new one when it has ended', () => {
  expect(isOursAfterRunning(first, started(first))).toBe(true);
  expect(isOursAfterRunning(analysis('failed', 'a', at(1)), started(first))).toBe(true);
  expect(isOursAfterRunning(first, started(analysis('complete', 'b', at(2))))).toBe(false);
  expect(isOursAfterRunning(none, started(first))).toBe(false);
});

test('only what nothing shows to be the one before may be the new one in its place', () => {
  expect(mayBeRewritten(first, started(first))).toBe(true);
  expect(mayBeRewritten(updated(first, 2), started(updated(first, 2)))).toBe(false);
  expect(mayBeRewritten(analysis('complete', 'b', at(1)), started(first))).toBe(false);
  expect(mayBeRewritten(analysis('complete'), started(analysis('complete')))).toBe(false);
});
