import { serverCheck } from '../../../src/cli/doctor/temporal';

test('a server of a tested version is well', () => {
  expect(serverCheck('127.0.0.1:7233, namespace default', '1.31.2')).toEqual({
    ...{ area: 'Temporal', name: 'server', state: 'ok' },
    found: '127.0.0.1:7233, namespace default, version 1.31.2',
  });
});

test.each([
  ['1.28.0', 'version 1.28.0, older than those tested (1.29 to 1.32)'],
  ['1.33.0', 'version 1.33.0, newer than those tested (1.29 to 1.32)'],
  ['', 'version (it does not say), not known to be one of those tested (1.29 to 1.32)'],
])('another one, such as %p, is worth a look, and no failure', (version, found) => {
  expect(serverCheck('there', version)).toMatchObject({
    state: 'warning',
    found: `there, ${found}`,
    mend: expect.stringContaining('1.29 to 1.32'),
  });
});
