import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Env, Log } from '../temporal/environment';
import { packageRoot } from '../temporal/package-root';
import { childEnv } from './child-env';
import { DOWNLOADS, type Downloads, listedHash } from './downloads';
import { mustBePublished } from './known-file';

/** The download is given up when nothing has arrived for so long, milliseconds. A slow line that moves is not. */
const STALLED_MS = 15_000;
const POLL_MS = 250;
const PROGRESS_MS = 10_000;

const SDK_DOWNLOAD = path.join(packageRoot(), 'dist', 'src', 'dev-server', 'sdk-download.js');

export interface DownloadOptions {
  stalledMs?: number;
  /** What the child process runs. @default the SDK's download */
  script?: string;
  /** @default those that are known */
  downloads?: Downloads;
}

/**
 * Downloads the Temporal CLI to `folder/temporal` the way the TypeScript SDK does (from temporal.download). The SDK
 * downloads only in order to start a server, and cannot be interrupted: so a child process does it, in a process group
 * of its own, which is killed when nothing arrives for `stalledMs`. Throws an Error that says why it failed, and
 * {@link ForeignFile} where a hash is listed and the file has another. The SDK has started it by then, without any secrets
 * of ours; nothing else starts it. The caller holds the lock.
 */
export async function downloadServer(
  folder: string,
  version: string,
  env: Env,
  log: Log,
  { stalledMs = STALLED_MS, script = SDK_DOWNLOAD, downloads = DOWNLOADS }: DownloadOptions = {},
): Promise<void> {
  const target = path.join(folder, 'downloading');
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  log('downloading the Temporal server, once');
  const child = spawn(process.execPath, [script, target, version], {
    env: childEnv(env),
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-4_000);
  });
  try {
    const closed = once(child, 'close');
    await Promise.race([closed, stalled(target, child, stalledMs, log)]);
    if (child.exitCode === null && child.signalCode === null)
      throw new Error(`the SDK's download: nothing arrived for ${stalledMs / 1_000} s`);
    await closed;
    const file = (await readdir(target)).find((name) => !name.endsWith('.downloading'));
    if (child.exitCode !== 0 || file === undefined)
      throw new Error(`the SDK's download failed: ${firstLine(complaint)}`);
    const listed = listedHash(downloads, version);
    if (listed !== undefined) {
      await mustBePublished(path.join(target, file), listed);
      log('what was downloaded has the SHA-256 that is listed');
    }
    await rename(path.join(target, file), path.join(folder, 'temporal'));
  } finally {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await rm(target, { recursive: true, force: true });
  }
}

/** Returns when the child has ended or the folder has not grown for `stalledMs`. */
async function stalled(target: string, child: ChildProcess, stalledMs: number, log: Log): Promise<void> {
  const startedAt = performance.now();
  let bytes = 0;
  let grownAt = startedAt;
  let toldAt = startedAt;
  while (child.exitCode === null && child.signalCode === null && performance.now() - grownAt < stalledMs) {
    await sleep(POLL_MS);
    const now = await size(target);
    if (now > bytes) grownAt = performance.now();
    bytes = now;
    if (performance.now() - toldAt < PROGRESS_MS) continue;
    toldAt = performance.now();
    log(`downloading the Temporal server: ${Math.round(bytes / 1e6)} MB`);
  }
}

async function size(folder: string): Promise<number> {
  const files = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    files.map((name) =>
      stat(path.join(folder, name)).then(
        (s) => s.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

const firstLine = (text: string): string =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? 'no reason given';
