/** The tests' own guard: who leaves something behind fails. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT = join(__dirname, '..', '..');
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

test('a test that leaves a process, a server or a timer behind fails, and so does a file', () => {
  const { projects } = require('../tiers').running(['unit']);
  const { testMatch: _, ...unit } = projects[0];
  const config = { ...unit, rootDir: ROOT, testRegex: 'test/support/fixtures/leaves' };
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = [jest, '--config', JSON.stringify(config), '--json', '--runInBand', '--forceExit'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const { testResults } = Report.parse(JSON.parse(stdout));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const said = (title: string) => tests.find((one) => one.title === title)?.failureMessages.join();
  expect(said('leaves a process')).toMatch(/the test leaves behind: the process \d+ \(sleep 60/);
  expect(said('leaves a server')).toContain('the test leaves behind: a server that listens');
  expect(said('leaves a timer')).toContain('the test leaves behind: a timer');
  expect(tests.find(({ title }) => title === 'leaves nothing')?.status).toBe('passed');
  const file = testResults.find(({ name }) => name.endsWith('leaves-at-end.ts'));
  expect(file).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('this file leaves behind: a server'),
  });
});
