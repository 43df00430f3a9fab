/** What a command says of files, ports, disks and settings that cannot be used; and of what is nobody's fault but ours. */
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { sentenceOf } from '../../src/cli/sentence';
import { startServer } from '../../src/dev-server/server';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
const SECRET = 'not-for-anybody';
const TOKEN = `aky_${'f'.repeat(32)}`;
const ACCOUNT = { AGENT_API_BASE_URL: 'http://127.0.0.1:1', AGENT_API_TOKEN: TOKEN };
const NOBODY = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

beforeAll(() => {
  mkdirSync(join(cli.folder, 'folder'));
  const write = (name: string, text: string) => writeFileSync(join(cli.folder, name), text);
  write('broken.yaml', `accounts: {default: {tokenEnv: "${SECRET}`);
  write('broken.toml', `[profile.default]\napi_key = "${SECRET}\n`);
  write(
    'misspelt.toml',
    `[profile.default]\napi_kee = "${SECRET}"\n[profile.default.tls]\nclient_cert_path = "/none"\n`,
  );
});
afterAll(() => cli.close());

const WRONG: readonly [what: string, args: string[], env: Record<string, string>, code: number, says: string][] = [
  ['a configuration that is a folder', ['status', '--config', 'folder'], NOBODY, 2, 'EISDIR'],
  [
    'a configuration that is not there',
    ['status', '--config', 'none.yaml'],
    NOBODY,
    2,
    'there is no configuration file',
  ],
  ['broken YAML', ['status', '--config', 'broken.yaml'], NOBODY, 2, 'broken.yaml: '],
  ['an input that is a folder', ['run', 'leadPipeline', '--input', '@folder'], NOBODY, 2, 'folder cannot be read'],
  [
    'a token file that is a folder',
    ['setup'],
    { ...ACCOUNT, AGENT_API_TOKEN: '', AGENT_API_TOKEN_FILE: 'folder' },
    2,
    'cannot be read',
  ],
  ['a profile that is not there', ['status'], { TEMPORAL_PROFILE: 'nobody' }, 2, "Profile 'nobody' not found"],
  ['a broken profile', ['status', '--verbose'], { TEMPORAL_CONFIG_FILE: 'broken.toml' }, 2, 'Invalid TOML document'],
  ['a profile that is a folder', ['status'], { TEMPORAL_CONFIG_FILE: 'folder' }, 2, 'EISDIR'],
  ['a certificate that is not there', ['status'], { TEMPORAL_TLS_CLIENT_CERT_PATH: '/none' }, 2, '/none'],
  [
    'an API key with a line break',
    ['status', '--verbose'],
    { TEMPORAL_API_KEY: `${SECRET}\n` },
    2,
    'TEMPORAL_API_KEY: it has a line break',
  ],
  [
    'a malformed encryption key',
    ['status', '--verbose'],
    { ...NOBODY, AUDIT_RUNNER_ENCRYPTION_KEY: SECRET },
    2,
    'openssl rand -base64 32',
  ],
  ['an address with a scheme', ['status'], { TEMPORAL_ADDRESS: 'http://127.0.0.1:1' }, 2, 'is no host:port'],
  [
    'a name that nobody knows',
    ['status'],
    { TEMPORAL_ADDRESS: 'no.such.machine.invalid:7233' },
    4,
    'no machine of that name',
  ],
  ['an address of another machine', ['sandbox', '--host', '192.0.2.1'], {}, 1, 'is no address of this machine'],
];

test.concurrent.each(WRONG)('%s is a sentence', async (_, args, env, code, says) => {
  const end = await cli.run(args, env);
  expect(end.stderr).toContain(says);
  expect(end.stdout + end.stderr).not.toContain(SECRET);
  if (!args.includes('--verbose')) expect(end.stderr).not.toMatch(/^\s+at /m);
  expect(end.code).toBe(code);
});

