import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Env, Log } from '../temporal/environment';
import { goEnv } from './child-env';
import { onPath } from './executable';

/** How often the build says that it goes on, milliseconds. */
const PROGRESS_MS = 10_000;

/** Builds the Temporal CLI, with a server inside, into `folder/temporal`. See {@link buildPrograms}. */
export const buildServer = (
  folder: string,
  version: string,
  env: Env,
  log: Log,
  progressMs = PROGRESS_MS,
): Promise<void> =>
  buildPrograms(
    {
      ...{ folder, name: 'the Temporal server', duration: 'about three minutes' },
      programs: { temporal: `github.com/temporalio/cli/cmd/temporal@v${version}` },
    },
    env,
    log,
    progressMs,
  );

export interface Programs {
  folder: string;
  /** What it is and how long it takes, for the people who wait. */
  name: string;
  duration: string;
  /** The packages of one module that are built, by the names that the programs get in the folder. */
  programs: Readonly<Record<string, string>>;
}

/**
 * Builds programs with `go install`; the modules come from Go's proxy, as the user has configured it. Each file appears
 * under its name when it is whole, the last one last. Throws an Error that says why it failed. The caller holds the lock.
 */
export async function buildPrograms(
  { folder, name, duration, programs }: Programs,
  env: Env,
  log: Log,
  progressMs = PROGRESS_MS,
): Promise<void> {
  const go = await onPath('go', env);
  if (go === undefined) throw new Error('no `go` on the PATH to build one with');
  const bin = path.join(folder, 'building');
  await rm(bin, { recursive: true, force: true });
  await mkdir(bin, { recursive: true });

  const startedAt = performance.now();
  const tell = () => log(`building ${name}, ${duration}, once: ${elapsed(performance.now() - startedAt)}`);
  tell();
  const progress = setInterval(tell, progressMs);
  const child = spawn(go, ['install', ...Object.values(programs)], {
    env: {
      ...goEnv(env),
      HOME: env.HOME || homedir(),
      GOBIN: bin,
      // A module cache that this build is the first to fill can be deleted again with `rm -r`.
      GOFLAGS: `${env.GOFLAGS ?? ''} -modcacherw`.trim(),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    lines.push(
      ...chunk
        .toString()
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('go: downloading')),
    );
    lines.splice(0, lines.length - 3);
  });
  const abandon = () => child.kill();
  process.once('exit', abandon);
  try {
    await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(`\`go install\` failed: ${lines.join(' ') || 'it gave no reason'}`);
    for (const [file, source] of Object.entries(programs))
      await rename(path.join(bin, builtAs(source)), path.join(folder, file));
    log(`built ${name} in ${elapsed(performance.now() - startedAt)}`);
  } finally {
    process.off('exit', abandon);
    clearInterval(progress);
    await rm(bin, { recursive: true, force: true });
  }
}

/** Go names a program after the last folder of its package. */
const builtAs = (source: string): string => path.basename(source.split('@')[0] ?? '');

/** `1 min 20 s` */
function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
