/** S4: nothing goes to a bucket in the clear, wherever its endpoint was found. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage';

const environment = { ...process.env };
const folder = mkdtempSync(join(tmpdir(), 'audit-runner-profiles-'));
const seen: string[] = [];
/** A server on all addresses of this machine, of which 0.0.0.0 counts as none of its own. */
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url?.split('?')[0]}`);
  const status = request.method === 'GET' ? 404 : 204;
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(status === 404 ? '<Error><Code>NoSuchKey</Code></Error>' : '');
});

beforeAll(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(() => {
  process.env = environment;
  server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
});

const at = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}`;
const credentials = ['aws_access_key_id = key', 'aws_secret_access_key = secret', 'region = eu-west-1'];

const PROFILES: Record<string, (endpoint: string) => string[]> = {
  'for all services': (endpoint) => ['[profile here]', ...credentials, `endpoint_url = ${endpoint}`],
  'for S3': (endpoint) => [
    ...['[profile here]', ...credentials, 'services = mine'],
    ...['[services mine]', 's3 =', `  endpoint_url = ${endpoint}`],
  ],
};

/** A file of its own each time, since the SDK reads each once. */
function profile(kind: string, endpoint: string): void {
  const file = join(folder, `config-${kind}-${new URL(endpoint).hostname}`);
  writeFileSync(file, `${PROFILES[kind]?.(endpoint).join('\n')}\n`);
  Object.assign(process.env, { AWS_CONFIG_FILE: file, AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'here' });
}

const storage = () => openStorage('s3://audits?pathStyle=true', {});

describe.each(Object.keys(PROFILES))('an endpoint of an AWS profile, %s', (kind) => {
  test('is taken on this machine', async () => {
    profile(kind, at('127.0.0.1'));
    expect(await storage().stat('a')).toBeUndefined();
    expect(seen).toEqual(['GET /audits/a']);
  });

  test('is refused elsewhere before anything is sent, and a person can mend it', async () => {
    profile(kind, at('0.0.0.0'));
    const refused = { name: 'StorageUnusable', message: expect.stringMatching(/without encryption.*endpoint_url/) };
    await expect(storage().stat('a')).rejects.toMatchObject(refused);
    await expect(storage().create('a', 'x')).rejects.toMatchObject(refused);
    await expect(storage().write('a', 'x')).rejects.toMatchObject(refused);
    await expect(storage().delete('a')).rejects.toMatchObject(refused);
    expect(seen).toEqual([]);
  });
});

test('of this machine is an endpoint without path style too, where the bucket is part of the name', async () => {
  profile('for all services', at('localhost'));
  const sent = openStorage('s3://audits', {}).stat('a');
  // Whether such a name leads here is up to the system.
  expect(await sent.catch(({ message }: Error) => message)).not.toMatch(/without encryption/);
});

test.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'])('an endpoint of %s is refused elsewhere', (name) => {
  expect(() => openStorage('s3://audits', { [name]: at('0.0.0.0') })).toThrow('without encryption');
  expect(openStorage('s3://audits', { [name]: at('127.0.0.1') }).describe()).toContain('127.0.0.1');
});
