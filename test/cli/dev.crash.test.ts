import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN } from '../agent-api/server';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

const REAL = { AGENT_API_BASE_URL: 'http://127.0.0.1:1', AGENT_API_TOKEN: TOKEN };

/** Starts it, with leads that cost. */
async function dev() {
  const started = cli.start(['dev', '--speed', '2', '--leads', '20', '--credits', '7000']);
  await started.said('Ctrl-C ends everything');
  return {
    ...{ stdout: started.stdout, address: /Temporal +(127\.0\.0\.1:\d+)/.exec(started.stdout)?.[1] ?? '' },
    async end() {
      started.signal('SIGINT');
      expect((await started.ended).code).toBe(0);
    },
  };
}

/** Converts two leads. @returns its standard error */
async function convertTwo(): Promise<string> {
  const { code, stdout, stderr } = await cli.run(['run', 'leadPipeline', '--input', '{"maxConversions": 2}', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/sandbox\/workflows\/lead-pipeline\./),
    result: { ended: 'done', counts: { converted: 2 }, credits: 2_000 },
  });
  expect(code).toBe(0);
  // What the sandbox began with shows in what is left of it.
  const balance = await cli.run(['api', 'account.credits', '--json']);
  expect(JSON.parse(balance.stdout).reply).toMatchObject({ allocation: 7_000, balance: 5_000 });
  return stderr;
}

test('dev is found by commands in the same folder, and ends everything on Ctrl-C; the next one begins anew', async () => {
  const first = await dev();
  expect(first.stdout).toMatch(/Web UI +http:\/\/127\.0\.0\.1:\d+/);
  expect(first.stdout).toMatch(
    /start here +http:\/\/127\.0\.0\.1:\d+\/namespaces\/sandbox\/workflows\/start-here\/[0-9a-f-]{36}\/user-metadata$/m,
  );
  expect(await convertTwo()).toContain('Converting 2 leads');
  const books = await cli.run(['books', 'show', '--by', 'subject', '--json']);
  expect(JSON.parse(books.stdout)).toMatchObject([{ credits: 2_000, account: 'default' }]);

  await first.end();
  await expect(fetch(`http://${first.address}`)).rejects.toThrow('fetch failed');
  // Nothing of a sandbox is there for configured accounts to go on with, or to be taken for what they paid.
  expect(existsSync(join(cli.folder, '.audit-runner', 'temporal.db'))).toBe(false);
  expect((await cli.run(['books', 'show'])).stderr).toContain('there are no books');

  const second = await dev();
  await convertTwo();
  await second.end();
});

test('while dev runs its sandbox, nothing in its folder is about configured accounts', async () => {
  const { address, end } = await dev();
  const inFolder = async (args: string[], env: Record<string, string>, code: number) => {
    const ended = await cli.run(args, { ...REAL, ...env });
    expect(ended).toMatchObject({ code });
    return ended;
  };
  expect((await inFolder(['dev', '--real'], {}, 1)).stderr).toContain('runs in this folder; end that one first');
  for (const env of [{}, { TEMPORAL_ADDRESS: address }]) {
    expect((await inFolder(['worker'], env, 2)).stderr).toContain('no worker of configured accounts joins that');
    expect((await inFolder(['doctor'], env, 1)).stdout).toMatch(/WRONG +server: that of the sandbox which/);
    const { stderr } = await inFolder(['run', 'leadPipeline', '--input', '{"dryRun": true}'], env, 0);
    expect(stderr).toContain('this is about the sandbox, and not about what is configured');
    expect(stderr).toContain(`for account default, on Temporal ${address}, namespace sandbox.`);
  }
  await end();
});

test('dev does not put its sandbox on a Temporal server that may have real accounts', async () => {
  const { code, stderr } = await cli.run(['dev'], { TEMPORAL_ADDRESS: '127.0.0.1:7233' });
  expect(stderr).toContain('the sandbox must not share a server with real accounts');
  expect(code).toBe(2);
});