test('a port in use, a home and a folder that cannot be written are sentences', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await until(() => taken.listening);
  const address = taken.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const sandbox = await cli.run(['sandbox', '--port', port]);
  taken.close();
  expect(sandbox.stderr).toContain('choose another --port');
  expect(sandbox.code).toBe(2);

  // For whoever is root every folder can be written; below a file there is none.
  writeFileSync(join(cli.folder, 'file'), '');
  const home = await cli.run(['dev'], { PATH: '/none', XDG_CACHE_HOME: join(cli.folder, 'file') });
  expect(home.stderr).toContain('has a file where a folder should be');
  expect(home.stderr).not.toMatch(/^\s+at /m);
  expect(home.code).toBe(1);

  rmSync(join(cli.folder, '.audit-runner'), { recursive: true, force: true });
  writeFileSync(join(cli.folder, '.audit-runner'), '');
  for (const command of ['demo', 'dev']) {
    const end = await cli.run([command]);
    expect(end.stderr).toMatch(/\.audit-runner.* (has a file where a folder should be|is there already)/);
    expect(end.stderr).not.toMatch(/^\s+at /m);
    expect(end.code).toBe(1);
  }
});

test('a full disk behind standard output is a sentence, and one behind standard error ends no command otherwise', async () => {
  const full = openSync('/dev/full', 'w');
  const out = await cli.run(['api'], {}, ['ignore', full, 'pipe']);
  expect(out.stderr).toContain('the output cannot be written: the disk is full; make room');
  expect(out.stderr).not.toMatch(/^\s+at /m);
  expect(out.code).toBe(1);
  const silent = await cli.run(['status', '--config', 'folder'], {}, ['ignore', 'pipe', full]);
  expect(silent.code).toBe(2);
  closeSync(full);
});

test.concurrent('--verbose shows stack and causes; without it the sentence says so', async () => {
  const plain = await cli.run(['status'], NOBODY);
  expect(plain.stderr).toMatch(/start it, or set TEMPORAL_ADDRESS \(--verbose shows the rest\)\n$/);
  const whole = await cli.run(['--verbose', 'status'], { ...NOBODY, TEMPORAL_API_KEY: SECRET, TEMPORAL_TLS: 'false' });
  expect(whole.stderr).toMatch(/^\s+at /m);
  expect(whole.stderr).toContain('caused by: Error: Failed to connect before the deadline');
  expect(whole.stderr).not.toContain(SECRET);
});

test.concurrent('a server that goes away while a run is followed leaves the run, and says how to look again', async () => {
  const server = await startServer();
  const run = cli.start(['run', 'leadPipeline', '--id', 'left', '--input', '{"dryRun": true}'], {
    TEMPORAL_ADDRESS: server.address,
  });
  await run.said('Run left');
  await server.kill();
  const end = await run.ended;
  expect(end.stderr).toContain(`no Temporal server answers at ${server.address}`);
  expect(end.stderr).toContain('audit-runner run leadPipeline --attach --id left');
  expect(end.stderr).not.toMatch(/^\s+at /m);
  expect(end.code).toBe(4);
});

describe('sentenceOf', () => {
  test('a mistake of ours is called a bug', () => {
    const { sentence, code } = sentenceOf(new TypeError('x is undefined'));
    expect(sentence).toBe(
      'this is a bug in audit-runner: TypeError: x is undefined; run again with --verbose and report it',
    );
    expect(code).toBe(1);
  });

  test('a system error at the bottom of others is told, with its path', () => {
    const cause = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', path: '/data/x' });
    expect(sentenceOf(new Error('writing failed', { cause }))).toMatchObject({
      code: 1,
      sentence: '/data/x cannot be written: the disk is full; make room',
      whole: false,
    });
  });

  test('frames of a stack that somebody put into a message are left out', () => {
    expect(sentenceOf(new Error('it broke\n    at f (file.js:1:1)')).sentence).toBe('it broke');
  });

  test('S4: what failed a check of its shape is not quoted', () => {
    const error = Object.assign(new Error(`[{"received": "${SECRET}"}]`), { name: 'ZodError' });
    expect(sentenceOf(error).sentence).not.toContain(SECRET);
  });
});
