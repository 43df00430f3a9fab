import { couldBe, identifyNote, isBehind, mayBe, sameText, textKey } from '../../src/captures/note';

test('white space, line ends and the form of characters do not make another text', () => {
  expect(textKey('Caf\u00e9\r\n\r\n  au lait ')).toBe(textKey('\ufeffCafe\u0301 au\u00a0lait'));
  expect(textKey('Café au lait')).not.toBe(textKey('Cafe au lait'));
  expect(textKey(' \n\t')).toBeUndefined();
  expect(textKey(null)).toBeUndefined();
});

test('a note is the same by text, account, project and reference; of one text all IDs begin alike', () => {
  const note = identifyNote('default', 'p1', 'Call Ada');
  expect(identifyNote('default', 'p1', ' Call\nAda ')).toEqual(note);
  const others = [
    identifyNote('other', 'p1', 'Call Ada'),
    identifyNote('default', undefined, 'Call Ada'),
    identifyNote('default', 'p1', 'Call Ada', 'again'),
  ];
  expect(new Set([note, ...others].map(({ id }) => id)).size).toBe(4);
  for (const { id } of others) expect(id.startsWith(sameText(note))).toBe(true);
  expect(identifyNote('default', 'p1', 'Call Eve').id.startsWith(sameText(note))).toBe(false);
});

test('S4: nothing of the text is in what the ledger and histories hold', () => {
  expect(JSON.stringify(identifyNote('default', 'p1', 'Ada', 'Ada'))).not.toContain('Ada');
});

const SINCE = 1_000_000;
const capture = (
  id: string,
  at: number,
  more: { projectId?: string; updatedAt?: string; rawContent?: string } = {},
) => ({
  ...{ id, status: 'pending', rawContent: 'Call Ada', createdAt: new Date(at).toISOString() },
  ...more,
});
const note = identifyNote('default', 'p1', 'Call Ada');

test('what could be a note has its text, is not from before it, and is not of another project', () => {
  const page = [
    capture('later', SINCE + 9_000),
    capture('same second', SINCE - 500),
    capture('by a clock that is behind', SINCE - 240_000),
    capture('old', SINCE - 360_000),
    capture('another text', SINCE, { rawContent: 'Call Eve' }),
    capture('another project', SINCE, { projectId: 'p2' }),
    capture('shown project', SINCE + 20_000, { projectId: 'p1' }),
    { id: 'undated', status: 'pending', rawContent: ' call Ada'.replace('c', 'C') },
  ];
  const found = couldBe(page, note, 'p1', SINCE);
  expect(found[0]).toBe('shown project');
  expect([...found].sort()).toEqual(['by a clock that is behind', 'later', 'same second', 'shown project', 'undated']);
  expect(couldBe(page, note, undefined, SINCE)).not.toContain('shown project');
});

test('the rest of the list is left only where the page proves that it is older', () => {
  const [newer, older, oldest] = [SINCE + 5_000, SINCE - 305_000, SINCE - 309_000];
  const page = (...times: number[]) => times.map((at, i) => capture(String(i), at));
  expect(isBehind(page(newer, older, oldest), SINCE)).toBe(true);
  expect(isBehind(page(oldest, older), SINCE)).toBe(false);
  expect(isBehind(page(newer, oldest, older), SINCE)).toBe(false);
  expect(isBehind(page(older, older), SINCE)).toBe(false);
  expect(isBehind(page(newer, SINCE), SINCE)).toBe(false);
  expect(isBehind([], SINCE)).toBe(false);
  expect(isBehind([capture('a', newer), { id: 'b', status: 'pending' }], SINCE)).toBe(false);
  const changed = new Date(newer).toISOString();
  expect(isBehind([capture('a', newer), capture('b', older, { updatedAt: changed })], SINCE)).toBe(false);
});

test('S2: what may be a note is not shown, cut, changed, or the same for several; and not from before it', () => {
  const text = 'Call Ada about the prices of the second gate';
  const shown = (id: string, rawContent: string | null, at = SINCE) => ({ ...capture(id, at), rawContent });
  const page = [
    shown('nothing', null),
    shown('cut', 'Call Ada about…'),
    shown('wrapped', `From: Eve. ${text} --`),
    shown('masked', 'Call *** about the prices of the second gate'),
    shown('placeholder', '[hidden]'),
    shown('placeholder too', '[hidden]'),
    shown('another', 'Stocks are low at the harbour'),
    shown('old', null, SINCE - 360_000),
  ];
  const doubtful = ['nothing', 'cut', 'wrapped', 'masked', 'placeholder', 'placeholder too'];
  expect(mayBe(page, text, undefined, SINCE)).toEqual(doubtful);
  expect(mayBe(page, undefined, undefined, SINCE)).toEqual([...doubtful, 'another']);
});

test.each([
  'Prices &lt; 5 &amp; [terms]',
  'Prices \\< 5 \\& \\[terms\\]',
  '<p>Prices &amp;lt; 5 &amp;amp; [terms]</p>',
])('a text is read through what services make of it: %s', (rawContent) => {
  const sought = identifyNote('default', undefined, 'Prices < 5 & [terms]');
  expect(couldBe([{ ...capture('it', SINCE), rawContent }], sought, undefined, SINCE)).toEqual(['it']);
});
