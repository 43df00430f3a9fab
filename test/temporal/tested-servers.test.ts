import { TESTED_SERVERS, untestedServer } from '../../src/temporal/tested-servers';

test('servers of the tested minors are taken without a word, whatever their patch is', () => {
  expect(TESTED_SERVERS).toBe('1.29 to 1.32');
  for (const version of ['1.29.0', '1.29.1', 'v1.30.4', '1.31.2', '1.31.99-rc.1', '1.31', '1.32.1'])
    expect([version, untestedServer(version)]).toEqual([version, undefined]);
});

test.each([
  ['1.28.9', 'older'],
  ['0.99.0', 'older'],
  ['1.2.0', 'older'],
  ['1.33.0', 'newer'],
  ['v1.310.0', 'newer'],
  ['2.0.0', 'newer'],
])('%s is %s', (version, how) => {
  expect(untestedServer(version)).toBe(`${how} than those tested (1.29 to 1.32)`);
});

test.each(['', undefined, null, 'main', '1', '1.x'])('%p is not known', (version) => {
  expect(untestedServer(version)).toContain('not known to be one of those tested');
});
