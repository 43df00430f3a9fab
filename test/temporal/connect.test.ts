/** The connection as it is configured: what is wrong with it is told before anything is connected. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../src/config/problems';
import { configuredConnection, credentialsWatch } from '../../src/temporal/connect';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-connect-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fixture = (name: string) => readFileSync(join(__dirname, '..', 'sandbox', 'fixtures', name), 'utf8');
const [cert, key] = [fixture('receiver-cert.pem'), fixture('receiver-key.pem')];
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const otherKey = newKey().export({ type: 'pkcs8', format: 'pem' }).toString();
const locked = newKey()
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'password' })
  .toString();
const inOneLine = (pem: string) => pem.replaceAll('\n', ' ');

const variables = (more: Record<string, string>) => ({ TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml', ...more });
const pair = (crt: string, private_: string) =>
  variables({ TEMPORAL_TLS_CLIENT_CERT_DATA: crt, TEMPORAL_TLS_CLIENT_KEY_DATA: private_ });
const problemOf = (env: Record<string, string>): string => {
  try {
    configuredConnection({ env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n');
    throw error;
  }
  return '';
};

describe('TLS', () => {
  const CA = 'TEMPORAL_TLS_SERVER_CA_CERT_DATA';
  const DER = Buffer.from(cert.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64').toString('latin1');

  test('a certificate, its key and the certificate of who signed the server’s are taken', () => {
    expect(problemOf({ ...pair(cert, key), [CA]: `# whose\n${cert}${cert}` })).toBe('');
    expect(problemOf({ ...pair('x', 'x'), TEMPORAL_TLS: 'false' })).toBe('');
  });

  test.each([
    ['a certificate that is none', pair('text', key), /^TEMPORAL_TLS_CLIENT_CERT_DATA: it holds no certificate in PEM/],
    ['one that lost its line breaks', pair(inOneLine(cert), key), /^TEMPORAL_TLS_CLIENT_CERT_DATA: it holds no/],
    ['a key that is none', pair(cert, 'text'), /^TEMPORAL_TLS_CLIENT_KEY_DATA: it holds no private key in PEM/],
    ['one that lost its line breaks', pair(cert, inOneLine(key)), /^TEMPORAL_TLS_CLIENT_KEY_DATA: it holds no/],
    ['one with a password', pair(cert, locked), /^TEMPORAL_TLS_CLIENT_KEY_DATA: .* that needs no password/],
    [
      'the key of another certificate',
      pair(cert, otherKey),
      /^TEMPORAL_TLS_CLIENT_CERT_DATA and TEMPORAL_TLS_CLIENT_KEY_DATA: they do not belong together \(ERR_[A-Z0-9_]+\)$/,
    ],
    [
      'a certificate without its key',
      { TEMPORAL_TLS_CLIENT_CERT_DATA: cert },
      /^TEMPORAL_TLS_CLIENT_CERT_DATA: .*together/,
    ],
    [
      'a key without its certificate',
      { TEMPORAL_TLS_CLIENT_KEY_DATA: key },
      /^TEMPORAL_TLS_CLIENT_KEY_DATA: .*together/,
    ],
    ['a key in the place of who signed', { [CA]: key }, /^TEMPORAL_TLS_SERVER_CA_CERT_DATA: it holds no certificate/],
    ['a text in that place', { [CA]: 'text' }, /^TEMPORAL_TLS_SERVER_CA_CERT_DATA: it holds no certificate in PEM/],
    ['one of another form', { [CA]: DER }, /^TEMPORAL_TLS_SERVER_CA_CERT_DATA: it holds no certificate in PEM/],
    ['one in one line', { [CA]: inOneLine(cert) }, /^TEMPORAL_TLS_SERVER_CA_CERT_DATA: it holds no certificate in PEM/],
  ])('%s is refused by the name of its variable, and not quoted', (_, env, says) => {
    const problem = problemOf(variables(env));
    expect(problem).toMatch(says);
    for (const line of [...cert.split('\n'), ...key.split('\n')])
      if (line.length > 20) expect(problem).not.toContain(line);
  });

  test('what a file or a profile holds is named too', () => {
    const file = join(folder, 'client.pem');
    writeFileSync(file, 'text');
    writeFileSync(join(folder, 'profile'), `[profile.default.tls]\nclient_cert_path = "${file}"\n`);
    const byPath = { TEMPORAL_TLS_CLIENT_CERT_PATH: file, TEMPORAL_TLS_CLIENT_KEY_DATA: key };
    expect(problemOf(variables(byPath))).toMatch(/^TEMPORAL_TLS_CLIENT_CERT_PATH: /);
    const byProfile = { TEMPORAL_CONFIG_FILE: join(folder, 'profile'), TEMPORAL_TLS_CLIENT_KEY_DATA: key };
    expect(problemOf(byProfile)).toMatch(/^TEMPORAL_TLS_CLIENT_CERT_PATH, or what the profile has in its place: /);
  });

  test('S4: a key in the place of its file is not quoted, and a file that is not there is', () => {
    const body = key.replace(/-----[A-Z ]+-----|\s/g, '');
    for (const path of [key, body, inOneLine(key)])
      expect(problemOf(variables({ TEMPORAL_TLS_CLIENT_KEY_PATH: path }))).not.toMatch(/BEGIN|MII/);
    expect(problemOf(variables({ TEMPORAL_TLS_CLIENT_KEY_PATH: '/none/key.pem' }))).toContain("'/none/key.pem'");
  });

  test('a certificate and its key count as renewed when they belong together again', () => {
    const [certFile, keyFile] = [join(folder, 'client.pem'), join(folder, 'client.key')];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    const isRenewed = credentialsWatch(
      variables({ TEMPORAL_TLS_CLIENT_CERT_PATH: certFile, TEMPORAL_TLS_CLIENT_KEY_PATH: keyFile }),
    );
    writeFileSync(keyFile, otherKey);
    expect(isRenewed()).toBe(false);
    writeFileSync(keyFile, `${key}\n`);
    expect(isRenewed()).toBe(true);
  });
});

test('S4: an address with a user or a password is refused, and not quoted', () => {
  for (const address of [
    'ada:word@temporal.example:7233',
    'https://ada:word@temporal.example:7233',
    'word@temporal.example',
  ]) {
    const problem = problemOf(variables({ TEMPORAL_ADDRESS: address }));
    expect(problem).toMatch(/^TEMPORAL_ADDRESS: no user or password belongs in it/);
    expect(problem).not.toContain('word@');
  }
  expect(problemOf(variables({ TEMPORAL_ADDRESS: 'http://temporal.example' }))).toContain("'http://temporal.example'");
});
