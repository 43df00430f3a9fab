import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { childEnv } from './child-env';

/**
 * Ends `pid` when this process is gone, however it went: a shell waits for the end of its standard input, which the
 * kernel closes with us, after SIGKILL as well. It lives in a session of its own, so Ctrl-C in a terminal reaches neither
 * it nor what it guards before our own shutdown is done. Release it when `pid` has ended: the number may be used again.
 */
export function guard(pid: number, signal: 'TERM' | 'KILL'): { release(): void } {
  const script = 'read -r _; kill -s "$1" "$0" && sleep 5 && kill -s KILL "$0"';
  const shell = spawn('/bin/sh', ['-c', script, String(pid), signal], {
    env: childEnv(process.env),
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  // The pipe breaks when the shell is released; there is nobody left to tell.
  shell.stdin.on('error', () => undefined);
  return { release: () => void shell.kill('SIGKILL') };
}
