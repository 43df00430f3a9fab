/**
 * Bugs that the simulation finds soon; `npm run simulate -- --planted all` plants every one, which takes an hour or two.
 *
 * @takes 390 s
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = join(__dirname, '../../dist/test/simulation/run.js');
const LIMIT_MS = 600_000;

test.each([
  ['the ledger grants to everybody', 4, /S[1238]/],
  ["an attempt's name is used again", 4, /S[1238]/],
  ['a settlement books nothing', 4, /S[38]/],
  ['a cap does not count what is under way', 15, /S3/],
  ['the cap of the day is off by one call', 15, /S3/],
  ["the cap of a run's input is not kept", 6, /S3/],
  ['a pipeline converts more leads than its input allows', 4, /S3/],
  ['a pipeline waits for no approval', 8, /S3/],
  ['an account on hold goes on to pay', 72, /S3/],
  ['open sends are forgotten at continue-as-new', 130, /S8/],
  ['what was paid for is reported as free', 4, /S6/],
  ['code that knows whether it is replayed', 4, /determinism/],
  ['a wait is not said', 4, /S7/],
  ['what is paid is not written into the books', 4, /S[68]/],
])(
  'the simulation finds that %s, in the stories from seed %i on',
  async (bug, from, rule) => {
    const args = ['--max-semi-space-size=64', PROGRAM, '--from', `${from}`, '--seeds', '60', '--planted', bug];
    const failed: unknown = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^seed \d+: /m) });
    expect(/^seed \d+: (\w+)/m.exec((failed as { stdout: string }).stdout)?.[1]).toMatch(rule);
  },
  LIMIT_MS,
);
