/** A process of audit-runner's own command line, started and ended by its own ID. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { guard } from '../../src/dev-server/guard';
import { packageRoot } from '../../src/temporal/package-root';
import { memoryOf, processorMsOf } from './usage';

/** How long a process may take to end by itself, milliseconds; then it is killed. */
const END_MS = 20_000;

export interface ProcessOptions {
  env?: Record<string, string>;
  /** The file that takes what the process writes; standard output goes there only when it is not read. */
  log: string;
  /** Whether standard output is read by {@link CommandProcess.firstLine}. @default false */
  read?: boolean;
  /** The package whose command line it is. @default this one */
  root?: string;
}

export class CommandProcess {
  /** Wall-clock milliseconds, just before the process was made. */
  readonly startedAt: number;
  private readonly child: ChildProcess;

  constructor(args: readonly string[], { env = {}, log, read = false, root = packageRoot() }: ProcessOptions) {
    const file = openSync(log, 'a');
    this.startedAt = Date.now();
    this.child = spawn(process.execPath, [join(root, 'bin', 'audit-runner.js'), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', read ? 'pipe' : file, file],
    });
    closeSync(file);
    const watch = guard(this.pid, 'TERM');
    this.child.once('exit', () => watch.release());
  }

  /** @throws Error when the process could not be started */
  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('the process could not be started');
    return pid;
  }

  /** The first line of standard output. @throws Error when it ends without one */
  async firstLine(): Promise<string> {
    const { stdout } = this.child;
    if (!stdout) throw new Error('standard output is not read');
    for await (const line of createInterface({ input: stdout })) return line;
    throw new Error('the process ended without a line on standard output');
  }

  /** Resident memory now and at its highest, MiB. */
  memory(): { now: number; highest: number } {
    return memoryOf(this.pid);
  }

  /** Processor time so far, of all its threads, milliseconds. */
  processorMs(): number {
    return processorMsOf(this.pid);
  }

  /** Ends it at once, as a power cut would. */
  async kill(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  /** Asks it to end, waits, and kills it when it does not. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    const impatience = setTimeout(() => this.child.kill('SIGKILL'), END_MS);
    this.child.kill('SIGTERM');
    await gone;
    clearTimeout(impatience);
  }
}
