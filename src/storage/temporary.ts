/** The files that a folder's documents are written through, and what a killed process left of them. */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../system';

/** Their names: never references, never listed. */
export const TEMPORARY = /^\.audit-runner-(?<host>[0-9a-f]{8})-(?<pid>\d{1,10})-[0-9a-f-]{36}\.tmp$/;

/** Of a writer that cannot be asked whether it lives: one on another host. No document takes that long. */
const ABANDONED_MS = 24 * 3_600_000;

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** What this process is writing. */
const own = new Set<string>();

/** Lends a name for as long as `work` takes. */
export async function withTemporary<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  const name = `.audit-runner-${HOST}-${process.pid}-${randomUUID()}.tmp`;
  own.add(name);
  try {
    return await work(join(folder, name));
  } catch (error) {
    // Gone already if the rename went through; a failure to tidy up must not hide the cause.
    await unlink(join(folder, name)).catch(() => undefined);
    throw error;
  } finally {
    own.delete(name);
  }
}

/**
 * Removes what killed processes left in a folder. Should a living writer be taken for a dead one (containers that share a
 * host name), its write fails and is tried again; never is half a document left. A failure here fails nothing.
 */
export async function removeLeftBehind(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (TEMPORARY.test(name) && !own.has(name) && (await isLeftBehind(name, path)))
      await unlink(path).catch(() => undefined);
  }
}

async function isLeftBehind(name: string, path: string): Promise<boolean> {
  const { host, pid } = TEMPORARY.exec(name)?.groups ?? {};
  // A restarted container gives its process the same number as the killed one had.
  if (host === HOST && (Number(pid) === process.pid || !isAlive(Number(pid)))) return true;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS;
}
