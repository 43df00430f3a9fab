/** The step of CI that checks the signatures of what is installed, with an `npm` that says what is to be judged. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const STEP = join(__dirname, '..', '..', '.ci', 'signatures');
const folder = mkdtempSync(join(tmpdir(), 'audit-runner-signatures-'));
afterAll(() => rmSync(folder, { recursive: true }));

function judged(says: string) {
  writeFileSync(join(folder, 'says'), says);
  const npm = join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\necho "$*" > ${folder}/asked\ncat ${folder}/says\n`);
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const { status, stdout } = spawnSync(process.execPath, [STEP], { encoding: 'utf8', env });
  return { status, said: stdout.trim() };
}

const one = { name: 'left-pad', version: '1.3.0', registry: 'https://registry.example.com/' };

test('valid ones pass; npm asks once', () => {
  expect(judged('{"invalid":[],"missing":[]}')).toEqual({ status: 0, said: 'all signatures are valid' });
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain('audit signatures --json --fetch-retries=0');
});

test.each(['invalid', 'missing'])('one that is %s fails, with the name of the package', (how) => {
  expect(judged(JSON.stringify({ invalid: [], missing: [], [how]: [one] }))).toEqual({
    status: 1,
    said: `left-pad@1.3.0: the signature is ${how}`,
  });
});

test.each(['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT'])(
  'without a way to the keys (%s) it says that it did not check',
  (code) => {
    expect(judged(JSON.stringify({ error: { code, summary: 'x' } }))).toEqual({
      status: 0,
      said: `not checked: the keys or signatures cannot be fetched (${code})`,
    });
  },
);

test.each([
  JSON.stringify({ error: { code: 'TUF_ERROR', summary: 'the root is not signed' } }),
  '',
  'null',
  '{}',
  '[]',
])('anything else fails: %j', (says) => expect(judged(says).status).toBe(1));
