import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenError, tokenFromEnv, tokenFromFile, tokenFromText } from '../../src/agent-api';

const token = (letter: string) => `aky_${letter.repeat(32)}`;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a token from a text or the environment is trimmed', () => {
  expect(tokenFromText(`  ${token('a')}\n`).read()).toBe(token('a'));
  expect(tokenFromEnv({ MINE: token('b') }, 'MINE').read()).toBe(token('b'));
});

it.each([
  ['too short', `aky_${'secret'.repeat(5)}`],
  ['too long', `aky_${'x'.repeat(33)}`],
  ['of another charset', `aky_${'-'.repeat(32)}`],
  ['without its prefix', 's'.repeat(36)],
  ['two of them', `${token('a')} ${token('a')}`],
])('S4: a token that is %s is refused and not quoted', (_, value) => {
  const source = tokenFromEnv({ MINE: value }, 'MINE');
  expect(() => source.read()).toThrow(TokenError);
  expect(() => source.read()).toThrow('MINE');
  expect(() => source.read()).not.toThrow(new RegExp(value));
});

it('says when there is none', () => {
  expect(() => tokenFromEnv({}, 'MINE').read()).toThrow('the environment variable MINE holds no token');
  expect(() => tokenFromFile(join(folder, 'none')).read()).toThrow('cannot be read');
});

it('a file is read again when its content changes, even within one clock tick and with the same length', () => {
  const path = join(folder, 'token');
  writeFileSync(path, `${token('a')}\n`);
  utimesSync(path, 1, 1);
  const source = tokenFromFile(path);
  expect(source.read()).toBe(token('a'));
  const next = join(folder, 'next');
  writeFileSync(next, `${token('b')}\n`);
  utimesSync(next, 1, 1);
  renameSync(next, path);
  expect(source.read()).toBe(token('b'));
});

it('a swapped symbolic link is followed, as Kubernetes rotates a secret', () => {
  for (const version of ['a', 'b']) {
    mkdirSync(join(folder, `..${version}`));
    writeFileSync(join(folder, `..${version}`, 'token'), token(version));
  }
  symlinkSync('..a', join(folder, '..data'));
  symlinkSync(join('..data', 'token'), join(folder, 'token'));
  const source = tokenFromFile(join(folder, 'token'));
  expect(source.read()).toBe(token('a'));
  symlinkSync('..b', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  expect(source.read()).toBe(token('b'));
});

it('a file that went away is an error, and its return is noticed', () => {
  const path = join(folder, 'token');
  writeFileSync(path, token('a'));
  const source = tokenFromFile(path);
  source.read();
  rmSync(path);
  expect(() => source.read()).toThrow(TokenError);
  writeFileSync(path, token('b'));
  expect(source.read()).toBe(token('b'));
});
