/** What of this process's environment the programs get that it starts: the rest may hold tokens and keys (S4). */
import type { Env } from '../temporal/environment';

/** Where things are, which language is spoken, and the way out of this machine. */
const ANYBODY =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_[A-Z]+|XDG_[A-Z_]+|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|SYSTEMROOT|(HTTPS?|ALL|NO)_PROXY)$/i;
/** `go install` is configured by these, and reads from private mirrors with them. */
const GO = /^(GO[A-Z0-9]*|CGO_[A-Z]+|CC|CXX|NETRC|GIT_SSL_CAINFO)$/;

const only = (env: Env, ...allowed: RegExp[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && allowed.some((pattern) => pattern.test(name)) ? [[name, value]] : [],
    ),
  );

/** For any program. */
export const childEnv = (env: Env): Record<string, string> => only(env, ANYBODY);
/** For `go`. */
export const goEnv = (env: Env): Record<string, string> => only(env, ANYBODY, GO);
