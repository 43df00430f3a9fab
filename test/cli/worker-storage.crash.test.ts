/** S8: which storage a worker takes at its start, for which it waits, and which it refuses. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { usersWithBooks } from '../../src/books/reading';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { openStorage } from '../../src/storage';
import { cliFolder } from './cli';

let cli: ReturnType<typeof cliFolder>;
let sandbox: Sandbox;
let server: OwnServer;
let env: Record<string, string>;
const buckets: Server[] = [];

beforeEach(async () => {
  cli = cliFolder();
  [sandbox, server] = await Promise.all([startSandbox(), startServer()]);
  const { address } = server.config;
  env = { AGENT_API_BASE_URL: sandbox.baseUrl, AGENT_API_TOKEN: sandbox.token, TEMPORAL_ADDRESS: address };
});
afterEach(async () => {
  await cli.close();
  for (const bucket of buckets.splice(0)) bucket.close().closeAllConnections();
  await server.stop();
  await sandbox.close();
});

/** Enough of S3 to take documents. @param answer of a PUT */
async function bucket(answer: () => number): Promise<Record<string, string>> {
  const listening = createServer((request, response) => {
    request.resume();
    const status = request.method === 'PUT' ? answer() : 404;
    const body = status === 404 ? '<Error><Code>NoSuchKey</Code></Error>' : '';
    response.writeHead(status, { ETag: '"1"', 'content-type': 'application/xml' }).end(body);
  });
  buckets.push(listening);
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    STORAGE_URL: `s3://bucket?endpoint=http://127.0.0.1:${port}`,
    ...{ AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_MAX_ATTEMPTS: '1' },
  };
}

test('a worker ends with a sentence where its storage overwrites what was to be created once', async () => {
  const { code, stderr } = await cli.run(['worker'], { ...env, ...(await bucket(() => 200)) });
  expect(stderr).toMatch(
    /the configuration cannot be used:\n {2}- the bucket 'bucket' at .* overwrites a document .*: keep the books in a storage with conditional writes/,
  );
  expect(code).toBe(2);
});

test('a worker waits for a storage that is away, and ends where it then overwrites', async () => {
  let isAway = true;
  let asked = 0;
  const storage = await bucket(() => {
    asked++;
    return isAway ? 503 : 200;
  });
  const worker = cli.start(['worker'], { ...env, ...storage });
  await worker.said('account is ready');
  expect(asked).toBeGreaterThan(0);
  isAway = false;
  expect((await worker.ended).code).toBe(2);
});

test('a worker warns, once for each account, where no ceiling is configured', async () => {
  const worker = cli.start(['worker'], env);
  await worker.said('account is ready');
  worker.signal('SIGTERM');
  const { stdout, stderr } = await worker.ended;
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('No ceiling is configured'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, account: 'default' });
});

test('a worker that starts beside others with another storage says both IDs and what to do, and waits for their end', async () => {
  const storages = ['one', 'other'].map((name) => join(cli.folder, name));
  const [first, second] = storages.map((storage) => ({ ...env, STORAGE_URL: `file://${storage}` }));
  const one = cli.start(['worker'], first ?? {});
  await one.said('account is ready');
  const other = cli.start(['worker'], second ?? {});
  await other.said('this worker keeps its books in storage');
  const line = other.stdout.split('\n').find((text) => text.includes('this worker keeps its books')) ?? '';
  const idIn = async (storage: string) => {
    const [user = ''] = await openStorage(storage).folders('books/');
    return JSON.parse(readFileSync(join(storage, 'books', user, 'storage.json'), 'utf8')).id;
  };
  const [theirs, own] = await Promise.all(storages.map(idIn));
  expect(JSON.parse(line)).toMatchObject({
    ...{ level: 50, account: 'default', storage: own, others: [{ books: theirs }] },
    msg: expect.stringMatching(
      `^this worker keeps its books in storage ${own}, but others keep theirs in storage ${theirs}, so nothing is paid\\. Give all of them the same storage`,
    ),
  });
  expect(one.stdout).not.toContain('this worker keeps its books');
  // Meanwhile `status` and `doctor` say it as well, and the worker is still there.
  expect((await cli.run(['status'], second ?? {})).stdout).toContain('keep their books in different storages');
  const doctor = await cli.run(['doctor'], second ?? {});
  expect(doctor.stdout).toMatch(/WRONG +books: the workers keep their books in different storages/);
  expect(doctor.code).toBe(1);
  other.signal('SIGTERM');
  expect((await other.ended).code).toBe(0);
  one.signal('SIGTERM');
  expect((await one.ended).code).toBe(0);
  expect(await usersWithBooks(openStorage(storages[1] ?? ''))).toEqual([]);
});
