/** S4: a token file that others can read is told, with the command that mends it, by `doctor` and by a worker. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTokenFile } from '../../src/cli/doctor/machine';
import { onStage } from '../support/stage';
import { cliFolder } from './cli';

const folder = mkdtempSync(join(tmpdir(), 'audit-runner-token-'));
const cli = cliFolder();
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});

test('doctor tells it', () => {
  const check = (mode: number, name = 'token') => {
    const file = join(folder, name);
    writeFileSync(file, 'x');
    chmodSync(file, mode);
    return checkTokenFile('default', file);
  };
  expect(check(0o600)).toMatchObject([{ state: 'ok' }]);
  expect(check(0o400)).toMatchObject([{ state: 'ok' }]);
  expect(check(0o640)).toMatchObject([
    { state: 'wrong', found: expect.stringContaining('640'), mend: `chmod 600 ${folder}/token` },
  ]);
  expect(check(0o604)).toMatchObject([{ state: 'wrong' }]);
  expect(check(0o644, 'my token')).toMatchObject([{ mend: `chmod 600 '${folder}/my token'` }]);
  expect(check(0o644, '$(x)')).toMatchObject([{ mend: 'chmod 600 <file>' }]);
  expect(checkTokenFile('default', undefined)).toEqual([]);
  expect(checkTokenFile('default', join(folder, 'none'))).toEqual([]);
  // Compose gives it to the container with the mode that it has outside.
  expect(checkTokenFile('default', '/run/secrets/agent_api_token')).toMatchObject([
    { state: 'ok', found: expect.stringContaining('of this container') },
  ]);
});

test.each([
  ['640', 1],
  ['600', 0],
])('a worker whose token file has the mode %s warns of it %i times', (mode, times) =>
  onStage({}, async (stage) => {
    const file = join(stage.folder, 'token');
    chmodSync(file, Number.parseInt(mode, 8));
    const worker = cli.start(['worker'], { ...stage.env, LOG_LEVEL: 'info' });
    await worker.said('account is ready');
    const warnings = worker.stdout.split('\n').filter((line) => line.includes('chmod'));
    expect(warnings).toHaveLength(times);
    for (const line of warnings)
      expect(JSON.parse(line)).toMatchObject({
        ...{ level: 40, account: 'default' },
        msg: `others than its owner may use ${file} (mode ${mode}): run \`chmod 600 ${file}\``,
      });
    worker.signal('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  }),
);
