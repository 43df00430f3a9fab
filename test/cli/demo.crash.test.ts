import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

test('the demo plays leads, an audit and notes through its faults, and the books of ledger and service agree', async () => {
  const { code, stdout, stderr } = await cli.run(['demo', '--speed', '60'], { NO_COLOR: '1' });

  expect(stderr).toMatch(
    /Pipeline {2}http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/lead-pipeline\.default\./,
  );
  expect(stderr).toMatch(/Ledger {4}http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/account-ledger\./);
  expect(stdout).toMatch(/done: \d+ leads: 20 converted, \d+ skipped; 20,000 credits spent/);
  expect(stdout).toMatch(/files {4}3 uploaded, 0 there before, 0 by a person/);
  const [, report = ''] = /report {3}(file:\S+)/.exec(stdout) ?? [];
  expect(readFileSync(fileURLToPath(report), 'utf8')).toContain('Harbour Logistics');
  expect(stdout).toMatch(/ 4 +processed +\d+ +2\n +5 +accepted +0 +0\n/);
  expect(stdout).toMatch(/faults that happened +3 of 3 +right/);
  expect(stdout).toMatch(/by the ledger +21,000 +right/);
  expect(stdout).toMatch(/by the sandbox +21,000 +right/);
  expect(stdout).toMatch(/leads paid for twice +0 +right/);
  expect(stdout).toMatch(/paid calls under way at once +0 subjects +right/);
  // S4: no prospect's address or number, and no token; businesses are named (`showNames`).
  expect(stdout + stderr).not.toMatch(/@example\.com|\+1-555|aky_/);
  expect(code).toBe(0);
  // Nor does it take what another one has left for its own.
  expect((await cli.run(['demo', '--speed', '60'], { NO_COLOR: '1' })).code).toBe(0);
});
