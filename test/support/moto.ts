/** A real server that speaks the S3 protocol: `moto`, from PyPI, in a Python environment of its own in the cache folder. */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/dev-server/find-server';
import { guard } from '../../src/dev-server/guard';
import { withLock } from '../../src/dev-server/lock';

/** What `moto[server]` needs for S3 alone: a third of its size and of the time that it takes. */
const PACKAGES = ['moto[s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5'];
const INSTALL_MS = 600_000;

/** A running moto. */
export interface Moto {
  /** For example `http://127.0.0.1:41235`. */
  readonly endpoint: string;
  /** Variables for a process that uses it. They hold no secret: moto takes every key. */
  readonly env: Readonly<Record<string, string>>;
  /** Creates a bucket and gives the URL of a storage in it, as STORAGE_URL takes it. */
  bucket(prefix?: string): Promise<string>;
  close(): Promise<void>;
}

const run = promisify(execFile);

/** Runs a program. @throws Error with its last words */
async function must(program: string, args: readonly string[], problem: string): Promise<string> {
  try {
    return (await run(program, args, { timeout: INSTALL_MS })).stdout;
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr || error.message) : String(error);
    throw new Error(`moto, the S3 server of the tests, cannot be installed: ${problem}\n${words.trim().slice(-1_000)}`);
  }
}

/** Installs moto unless it is there already, once for all processes; gives the Python that has it. */
export async function installMoto(): Promise<string> {
  const version = (
    await must(
      'python3',
      ['-c', 'import sys, ensurepip; print("%d.%d" % sys.version_info[:2])'],
      'it needs python3 with venv (on Debian and Ubuntu the package python3-venv)',
    )
  ).trim();
  const folder = path.join(path.dirname(cacheFolder(process.env)), `moto-python-${version}`);
  const python = path.join(folder, 'bin', 'python');
  const mark = path.join(folder, 'installed');
  const wanted = PACKAGES.join('\n');
  const isThere = async () => (await readFile(mark, 'utf8').catch(() => '')) === wanted;
  if (await isThere()) return python;
  await withLock(`${folder}.lock`, async () => {
    if (await isThere()) return;
    await rm(folder, { recursive: true, force: true });
    await must('python3', ['-m', 'venv', folder], 'python3 makes no environment');
    await must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES], 'pip fails');
    await writeFile(mark, wanted);
  });
  return python;
}

/**
 * Starts one on a free port, empty. It ends with `close`, and with this process at the latest.
 * @param options.pageSize most documents in one page of a list
 */
export async function startMoto({ pageSize = 1_000 }: { pageSize?: number } = {}): Promise<Moto> {
  const python = await installMoto();
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, MOTO_S3_DEFAULT_MAX_KEYS: String(pageSize) },
  });
  const ended = once(child, 'exit');
  // Without a Python there is no exit to wait for.
  ended.catch(() => undefined);
  const watch = child.pid === undefined ? undefined : guard(child.pid, 'KILL');
  child.once('exit', () => watch?.release());
  let said = '';
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-2_000);
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`moto ended while it started: ${said}`)));
  });
  child.stderr.removeAllListeners('data').resume();
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();

  return {
    endpoint,
    env: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' },
    async bucket(prefix = '') {
      const name = `test-${randomUUID()}`;
      const { ok, status } = await fetch(`${endpoint}/${name}`, { method: 'PUT' });
      if (!ok) throw new Error(`moto does not create the bucket ${name}: ${status}`);
      return `s3://${name}/${prefix}?endpoint=${endpoint}`;
    },
    async close() {
      child.ref();
      child.kill('SIGKILL');
      await ended;
    },
  };
}
