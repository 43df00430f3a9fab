/** The codec server as people start it. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { givenSecret, usualOrigins } from '../../src/cli/codec-server';
import { payloadsBody } from '../../src/codec-server/payloads';
import { EncryptionCodec } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

const key = randomBytes(32);
const env = { [ENCRYPTION_VARIABLE]: key.toString('base64'), NO_COLOR: '1' };
const SECRET = 'a-secret-of-the-test';
const start = (args: string[], more: Record<string, string> = {}) =>
  cli.start(['codec-server', '--port', '0', ...args], { ...env, ...more });

test('it prints the address to give to the Web UI, answers there, and ends on Ctrl-C', async () => {
  const server = start(['--ui-origin', 'https://ui.example/some/page', 'http://localhost:8233'], {
    AUDIT_RUNNER_CODEC_SECRET: SECRET,
  });
  await server.said('may ask');
  // A secret that somebody has set is known to them, and in no log.
  expect(`${server.stdout}${server.stderr}`).not.toContain(SECRET);
  expect(server.stdout.trim()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/<AUDIT_RUNNER_CODEC_SECRET>$/);
  const endpoint = server.stdout.trim().replace('<AUDIT_RUNNER_CODEC_SECRET>', SECRET);
  expect(server.stderr).toContain('Pages of https://ui.example and http://localhost:8233 may ask.');
  const sealed = await new EncryptionCodec([key], 'default').encode([defaultPayloadConverter.toPayload('text')]);
  const headers = { 'content-type': 'application/json', origin: 'https://ui.example' };
  const response = await fetch(`${endpoint}/decode`, {
    ...{ method: 'POST', headers, body: JSON.stringify(payloadsBody(sealed)) },
  });
  expect(await response.json()).toEqual(payloadsBody([defaultPayloadConverter.toPayload('text')]));
  server.signal('SIGINT');
  expect((await server.ended).code).toBe(0);
});

test('its secret can be in a file', async () => {
  const file = join(cli.folder, 'codec-secret');
  writeFileSync(file, `${SECRET}-in-a-file\n`);
  const server = start([], { AUDIT_RUNNER_CODEC_SECRET_FILE: file });
  await server.said('may ask');
  const { port } = new URL(server.stdout.trim());
  const asked = (secret: string) =>
    fetch(`http://127.0.0.1:${port}/decode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: '{"payloads": []}',
    });
  expect((await asked(`${SECRET}-in-a-file`)).status).toBe(200);
  expect((await asked(SECRET)).status).toBe(401);
  server.signal('SIGTERM');
  await server.ended;
});

test('S4: a secret in the place of its file is not repeated', () => {
  const secret = randomBytes(24);
  for (const form of ['base64', 'base64url', 'hex'] as const) {
    const refused = () => givenSecret({ AUDIT_RUNNER_CODEC_SECRET_FILE: secret.toString(form) });
    expect(refused).toThrow(
      'it names no file that can be read (ENOENT); a secret itself belongs in AUDIT_RUNNER_CODEC',
    );
    expect(refused).not.toThrow(secret.toString(form).slice(0, 8));
  }
});

test('pages of this machine may ask by either of its names', () => {
  const own = (port: string) => [`http://127.0.0.1${port}`, `http://localhost${port}`];
  expect(usualOrigins(undefined)).toEqual(own(':8233'));
  expect(usualOrigins('http://localhost:9000/namespaces')).toEqual(own(':9000'));
  expect(usualOrigins('https://ui.example/path')).toEqual(['https://ui.example/path']);
  expect(usualOrigins('ui.example')).toEqual(['ui.example']);
});

test('without a secret of its own it makes one, another one each time', async () => {
  const [one, other] = [start([]), start([], { TEMPORAL_UI_URL: 'https://ui.example' })];
  await Promise.all([one.said('http://localhost:8233 may ask'), other.said('https://ui.example may ask')]);
  const secrets = [one, other].map(({ stdout }) => /:\d+\/([\w-]{32})$/.exec(stdout.trim())?.[1]);
  expect(secrets).toEqual([expect.any(String), expect.any(String)]);
  expect(secrets[0]).not.toBe(secrets[1]);
  for (const server of [one, other]) server.signal('SIGTERM');
  await Promise.all([one.ended, other.ended]);
});

test.each([
  ['no key', [], { [ENCRYPTION_VARIABLE]: '' }, 'there is no key to decrypt with'],
  ['a short secret', [], { AUDIT_RUNNER_CODEC_SECRET: 'short' }, '16 or more of the characters'],
  [
    'an empty file',
    [],
    { AUDIT_RUNNER_CODEC_SECRET_FILE: '/dev/null' },
    'the secret in /dev/null has to be 16 or more',
  ],
  [
    'a file that is not there',
    [],
    { AUDIT_RUNNER_CODEC_SECRET_FILE: '/nowhere/s' },
    '/nowhere/s cannot be read (ENOENT)',
  ],
  [
    'a secret given twice',
    [],
    { AUDIT_RUNNER_CODEC_SECRET: SECRET, AUDIT_RUNNER_CODEC_SECRET_FILE: '/dev/null' },
    'give the secret by one',
  ],
  [
    'a port that is none',
    ['--port', '99999'],
    {},
    "argument '99999' is invalid. a port is a whole number from 0 to 65535",
  ],
  ['a part of a port', ['--port', '80.5'], {}, 'a port is a whole number from 0 to 65535'],
  ['a Web UI that is none', [], { TEMPORAL_UI_URL: 'ui.example' }, 'TEMPORAL_UI_URL: it is no address of a Web UI'],
  ['an origin that is none', ['--ui-origin', 'ui.example'], {}, '--ui-origin takes the address of a Web UI'],
])('%s is told at once', async (_, args, more, says) => {
  const { code, stderr } = await start(args, more).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});
