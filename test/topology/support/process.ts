/** A server of the topology: a process that can be killed and started again, and whose words are kept. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { guard } from '../../../src/dev-server/guard';

export interface ServerOptions {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Takes what it writes. */
  log: string;
  /** @default this user */
  uid?: number | undefined;
  gid?: number | undefined;
  /** When it answers. */
  isReady(): Promise<boolean>;
  /** How it is asked to end. @default SIGTERM */
  stopSignal?: NodeJS.Signals;
}

const READY_MS = 60_000;
const POLL_MS = 50;
const STOP_MS = 20_000;
const LAST_WORDS = 2_000;

export class Server {
  private child: ChildProcess | undefined;

  constructor(private readonly options: ServerOptions) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it, again where it has ended while it started: what a killed one has left may be in the way for a moment. */
  async start(): Promise<void> {
    const deadline = performance.now() + READY_MS;
    this.spawn();
    while (!(await this.options.isReady())) {
      if (performance.now() > deadline) {
        await this.end('SIGKILL');
        throw new Error(`${this.options.argv.join(' ')} does not answer:\n${this.lastWords()}`);
      }
      if (this.hasEnded) this.spawn();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** As a crash would end it. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end(this.options.stopSignal ?? 'SIGTERM');
  }

  lastWords(): string {
    return readFileSync(this.options.log, 'utf8').slice(-LAST_WORDS);
  }

  private get hasEnded(): boolean {
    return this.child === undefined || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private spawn(): void {
    const { argv, env, log, uid, gid } = this.options;
    const [program = '', ...args] = argv;
    const file = openSync(log, 'a');
    const child = spawn(program, args, {
      ...{ env, stdio: ['ignore', file, file], detached: true },
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid }),
    });
    closeSync(file);
    this.child = child;
    const watch = child.pid === undefined ? undefined : guard(child.pid, 'KILL');
    child.once('exit', () => watch?.release());
    // Before jest's end it is stopped; it must not keep a process that is not told to.
    child.unref();
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child === undefined || this.hasEnded) return;
    child.ref();
    const gone = once(child, 'exit');
    const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.kill(signal);
    await gone;
    clearTimeout(impatience);
  }
}
