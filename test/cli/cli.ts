/** Runs `audit-runner` as people do: the built program, in a process of its own, in an empty folder. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(__dirname, '..', '..', 'bin', 'audit-runner.js');
const WAIT_MS = 60_000;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Cli {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcess;

  constructor(
    cwd: string,
    program: string,
    args: readonly string[],
    env: Record<string, string>,
    stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
  ) {
    const { PATH = '', HOME = '', XDG_CACHE_HOME = '' } = process.env;
    this.child = spawn(program, args, {
      cwd,
      env: { PATH, HOME, ...(XDG_CACHE_HOME && { XDG_CACHE_HOME }), ...env },
      stdio,
    });
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = once(this.child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until the process has written it, on either stream. */
  said(text: string): Promise<void> {
    return until(
      () => `${this.stdout}${this.stderr}`.includes(text),
      () => `'${text}' in:\n${this.stdout}${this.stderr}`,
    );
  }
}

/** Waits for a condition. */
export async function until(condition: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Starts commands in a temporary folder; `close` ends those that still run. */
export function cliFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-cli-'));
  const started: Cli[] = [];
  const startProgram = (
    program: string,
    args: readonly string[],
    env: Record<string, string> = {},
    stdio?: StdioOptions,
  ) => {
    const cli = new Cli(folder, program, args, env, stdio);
    started.push(cli);
    return cli;
  };
  const start = (args: readonly string[], env: Record<string, string> = {}, stdio?: StdioOptions) =>
    startProgram(process.execPath, [PROGRAM, ...args], env, stdio);
  return {
    folder,
    start,
    /** Another program, such as a shell that what was printed is pasted into. */
    startProgram,
    /** As a shell calls the program, in whatever folder. */
    called: `${process.execPath} ${PROGRAM}`,
    /** @param command a line for a shell, which runs at a terminal of its own */
    startAtTerminal: (command: string, env: Record<string, string> = {}) =>
      startProgram('script', ['-qefc', command, '/dev/null'], { TERM: 'xterm', ...env }),
    run: (args: readonly string[], env: Record<string, string> = {}, stdio?: StdioOptions) =>
      start(args, env, stdio).ended,
    async close() {
      for (const cli of started) cli.signal('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
