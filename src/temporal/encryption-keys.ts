/** The keys of the encryption: from the environment itself, from a file, or from a program that prints them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/problems';
import { looksLikePath } from '../redact';
import { errorCode } from '../system';
import type { Env } from './environment';

/** Keys, newest first: the first encrypts, all decrypt. Base64 of 32 bytes each, separated by commas or line ends. */
export const ENCRYPTION_VARIABLE = 'AUDIT_RUNNER_ENCRYPTION_KEY';
const FILE = `${ENCRYPTION_VARIABLE}_FILE`;
const COMMAND = `${ENCRYPTION_VARIABLE}_COMMAND`;
/** How messages name where keys belong: whoever has them in a file finds no variable of the first name. */
export const KEYS_ARE_IN = `${ENCRYPTION_VARIABLE} (or ${FILE})`;
const SOURCES = [ENCRYPTION_VARIABLE, FILE, COMMAND];

const KEY_BYTES = 32;
/** Base64 of so many bytes; Node's own reading skips what does not belong there. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;
/** In the spelling for addresses, or without its end, which earlier versions took as well. */
const OLD_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;
const HOW = `each key is the base64 of ${KEY_BYTES} random bytes (\`openssl rand -base64 ${KEY_BYTES}\`)`;
const COMMAND_WITHIN_MS = 30_000;

/**
 * In the place of keys in a file: encryption is off. docker-compose.yml names such a file until somebody names another. A file
 * that has become empty says nothing, and is refused.
 */
const OFF = 'off';

const sourcesIn = (env: Env): string[] => SOURCES.filter((name) => (env[name] ?? '') !== '');

/** @throws ConfigError on a bad key */
export const encryptionIsOn = (env: Env): boolean => encryptionKeys(env) !== undefined;

/** @returns newest first; undefined where encryption is off. @throws ConfigError, without a key in its words (S4) */
export function encryptionKeys(env: Env): Buffer[] | undefined {
  const [source, ...others] = sourcesIn(env);
  if (source === undefined) return undefined;
  if (others.length > 0) throw new ConfigError([`${source} and ${others.join(', ')} are set: give the keys by one`]);
  const value = env[source] ?? '';
  const text = source === FILE ? inFile(value) : source === COMMAND ? printedBy(value, env) : value;
  if (source === FILE && text.trim() === OFF) return undefined;
  const keys = text.split(/[,\n]/).flatMap((part) => part.trim() || []);
  if (keys.length === 0) throw new ConfigError([`${source}: there is no key in it; ${HOW}`]);
  return keys.map((key, n) => keyOf(key, `${source}: key ${n + 1} of ${keys.length}`, n > 0));
}

/** @param isOld it only decrypts. What anybody can guess is none either: who has it can forge all that it opens */
function keyOf(text: string, which: string, isOld: boolean): Buffer {
  const key = Buffer.from(text, 'base64');
  if (!(isOld ? OLD_KEY : KEY).test(text)) throw new ConfigError([`${which} is none: ${HOW}`]);
  if (new Set(key).size === 1) throw new ConfigError([`${which} is the same byte ${KEY_BYTES} times: ${HOW}`]);
  return key;
}

function inFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new ConfigError([
      looksLikePath(file)
        ? `${FILE}: ${file} cannot be read (${code})`
        : `${FILE}: it names no file that can be read (${code}); a key itself belongs in ${ENCRYPTION_VARIABLE}`,
    ]);
  }
}

/** Of this process: a command is run once, however many connections are opened. */
const printed = new Map<string, string>();

function printedBy(command: string, env: Env): string {
  const known = printed.get(command);
  if (known !== undefined) return known;
  try {
    const text = execFileSync('/bin/sh', ['-c', command], {
      env: { ...env },
      encoding: 'utf8',
      timeout: COMMAND_WITHIN_MS,
      // What it says of its failure may hold a key.
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    printed.set(command, text);
    return text;
  } catch (error) {
    throw new ConfigError([`${COMMAND}: the command ${endOf(error)}; run it by hand to see why`]);
  }
}

/** Without what it printed, which may be a key (S4). */
function endOf(error: unknown): string {
  const code = errorCode(error);
  const { status, signal }: Partial<Record<string, unknown>> = typeof error === 'object' ? { ...error } : {};
  if (typeof status === 'number') return `ended with ${status}`;
  if (code === 'ETIMEDOUT') return `did not end within ${COMMAND_WITHIN_MS / 1_000} s`;
  // Of an own fault, such as too long an output, it is ended by a signal as well.
  return code === undefined && typeof signal === 'string' ? `was ended by ${signal}` : `failed (${code ?? 'unknown'})`;
}
