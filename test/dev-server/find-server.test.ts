import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { downloadServer } from '../../src/dev-server/download-server';
import { DOWNLOADS, type Downloads } from '../../src/dev-server/downloads';
import { CLI_VERSION, cacheFolder, findServer, NoTemporalServer } from '../../src/dev-server/find-server';
import type { Env } from '../../src/temporal/environment';
import { packageRoot } from '../../src/temporal/package-root';
import { until } from '../support/until';
import { executable, remove, temporaryFolder, version } from '../temporal/support';

const BUILT = 'printf \'#!/bin/sh\\necho "temporal version 0.0.0-DEV (Server 1.29.1, UI 2.0.0)"\\n\'';
/** A `go` that builds a `temporal` and notes that it did, with what arguments and settings. */
const goInstall = (note: string, before = ':') =>
  `${before}\necho "$* GOFLAGS=$GOFLAGS" >> ${note}\n${BUILT} > "$GOBIN/temporal"\n/bin/chmod +x "$GOBIN/temporal"`;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

let folder: string;
let bin: string;
let env: Env;
let lines: string[];
const log = (line: string) => void lines.push(line);

/** Stands where the SDK's download would leave the machine, so that no test does. */
let proxy: Server;
let refusesAt: string;

beforeAll(async () => {
  proxy = createServer((socket) => socket.destroy());
  refusesAt = await listen(proxy);
});
afterAll(() => new Promise((resolve) => proxy.close(resolve)));

beforeEach(async () => {
  folder = await temporaryFolder();
  bin = path.join(folder, 'bin');
  lines = [];
  env = { PATH: bin, HOME: folder, XDG_CACHE_HOME: path.join(folder, 'cache'), HTTPS_PROXY: refusesAt };
});
afterEach(() => remove(folder));

test('takes the `temporal` on the PATH before the one in the cache', async () => {
  const onPath = await executable(bin, 'temporal', version('1.30.0'));
  await executable(cacheFolder(env), 'temporal', version('1.29.1'));
  await expect(findServer(env, log)).resolves.toEqual({ file: onPath, serverVersion: '1.30.0' });
  expect(lines).toEqual([]);
});

test.each([
  ['1.28.3', 'older'],
  ['1.33.0', 'newer'],
])('says of a `temporal` on the PATH with server %s that it is %s than those tested, and takes it', async (v, how) => {
  const onPath = await executable(bin, 'temporal', version(v));
  await expect(findServer(env, log)).resolves.toEqual({ file: onPath, serverVersion: v });
  expect(lines).toEqual([`${onPath} brings Temporal server ${v}, ${how} than those tested (1.29 to 1.32)`]);
});

test.each([
  ['is too old', version('1.24.2')],
  ['does not run', 'exit 1'],
  ['says nothing of a server', 'echo temporal'],
])('takes the cached one when the `temporal` on the PATH %s', async (_, script) => {
  await executable(bin, 'temporal', script);
  const cached = await executable(cacheFolder(env), 'temporal', version('1.29.1'));
  await expect(findServer(env, log)).resolves.toEqual({ file: cached, serverVersion: '1.29.1' });
});

test('builds one with go install when the download fails, once, and keeps it', async () => {
  const note = path.join(folder, 'builds');
  await executable(bin, 'go', goInstall(note));
  const cached = path.join(cacheFolder(env), 'temporal');
  await expect(findServer(env, log)).resolves.toEqual({ file: cached, serverVersion: '1.29.1' });
  await expect(findServer(env, log)).resolves.toEqual({ file: cached, serverVersion: '1.29.1' });
  expect(await readFile(note, 'utf8')).toBe(
    'install github.com/temporalio/cli/cmd/temporal@v1.5.1 GOFLAGS=-modcacherw\n',
  );
  expect(await readdir(cacheFolder(env))).toEqual(['temporal', 'temporal.sha256']);
  expect(lines[0]).toBe('downloading the Temporal server, once');
  expect(lines[1]).toBe('building the Temporal server, about three minutes, once: 0 s');
});

