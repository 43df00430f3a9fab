import { identifyNote, sameText, textKey } from '../../src/policy/note';

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
