import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive } from '../system';
import { createWhole } from './whole-file';

/** A holder touches its lock this often, milliseconds. */
const TOUCH_MS = 2_000;
/** A lock that was not touched for so long was left behind by a process that is gone, milliseconds. */
const STALE_MS = 30_000;
const POLL_MS = 200;

const Holder = z.object({ id: z.string(), pid: z.number().int(), host: z.string() });
type Holder = z.infer<typeof Holder>;

/**
 * Runs `work` in one process at a time, over all processes that share the file system. `onWait` is called once, with the
 * holder's process ID, when another process has the lock.
 *
 * A lock left behind is taken over: at once when its process is gone from this machine, else when it was not touched for
 * 30 s (another machine or container that shares the folder, or a process ID in use again). Two processes that find the
 * same leftover in the same millisecond can both get in: what is done under the lock must be wasteful then, never wrong.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait?: (pid: number) => void): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  const me: Holder = { id: randomUUID(), pid: process.pid, host: hostname() };
  let told = false;
  while (!(await createWhole(file, JSON.stringify(me)))) {
    const holder = await read(file);
    if (holder === undefined) continue;
    if (await isStale(file, holder)) {
      if ((await read(file))?.id === holder.id) await rm(file, { force: true });
      continue;
    }
    if (!told) onWait?.(holder.pid);
    told = true;
    await sleep(POLL_MS);
  }
  const touch = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), TOUCH_MS);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    if ((await read(file))?.id === me.id) await rm(file, { force: true });
  }
}

/** Who holds the lock; undefined when nobody does any more, an impossible process when the file is not a lock. */
async function read(file: string): Promise<Holder | undefined> {
  const content = await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) return undefined;
  try {
    return Holder.parse(JSON.parse(content));
  } catch {
    return { id: '', pid: 0, host: '' };
  }
}

async function isStale(file: string, holder: Holder): Promise<boolean> {
  if (holder.host === hostname() && !isAlive(holder.pid)) return true;
  const touched = await stat(file).catch(() => undefined);
  return touched !== undefined && Date.now() - touched.mtimeMs > STALE_MS;
}