test('S4: what is fetched, and what fetches it, is started without the tokens and keys of this process', async () => {
  const note = path.join(folder, 'seen');
  await executable(bin, 'go', goInstall(path.join(folder, 'builds'), `/usr/bin/env >> ${note}`));
  const secrets = {
    AGENT_API_TOKEN: 'aky_secret',
    AUDIT_RUNNER_ENCRYPTION_KEYS: 'key-1',
    AWS_SECRET_ACCESS_KEY: 'aws-1',
  };
  await findServer({ ...env, ...secrets, GOPROXY: 'https://proxy.example.com', LANG: 'C.UTF-8' }, log);
  const seen = await readFile(note, 'utf8');
  expect(seen).toContain('GOPROXY=https://proxy.example.com');
  expect(seen).toContain('LANG=C.UTF-8');
  expect(seen).not.toMatch(/aky_secret|key-1|aws-1/);
});

test('replaces a cached one that does not run', async () => {
  await executable(cacheFolder(env), 'temporal', 'exit 1');
  await executable(bin, 'go', goInstall(path.join(folder, 'builds')));
  await expect(findServer(env, log)).resolves.toMatchObject({ serverVersion: '1.29.1' });
});

test('S4: one that was changed after it was fetched, or first seen, is not started', async () => {
  const note = path.join(folder, 'builds');
  await executable(bin, 'go', goInstall(note));
  await findServer(env, log);
  expect(lines.at(-1)).toMatch(/SHA-256 [0-9a-f]{64}$/);
  await executable(cacheFolder(env), 'temporal', `${version('1.29.1')} # and something else`);
  await expect(findServer(env, log)).rejects.toThrow(/temporal is not what was fetched: its SHA-256 is [0-9a-f]{64}/);
  expect((await readFile(note, 'utf8')).trim().split('\n')).toHaveLength(1);
});

test('says what was tried, and what to do, when no way leads to a server', async () => {
  await executable(bin, 'temporal', version('1.24.2'));
  await executable(bin, 'go', 'echo "go: no network" >&2; exit 1');
  const error = await findServer(env, log).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(NoTemporalServer);
  const message = error instanceof Error ? error.message : '';
  expect(message).toContain(`${bin}/temporal brings Temporal server 1.24.2; 1.25 is the oldest that will do`);
  expect(message).toContain(`none in ${cacheFolder(env)}`);
  expect(message).toMatch(/the SDK's download failed: .*temporal\.download/);
  expect(message).toContain('`go install` failed: go: no network');
  expect(message).toContain('set TEMPORAL_ADDRESS');
  expect(message.match(/none in/g)).toHaveLength(1);
});

test('gives up a download from which nothing arrives, and leaves no process behind', async () => {
  const open = new Set<Socket>();
  const silent = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    socket.resume();
  });
  const hangs = { ...env, HTTPS_PROXY: await listen(silent) };
  await expect(downloadServer(cacheFolder(env), '1.5.1', hangs, log, { stalledMs: 3_000 })).rejects.toThrow(
    'nothing arrived for 3 s',
  );
  // On a slow machine it may have been ended before it had asked at all.
  await until(() => open.size === 0);
  silent.close();
});

