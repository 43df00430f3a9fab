/** What is asked of the operating system in several places. */
import { homedir } from 'node:os';

/** The `code` of a Node system error (`ENOENT`), when it has one. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** A path in which `~` stands for the user's folder: shells leave it as it is within quotes and in files. */
export const expandHome = (path: string): string => (/^~(?=\/|$)/.test(path) ? homedir() + path.slice(1) : path);

/** Does a process with this ID exist? One of another user's (EPERM) does. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
