/** S4: where the keys of the encryption come from, and which are none. */
import childProcess from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptionIsOn, encryptionKeys, ENCRYPTION_VARIABLE as KEY } from '../../src/temporal/encryption-keys';

const newKey = () => randomBytes(32).toString('base64');
const [one, other] = [newKey(), newKey()];
const both = [one, other].map((key) => Buffer.from(key, 'base64'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('without any there is no encryption', () => {
  for (const env of [{}, { [KEY]: '' }]) expect([encryptionIsOn(env), encryptionKeys(env)]).toEqual([false, undefined]);
});

test('a file can say that there is none, as that of docker-compose does until another is named', () => {
  const file = join(folder, 'keys');
  for (const text of ['off\n', 'off']) {
    writeFileSync(file, text);
    const env = { [`${KEY}_FILE`]: file };
    expect([encryptionIsOn(env), encryptionKeys(env)]).toEqual([false, undefined]);
  }
  // A word in the place of a key elsewhere is a mistake.
  for (const env of [{ [KEY]: 'off' }, { [`${KEY}_COMMAND`]: 'echo off', PATH: process.env.PATH }])
    expect(() => encryptionKeys(env)).toThrow('key 1 of 1 is none');
  writeFileSync(file, `off,${one}`);
  expect(() => encryptionKeys({ [`${KEY}_FILE`]: file })).toThrow('key 1 of 2 is none');
});

test('they are read from the environment, from a file, and from what a command prints', () => {
  const file = join(folder, 'keys');
  writeFileSync(file, `${one}\n${other}\n`);
  expect(encryptionKeys({ [KEY]: `${one}, ${other}` })).toEqual(both);
  expect(encryptionKeys({ [`${KEY}_FILE`]: file })).toEqual(both);
  expect(encryptionKeys({ [`${KEY}_COMMAND`]: `cat ${file}`, PATH: process.env.PATH })).toEqual(both);
});

test('an old key that an earlier version has taken still decrypts', () => {
  const url = other.replace(/[+/]/g, (sign) => (sign === '+' ? '-' : '_')).replace('=', '');
  expect(encryptionKeys({ [KEY]: `${one},${url}` })).toEqual(both);
});

test('a command is run once', () => {
  const runs = join(folder, 'runs');
  const env = {
    [`${KEY}_COMMAND`]: `echo x >> ${runs}; [ "$(cat ${runs})" = x ] && echo ${one}`,
    PATH: process.env.PATH,
  };
  expect(encryptionKeys(env)).toEqual(encryptionKeys(env));
});

test.each([
  ['one that is too short', { [KEY]: 'c2hvcnQ=' }, 'key 1 of 1 is none'],
  ['one with signs that are not base64', { [KEY]: `${one.slice(0, 20)}!${one.slice(21)}` }, 'key 1 of 1 is none'],
  ['an old one that is too short', { [KEY]: `${one},c2hvcnQ=` }, 'key 2 of 2 is none'],
  [
    'an old one with signs that are not base64',
    { [KEY]: `${one},${other.slice(0, 20)}! ${other.slice(20)}` },
    'key 2 of 2',
  ],
  ['an old one of zeros', { [KEY]: `${one},${Buffer.alloc(32).toString('base64')}` }, 'key 2 of 2 is the same byte'],
  ['an old one of equal bytes', { [KEY]: `${one},${Buffer.alloc(32, 7).toString('base64url')}` }, 'the same byte 32'],
  ['zeros', { [KEY]: Buffer.alloc(32).toString('base64') }, 'the same byte 32 times'],
  ['two sources', { [KEY]: one, [`${KEY}_FILE`]: '/keys' }, 'give the keys by one'],
  ['a file that is not there', { [`${KEY}_FILE`]: '/nowhere/keys' }, '/nowhere/keys cannot be read (ENOENT)'],
  ['a key in the place of its file', { [`${KEY}_FILE`]: one }, 'names no file that can be read (ENOENT); a key itself'],
  ['keys in the place of their file', { [`${KEY}_FILE`]: `${one}, ${other}` }, 'names no file that can be read'],
  ['keys in lines in that place', { [`${KEY}_FILE`]: `${one}\n${other}\n` }, 'names no file that can be read'],
  ['a file without a key', { [`${KEY}_FILE`]: '/dev/null' }, 'there is no key in it'],
  ['a command that fails', { [`${KEY}_COMMAND`]: `echo ${one}; exit 3` }, 'the command ended with 3'],
  ['a command that is killed', { [`${KEY}_COMMAND`]: `echo ${one}; kill -9 $$` }, 'the command was ended by SIGKILL'],
  [
    'a command that prints too much',
    { [`${KEY}_COMMAND`]: `echo ${one}; head -c 3000000 /dev/zero` },
    'the command failed (ENOBUFS)',
  ],
])('%s is refused with a sentence that holds no key', (_, env, said) => {
  const refused = () => encryptionKeys({ PATH: process.env.PATH, ...env });
  expect(refused).toThrow(said);
  expect(refused).not.toThrow(
    new RegExp(`${one.slice(0, 12).replace(/[+/]/g, '.')}|${other.slice(0, 12).replace(/[+/]/g, '.')}`),
  );
});

test('a command that takes too long is told so', () => {
  const ended = Object.assign(new Error('x'), { status: null, signal: 'SIGTERM', code: 'ETIMEDOUT' });
  const run = jest.spyOn(childProcess, 'execFileSync').mockImplementation(() => {
    throw ended;
  });
  expect(() => encryptionKeys({ [`${KEY}_COMMAND`]: 'sleep 60' })).toThrow('the command did not end within 30 s');
  run.mockRestore();
});