describe('a download whose hash is listed', () => {
  const PUBLISHED = `#!/bin/sh\n${version('1.29.1')}\n`;
  const here = `${process.platform}-${process.arch}`;
  const downloads = (of: Record<string, string>) => ({ '1.5.1': of });
  const listed = downloads({ [here]: createHash('sha256').update(PUBLISHED).digest('hex') });
  let server: HttpServer;
  /** What the server gives. */
  let content: string;

  beforeEach(async () => {
    server = createHttpServer((_, response) => response.end(content));
    const url = await listen(server);
    // In the place of the SDK's: it leaves what it downloads in the folder.
    const script = path.join(folder, 'download.js');
    await writeFile(
      script,
      `fetch('${url}').then(async (reply) => require('node:fs').writeFileSync(process.argv[2] + '/cli', await reply.text(), { mode: 0o755 }));`,
    );
    find = (of) =>
      findServer(env, log, {
        download: (to, v, childEnv, say) => downloadServer(to, v, childEnv, say, { script, downloads: of }),
      });
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));
  let find: (of: Downloads) => ReturnType<typeof findServer>;

  test('is taken where it has that hash', async () => {
    content = PUBLISHED;
    await expect(find(listed)).resolves.toMatchObject({ serverVersion: '1.29.1' });
    expect(lines).toContain('what was downloaded has the SHA-256 that is listed');
  });

  test('S4: is refused and deleted where it has another, and nothing is built in its place', async () => {
    content = `${PUBLISHED}# and something else\n`;
    const note = path.join(folder, 'builds');
    await executable(bin, 'go', goInstall(note));
    await expect(find(listed)).rejects.toThrow(
      /is not what Temporal published: its SHA-256 is [0-9a-f]{64}, and [0-9a-f]{64} is listed\. It was deleted\./,
    );
    expect(await readdir(cacheFolder(env))).toEqual([]);
    expect(existsSync(note)).toBe(false);
  });

  test.each([
    ['the platform', downloads({ 'plan9-mips': '0'.repeat(64) })],
    ['the version', { '1.5.0': listed['1.5.1'] }],
  ])('is trusted when it is first fetched where %s is not listed, and shown', async (_, of) => {
    content = `${PUBLISHED}# and something else\n`;
    await expect(find(of)).resolves.toMatchObject({ serverVersion: '1.29.1' });
    expect(lines.at(-1)).toMatch(/SHA-256 [0-9a-f]{64}$/);
  });

  test('has a place in the table of the version that is fetched', () => {
    expect(Object.keys(DOWNLOADS)).toEqual([CLI_VERSION]);
    for (const [platform, hash] of Object.entries(DOWNLOADS[CLI_VERSION] ?? {})) {
      expect(platform).toMatch(/^(linux|darwin|win32)-(x64|arm64)$/);
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});

describe('two processes that start at once', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const script = `const { findServer } = require(${JSON.stringify(path.join(packageRoot(), 'dist/src/dev-server/find-server.js'))});
    findServer(process.env, console.log).then(({ file }) => console.log('found ' + file));`;
  const start = (environment: Env) => {
    const child = spawn(process.execPath, ['-e', script], {
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    return { child, output: () => output };
  };

  test('fetch the server once; the second waits and says for whom', async () => {
    const note = path.join(folder, 'builds');
    const gate = path.join(folder, 'gate');
    await executable(bin, 'go', goInstall(note, `while [ ! -e ${gate} ]; do /bin/sleep 0.05; done`));
    const [first, second] = [start(env), start(env)];
    const waits = () => [first, second].filter(({ output }) => output().includes('waiting for it'));
    await until(() => waits().length === 1);
    await writeFile(gate, '');
    await until(() => [first, second].every(({ output }) => output().includes('found')));
    expect((await readFile(note, 'utf8')).trim().split('\n')).toHaveLength(1);
    const [builder] = [first, second].filter((one) => !waits().includes(one));
    expect(waits()[0]?.output()).toContain(`another audit-runner (process ${builder?.child.pid})`);
  });

  test('do not wait for one that was killed while it built', async () => {
    const begun = path.join(folder, 'begun');
    await executable(bin, 'go', `: > ${begun}; exec /bin/sleep 5`);
    const first = start(env);
    await until(() => existsSync(begun));
    first.child.kill('SIGKILL');
    await until(() => first.child.signalCode !== null);
    await executable(bin, 'go', goInstall(path.join(folder, 'builds')));
    const second = start(env);
    await until(() => second.output().includes('found'));
    expect(second.output()).not.toContain('waiting for it');
  });
});
