/** Programs of Node that an example shows and runs as a person would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { print } from '../src/cli/output';

export interface ProgramOptions {
  /** Where it runs. @default where all run */
  readonly cwd?: string;
  /** Variables beside those that all have. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A program that goes on while others run. */
export interface Background {
  /** Its standard output so far. */
  said(): string;
  /** Asks it to end, and waits. @throws Error where it ends with another code than 0 */
  stop(): Promise<void>;
}

export class Programs {
  private readonly running = new Set<ChildProcess>();

  constructor(
    private readonly cwd: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @returns its standard output @throws Error where it ends with another code */
  async run(shown: string, args: readonly string[], options: ProgramOptions & { code?: number } = {}): Promise<string> {
    const { child, said, ended } = this.start(shown, args, options);
    child.stderr.pipe(process.stderr, { end: false });
    await ended(options.code ?? 0);
    return said();
  }

  /** Resolves once it has said that it is ready. What it logs goes to a file. */
  async background(
    shown: string,
    args: readonly string[],
    { ready, log, ...options }: ProgramOptions & { ready: string; log: string },
  ): Promise<Background> {
    const { child, said, ended } = this.start(shown, args, options);
    child.stderr.pipe(createWriteStream(join(this.cwd, log)));
    const end = ended(0);
    end.catch(() => undefined);
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => said().includes(ready) && resolve());
      end.then(() => reject(new Error(`\`${shown}\` ended before it was ready; see ${join(this.cwd, log)}`)), reject);
    });
    return {
      said,
      stop() {
        child.kill('SIGTERM');
        return end;
      },
    };
  }

  kill(): void {
    for (const child of this.running) child.kill('SIGKILL');
  }

  private start(shown: string, args: readonly string[], { cwd = this.cwd, env }: ProgramOptions) {
    print(`\n$ ${shown}`);
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.running.add(child);
    const closed = once(child, 'close');
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (said: string) => {
      text += said;
      process.stdout.write(said);
    });
    const ended = async (wanted: number): Promise<void> => {
      const [code]: (number | null)[] = await closed;
      this.running.delete(child);
      if (code !== wanted) throw new Error(`\`${shown}\` ended with code ${code}, not with ${wanted}`);
    };
    return { child, said: () => text, ended };
  }
}
