/** Every change behind a patch is in the table, so that a deployment under way can hold it back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReleased, PATCHES, sayOfPatches } from '../../src/runs/patches';

const root = join(__dirname, '../..');
const files = readdirSync(join(root, 'workflows'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const text = files.map((file) => readFileSync(join(root, 'workflows', file), 'utf8')).join('\n');

test('the table has the patches of the workflows, and no others', () => {
  const constants = Object.fromEntries([...text.matchAll(/const (\w+) = '(\w+)';/g)].map(([, name, id]) => [name, id]));
  const used = [...text.matchAll(/\bpatched\((?:'(\w+)'|(\w+))\)/g)].map(([, id, name]) => id ?? constants[name ?? '']);
  expect(used.length).toBeGreaterThan(10);
  expect(Object.keys(PATCHES).sort()).toEqual([...new Set(used)].sort());
});

test('what the version before does not know is held back, and what no table knows', () => {
  expect(Object.keys(PATCHES).filter(isReleased)).toEqual([]);
  expect(isReleased('anyOther')).toBe(false);
});

test('a worker says whether its runs take what is new, and what would hold it back', () => {
  expect(sayOfPatches(true)).toContain('take no change');
  expect(sayOfPatches(false)).toMatch(/^runs take what is new .*AUDIT_RUNNER_HOLD_PATCHES=true/);
});
