import { type AnalysisSeen, isNew } from '../../src/audits/analysis';

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
