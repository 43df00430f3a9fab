/** Worker processes of a bench, and what they log. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { AccountFile } from '../../src/config/schema';
import { CommandProcess, type ProcessOptions } from './process';

/** Settings of an account, as in the configuration file. */
export type AccountSettings = Partial<z.input<typeof AccountFile>>;

/** Which version of the package a worker is of, and what else it finds in its environment. */
export type WorkerBuild = Pick<ProcessOptions, 'root' | 'env'>;

export class Workers {
  readonly #config: string;
  readonly #log: string;
  readonly #started: CommandProcess[] = [];

  /**
   * @param folder takes configuration, tokens, logs and storage
   * @param address of the Temporal server
   * @param accounts by name, each with its token
   */
  constructor(
    folder: string,
    private readonly address: string,
    accounts: Readonly<Record<string, AccountSettings & { token: string }>>,
  ) {
    this.#config = join(folder, 'audit-runner.yaml');
    this.#log = join(folder, 'workers.log');
    const configured = Object.entries(accounts).map(([name, { token, ...settings }]) => {
      const tokenFile = join(folder, `token-${name}`);
      writeFileSync(tokenFile, token);
      return [name, { tokenFile, ...settings }] as const;
    });
    const file = { accounts: Object.fromEntries(configured), storageUrl: `file://${folder}/storage` };
    writeFileSync(this.#config, stringify(file));
  }

  /** Starts one more process; does not wait for it. */
  start({ env, ...build }: WorkerBuild = {}): CommandProcess {
    // MALLOC_ARENA_MAX as in the Dockerfile.
    const always = { TEMPORAL_ADDRESS: this.address, LOG_LEVEL: 'warn', CI: 'true', MALLOC_ARENA_MAX: '2' };
    const worker = new CommandProcess(['worker', '--config', this.#config], {
      ...{ ...build, env: { ...always, ...env }, log: this.#log },
    });
    this.#started.push(worker);
    return worker;
  }

  /** Lines that they logged at level `warn` or above, by message. */
  warnings(): Record<string, number> {
    return countMessages(this.#log);
  }

  async end(): Promise<void> {
    await Promise.all(this.#started.map((worker) => worker.end()));
  }
}

/** A line of the log: ours and the SDK's have a message, those of the SDK's core may have only an error's text. */
const Line = z.object({
  msg: z.string().optional(),
  error: z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]).optional(),
});

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function countMessages(log: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter(Boolean)) {
    const said = Line.safeParse(parseJson(line));
    const words = said.success ? [said.data.msg, said.data.error].filter(Boolean).join(': ') : line;
    // A line for each run of thousands tells less than one for all of them.
    const message = words.replace(/[0-9a-f-]{36}(:\d+)*/g, '…');
    counts[message] = (counts[message] ?? 0) + 1;
  }
  return counts;
}
