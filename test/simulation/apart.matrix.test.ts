/**
 * Stories of one subject; `npm run simulate -- --losses --seeds 1000` and `--attacks` play many more.
 *
 * @takes 150 s
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = join(__dirname, '../../dist/test/simulation/run.js');
const LIMIT_MS = 600_000;

async function simulate(kind: 'losses' | 'attacks', stories: number): Promise<string> {
  const args = ['--max-semi-space-size=64', PROGRAM, `--${kind}`, '--from', '1', '--seeds', `${stories}`];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--processes', '1']);
  expect(stdout).toMatch(new RegExp(`^${stories} stories`, 'm'));
  return stdout;
}

test(
  'nobody pays twice, and the books of a new ledger are those of the service, whatever of Temporal was lost (S1, S3, S8)',
  async () => expect(await simulate('losses', 12)).toMatch(/setTemporalBack [1-9]/),
  LIMIT_MS,
);

test(
  'no message to any run, and no input of any run, spends more than a day may cost, or stops a workflow (S3, S8)',
  async () => expect(await simulate('attacks', 4)).toMatch(/attack \d{3}/),
  LIMIT_MS,
);
