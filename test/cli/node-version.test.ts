/** Which Node the command line, the build and `doctor` take. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeProblem, wanted } from '../../bin/node-version';
import { checkNode } from '../../src/cli/doctor/machine';

const BIN = join(__dirname, '..', '..', 'bin');
const folder = mkdtempSync(join(tmpdir(), 'audit-runner-node-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the version that is wanted stands in package.json alone', () => {
  const { engines } = JSON.parse(readFileSync(join(BIN, '..', 'package.json'), 'utf8'));
  expect(engines.node).toBe(`>=${wanted}`);
});

test.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0', '100.0.0'])('%s will do', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
  expect(checkNode(version)).toMatchObject({ state: 'ok' });
});

test.each(['12.22.12', '18.20.8', '20.18.3', '8.0.0'])(
  '%s is refused with what is there and what is needed',
  (version) => {
    expect(nodeProblem(version)).toContain(`needs Node ${wanted} or later, and this is ${version}`);
    expect(checkNode(version)).toMatchObject({ state: 'wrong', mend: expect.stringContaining('nodejs.org') });
  },
);

test.each(['audit-runner.js', 'clean.js'])('%s ends on an old Node before it reads anything else', (file) => {
  const fake = join(folder, 'fake.js');
  writeFileSync(
    fake,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', fake, join(BIN, file), '--version'], {
    encoding: 'utf8',
  });
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('this is 18.20.8')]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});

test('what an old Node must read has nothing that it cannot', () => {
  for (const file of ['audit-runner.js', 'node-version.js'])
    expect(readFileSync(join(BIN, file), 'utf8')).not.toMatch(/\?\?|\?\.|require\('node:|^import |#\w+\(/m);
});
