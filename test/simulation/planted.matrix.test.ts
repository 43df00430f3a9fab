/** Bugs that the simulation finds soon; `npm run simulate -- --planted all` plants every one, which takes an hour or two. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = join(__dirname, '../../dist/test/simulation/run.js');
const LIMIT_MS = 300_000;

test.each([
  ['the ledger grants to everybody', /S1|S3/],
  ["an attempt's name is used again", /S1/],
  ['a settlement books nothing', /S3/],
  ['a cap does not count what is under way', /S3/],
  ['the cap of the day is off by one call', /S3/],
  ['open sends are forgotten at continue-as-new', /S1|S3/],
  ['what was paid for is reported as free', /S6/],
  ['code that knows whether it is replayed', /determinism/],
  ['a wait is not said', /S7/],
])(
  'the simulation finds that %s',
  async (bug, rule) => {
    const args = ['--max-semi-space-size=64', PROGRAM, '--from', '4', '--seeds', '60', '--planted', bug];
    const failed: unknown = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^seed \d+: /m) });
    expect(/^seed \d+: (\w+)/m.exec((failed as { stdout: string }).stdout)?.[1]).toMatch(rule);
  },
  LIMIT_MS,
);
