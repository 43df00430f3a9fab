import { homedir } from 'node:os';
import path from 'node:path';
import type { Env, Log } from '../temporal/environment';
import { untestedServer } from '../temporal/tested-servers';
import { buildServer } from './build-server';
import { downloadServer } from './download-server';
import { checkExecutable, type Executable, isExecutable, onPath } from './executable';
import { ForeignFile, mustBeKnown, noteFetched } from './known-file';
import { withLock } from './lock';

/**
 * The Temporal CLI that is fetched when there is none: the newest that `go install` can install, with server 1.29.1.
 * One version for the download and the build, so that both give the server that the limits were measured on.
 */
export const CLI_VERSION = '1.5.1';

/** Where a fetched `temporal` is kept, for all projects of this user. */
export function cacheFolder(env: Env): string {
  const base = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache');
  return path.join(base, 'audit-runner', `temporal-cli-${CLI_VERSION}`);
}

/** No way led to a Temporal server. The message says what was tried and what a person can do. */
export class NoTemporalServer extends Error {
  override readonly name = 'NoTemporalServer';
  constructor(tried: readonly string[]) {
    super(
      [
        'There is no Temporal server to run on, and none could be fetched:',
        ...tried.map((line) => `  - ${line}`),
        'Do one of these: install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH;',
        `install Go and run \`go install github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}\`;`,
        'or set TEMPORAL_ADDRESS to the address of a server that runs already.',
      ].join('\n'),
    );
  }
}

/** Puts a `temporal` into the folder. */
type Fetch = (folder: string, version: string, env: Env, log: Log) => Promise<void>;

/**
 * Finds a `temporal`: on the PATH, in the cache, by the SDK's download, by `go install`; the first that runs. Processes
 * that start together fetch it once: the others wait and say so. Throws {@link NoTemporalServer}, and {@link ForeignFile}
 * where the one in the cache was replaced since it was fetched, or the download is not what was published. One on the PATH may be of any version: `log` is told of a
 * server that is not tested.
 */
export async function findServer(
  env: Env,
  log: Log,
  { download = downloadServer }: { download?: Fetch } = {},
): Promise<Executable> {
  const tried: string[] = [];
  const attempt = async (find: () => Promise<Executable>) => {
    try {
      return await find();
    } catch (error) {
      if (error instanceof ForeignFile) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (!tried.includes(reason)) tried.push(reason);
      return undefined;
    }
  };
  const folder = cacheFolder(env);
  const cached = path.join(folder, 'temporal');
  const fromPath = async () => {
    const file = await onPath('temporal', env);
    if (file === undefined) throw new Error('no `temporal` on the PATH');
    const found = await checkExecutable(file, env);
    const words = untestedServer(found.serverVersion);
    if (words !== undefined) log(`${file} brings Temporal server ${found.serverVersion}, ${words}`);
    return found;
  };
  const fromCache = async () => {
    if (!(await isExecutable(cached))) throw new Error(`none in ${folder}`);
    await mustBeKnown(cached);
    return checkExecutable(cached, env);
  };
  const fetched = async (fetch: Fetch) => {
    await fetch(folder, CLI_VERSION, env, log);
    log(`the Temporal server is ${cached}, SHA-256 ${await noteFetched(cached)}`);
    return checkExecutable(cached, env);
  };
  return (
    (await attempt(fromPath)) ??
    (await attempt(fromCache)) ??
    (await withLock(
      `${folder}.lock`,
      async () =>
        (await attempt(fromCache)) ??
        (await attempt(() => fetched(download))) ??
        (await attempt(() => fetched(buildServer))),
      (pid) => log(`another audit-runner (process ${pid}) is fetching the Temporal server: waiting for it`),
    )) ??
    Promise.reject(new NoTemporalServer(tried))
  );
}
