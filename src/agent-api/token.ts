/** Where a personal access token comes from (agent-api.md, "Authentication"). */
import { readFileSync, statSync } from 'node:fs';
import { sayable } from '../redact';

const TOKEN = /^aky_[0-9A-Za-z]{32}$/;

/** Gives the token at each use, so that a rotated one is used from the next call on. */
export interface TokenSource {
  /** @throws TokenError when there is no token or it is not one; the message never quotes it (S4). */
  read(): string;
  /** Where it is read from, for one from a file. */
  readonly file?: string;
}

/** No usable token. The message says where it was looked for, never what was found. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

function checked(value: string, where: string): string {
  const token = value.trim();
  if (TOKEN.test(token)) return token;
  throw new TokenError(
    token === ''
      ? `${where} holds no token`
      : `${where} does not hold a token: expected aky_ and 32 letters or digits, found ${token.length} characters of another form`,
  );
}

/** A fixed token. `where` names its origin in error sentences, for example the environment variable. */
export const tokenFromText = (value: string, where = 'the token'): TokenSource => ({
  read: () => checked(value, where),
});

/** A token from an environment variable, as it was when the process started. */
export function tokenFromEnv(env: Readonly<Record<string, string | undefined>>, name: string): TokenSource {
  return tokenFromText(env[name] ?? '', `the environment variable ${sayable(name, env)}`);
}

/**
 * A token from a file, read again whenever the file that the path leads to is another or has changed. One `stat` a use.
 * Symbolic links are followed each time: Kubernetes rotates a secret by swapping one.
 */
export function tokenFromFile(path: string): TokenSource {
  const where = `the token file ${path}`;
  let seen: { version: string; content: string } | undefined;
  return {
    file: path,
    read() {
      try {
        // Taken before reading: a file that changes in between is read again at the next use.
        const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        const version = [dev, ino, size, mtimeNs, ctimeNs].join();
        if (seen?.version !== version) seen = { version, content: readFileSync(path, 'utf8') };
      } catch {
        throw new TokenError(`${where} cannot be read`);
      }
      return checked(seen.content, where);
    },
  };
}
