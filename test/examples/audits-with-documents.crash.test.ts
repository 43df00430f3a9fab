import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { playAudits } from './audits-with-documents.suite';

const folder = mkdtempSync(join(tmpdir(), 'audit-runner-no-python-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without Python, audits-with-documents says plainly that it has a folder, and does the rest alike', async () => {
  const python = join(folder, 'python3');
  writeFileSync(python, '#!/bin/sh\nexit 1\n');
  chmodSync(python, 0o755);
  const run = await playAudits({ PATH: [folder, process.env.PATH].join(delimiter), STORAGE_URL: '' });
  expect(run.stderr).toContain('No S3 server: moto, the S3 server of the tests, cannot be installed: it needs python3');
  expect(run.stderr).toContain('This runs with a folder in the place of the bucket');
  expect(run.stdout).toMatch(/^report +file:/m);
  expect(existsSync(join(run.folder, 'storage', 'harbour', 'interview.txt'))).toBe(true);
});
