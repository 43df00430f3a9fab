/** The page on security names files: each is there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { textOf } from './documents';

const named = [...textOf('docs/security.md').matchAll(/`([\w./-]+\.(?:ts|yml|Dockerfile)|Dockerfile)`/g)].map(
  ([, file = '']) => file,
);

test('it names tests and the files of what stops a threat', () => {
  expect(named.filter((file) => file.endsWith('.test.ts')).length).toBeGreaterThan(30);
  expect(named.filter((file) => file.startsWith('src/')).length).toBeGreaterThan(20);
});

test.each([...new Set(named)])('%s is there', (file) => {
  expect(existsSync(join(packageRoot(), file.endsWith('.test.ts') ? 'test' : '', file))).toBe(true);
});
