/** `audit-runner codec-server`: lets people read what Temporal stores encrypted. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CodecServer, type CodecServerOptions, openCodecServer } from '../codec-server/server';
import { createLogger } from '../log';
import { looksLikePath } from '../redact';
import { errorCode } from '../system';
import { configuredConnection } from '../temporal/connect';
import { encryptionCodec } from '../temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../temporal/encryption-keys';
import type { Env } from '../temporal/environment';
import { uiUrlOf } from '../temporal/ui-url';
import { EXIT, Exit } from './exit';
import { printSecret, tell } from './output';
import { EndSignals } from './signals';

/** Options as commander gives them. */
export interface CodecServerFlags {
  port: number;
  host: string;
  uiOrigin?: string[];
  encode?: boolean;
}

const OWN_NAMES = ['127.0.0.1', 'localhost'];

const SECRET = 'AUDIT_RUNNER_CODEC_SECRET';
const SECRET_FILE = `${SECRET}_FILE`;
/** It is a part of an address. */
const SECRET_FORM = /^[A-Za-z0-9_-]{16,}$/;

export async function codecServerCommand({ port, host, uiOrigin, encode = false }: CodecServerFlags): Promise<number> {
  const { namespace } = configuredConnection();
  const codec = encryptionCodec(process.env, namespace);
  if (!codec)
    throw new Exit(EXIT.badInput, `there is no key to decrypt with: set ${ENCRYPTION_VARIABLE} as the workers have it`);
  const origins = (uiOrigin ?? usualOrigins(uiUrlOf(process.env))).map(originOf);
  const given = givenSecret(process.env);
  const signals = new EndSignals();
  const server = await open({
    ...{ codec, namespace, encode, host, port, log: createLogger() },
    origins: () => origins,
    secret: given || newSecret(),
  });
  // A secret that is set is known where it was set, and in no log.
  printSecret(given ? server.endpoint.replace(given, `<${SECRET}>`) : server.endpoint);
  tell(`Give this address to the Web UI (the glasses at its top right), or to \`temporal --codec-endpoint\`.`);
  tell(`Pages of ${origins.join(' and ')} may ask. Whoever knows the address reads all that is encrypted.`);
  await signals.first;
  await server.close();
  return EXIT.done;
}

/** @returns undefined where none is given. @throws Exit, without the secret in its words (S4) */
export function givenSecret({ [SECRET]: inEnvironment = '', [SECRET_FILE]: file = '' }: Env): string | undefined {
  if (inEnvironment !== '' && file !== '')
    throw new Exit(EXIT.badInput, `${SECRET} and ${SECRET_FILE} are set: give the secret by one`);
  if (inEnvironment === '' && file === '') return undefined;
  const secret = file === '' ? inEnvironment : inFile(file);
  if (SECRET_FORM.test(secret)) return secret;
  const where = file === '' ? SECRET : `${SECRET_FILE}: the secret in ${file}`;
  throw new Exit(EXIT.badInput, `${where} has to be 16 or more of the characters A–Z, a–z, 0–9, - and _`);
}

/** S4: a secret of one's own choice may have a dot or a slash in it. */
const BEGINS_AS_PATH = /^(\.{0,2}\/|~|[A-Za-z]:\\)/;

function inFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new Exit(
      EXIT.badInput,
      BEGINS_AS_PATH.test(file) && looksLikePath(file)
        ? `${SECRET_FILE}: ${file} cannot be read (${code})`
        : `${SECRET_FILE}: it names no file that can be read (${code}); a secret itself belongs in ${SECRET}`,
    );
  }
}

export const newSecret = (): string => randomBytes(24).toString('base64url');

/** Of this machine both names: a browser counts them as two origins. */
export function usualOrigins(uiUrl: string | undefined): string[] {
  const address = uiUrl || 'http://127.0.0.1:8233';
  const { protocol, hostname, port } = URL.canParse(address) ? new URL(address) : {};
  if (hostname === undefined || !OWN_NAMES.includes(hostname)) return [address];
  return OWN_NAMES.map((name) => `${protocol}//${name}${port ? `:${port}` : ''}`);
}

function originOf(address: string): string {
  const { origin } = URL.canParse(address) ? new URL(address) : { origin: 'null' };
  if (origin === 'null')
    throw new Exit(EXIT.badInput, `--ui-origin takes the address of a Web UI, such as https://temporal.example.com`);
  return origin;
}

async function open(options: CodecServerOptions): Promise<CodecServer> {
  try {
    return await openCodecServer(options);
  } catch (error) {
    if (error instanceof Error && errorCode(error) === 'EADDRINUSE')
      throw new Exit(EXIT.badInput, `the codec server cannot start: ${error.message}; choose another --port`);
    throw error;
  }
}
