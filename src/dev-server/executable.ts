import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Env } from '../temporal/environment';
import { childEnv } from './child-env';

/** A `temporal` that runs: where it is and which server is inside. */
export interface Executable {
  file: string;
  /** The Temporal server's version, for example `1.29.1`. The CLI's own is `0.0.0-DEV` when `go install` built it. */
  serverVersion: string;
}

/** The oldest server that the workflows run on; CLI 1.1 brings it. Queue limits need 1.29: see `queue-limits.ts`. */
const OLDEST = { major: 1, minor: 25 };
const VERSION_TIMEOUT_MS = 20_000;

/** The first executable of that name on the PATH of `env`. */
export async function onPath(name: string, env: Env): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

export const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Runs `temporal --version`. Throws an Error that says in a few words why this file cannot be used. */
export async function checkExecutable(file: string, env: Env): Promise<Executable> {
  const { stdout } = await promisify(execFile)(file, ['--version'], {
    env: childEnv(env),
    timeout: VERSION_TIMEOUT_MS,
  }).catch((cause: unknown) => {
    throw new Error(`${file} does not run`, { cause });
  });
  const [, version, major, minor] = /Server (v?(\d+)\.(\d+)[^,)\s]*)/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`${file} does not say which Temporal server is in it`);
  if (Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor))
    throw new Error(
      `${file} brings Temporal server ${version}; ${OLDEST.major}.${OLDEST.minor} is the oldest that will do`,
    );
  return { file, serverVersion: version };
}
