/** `audit-runner worker`, or another command, as it runs in production: a process of its own, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../../src/temporal/package-root';
import { until } from '../../support/until';

const PROGRAM = join(packageRoot(), 'bin', 'audit-runner.js');

export class WorkerProcess {
  /** Everything that it wrote. */
  output = '';
  /** Its exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(env: Readonly<Record<string, string>>, args: readonly string[] = ['worker']) {
    const { PATH = '', HOME = '' } = process.env;
    this.child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
    this.ended = once(this.child, 'close').then(([code]) => code);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws Error with what it wrote, when it does not write this. */
  async said(text: string): Promise<void> {
    await until(() => this.output.includes(text)).catch(() => {
      throw new Error(`the worker did not say '${text}':\n${this.output}`);
    });
  }

  /** Ends it as a crash or the kernel would. */
  kill(): Promise<number | null> {
    this.child.kill('SIGKILL');
    return this.ended;
  }

  terminate(): void {
    this.child.kill('SIGTERM');
  }
}
