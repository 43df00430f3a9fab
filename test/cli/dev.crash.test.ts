import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

test('dev is found by run in the same folder, keeps its runs, and ends everything on Ctrl-C', async () => {
  const dev = cli.start(['dev', '--speed', '2', '--leads', '20', '--credits', '7000']);
  await dev.said('Ctrl-C ends everything');
  expect(dev.stdout).toMatch(/Web UI +http:\/\/127\.0\.0\.1:\d+/);
  expect(dev.stdout).toMatch(
    /start here +http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/start-here\/[0-9a-f-]{36}\/user-metadata$/m,
  );

  const { code, stdout, stderr } = await cli.run(['run', 'leadPipeline', '--input', '{"maxConversions": 2}', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/lead-pipeline\./),
    result: { ended: 'done', counts: { converted: 2 }, credits: 2_000 },
  });
  expect(stderr).toContain('Converting 2 leads');
  expect(code).toBe(0);

  // What the sandbox began with shows in what is left of it.
  const balance = await cli.run(['api', 'account.credits', '--json']);
  expect(JSON.parse(balance.stdout).reply).toMatchObject({ allocation: 7_000, balance: 5_000 });

  dev.signal('SIGINT');
  expect((await dev.ended).code).toBe(0);
  const address = /Temporal +(http:\/\/)?(127\.0\.0\.1:\d+)/.exec(dev.stdout)?.[2] ?? '';
  await expect(fetch(`http://${address}`)).rejects.toThrow('fetch failed');
  expect(existsSync(join(cli.folder, '.audit-runner', 'temporal.db'))).toBe(true);
});

test('dev does not put its sandbox on a Temporal server that may have real accounts', async () => {
  const { code, stderr } = await cli.run(['dev'], { TEMPORAL_ADDRESS: '127.0.0.1:7233' });
  expect(stderr).toContain('the sandbox must not share a server with real accounts');
  expect(code).toBe(2);
});
