/** Everything a bench needs, each part in a process of its own: Temporal server, sandbox, workers. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { AccountFile } from '../../src/config/schema';
import { startServer } from '../../src/dev-server/server';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { inTime } from './main';
import { CommandProcess } from './process';
import { type SandboxProcess, startSandboxProcess } from './sandbox';

/** Limits that never bind: for what is measured without the rate limits in the way. */
export const NO_LIMITS = {
  reads: { max: 100_000, windowMs: 1_000 },
  writes: { max: 100_000, windowMs: 1_000 },
  polls: { max: 100_000, windowMs: 1_000 },
};

export interface StageOptions {
  /** Flags of `audit-runner sandbox`. */
  sandbox: readonly string[];
  /** Settings of the account, as in the configuration file. */
  account?: Partial<z.input<typeof AccountFile>>;
  /** The Temporal server has its own settings instead of ours. @default false */
  bareServer?: boolean;
  /** Keeps the Temporal server's data in a file, so that it can be killed and started again. @default false */
  persist?: boolean;
}

export interface Stage {
  readonly client: Connected['client'];
  readonly sandbox: SandboxProcess;
  /** The folder that is the workers' storage. */
  readonly storage: string;
  /** Ends the Temporal server as a crash would. */
  killServer(): Promise<void>;
  /** Starts it again, on the same port and data. */
  restartServer(): Promise<void>;
  /** Starts one more worker process; does not wait for it. */
  startWorker(): CommandProcess;
  /** Lines that the workers logged at level `warn` or above, by message. */
  warnings(): Record<string, number>;
  /** Ends every process and removes what they wrote. */
  close(): Promise<void>;
}

/** Runs a bench on a stage of its own, which is ended however the bench ends. */
export async function onStage(options: StageOptions, bench: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(options);
  try {
    await inTime(bench(stage));
  } catch (error) {
    process.stderr.write(`The workers' log says: ${JSON.stringify(stage.warnings(), null, 2)}\n`);
    throw error;
  } finally {
    await stage.close();
  }
}

async function openStage({ sandbox: flags, account, bareServer = false, persist }: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-bench-'));
  const log = join(folder, 'workers.log');
  const [first, sandbox] = await Promise.all([
    startServer({ bare: bareServer, ...(persist && { persist: join(folder, 'temporal.db') }) }),
    startSandboxProcess(flags, join(folder, 'sandbox.log')),
  ]);
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, sandbox.token);
  const config = join(folder, 'audit-runner.yaml');
  const accounts = { default: { baseUrl: sandbox.baseUrl, tokenFile, ...account } };
  writeFileSync(config, stringify({ accounts, storageUrl: `file://${folder}/storage` }));
  const { client, close } = await connectClient({ config: first.config });
  const workers: CommandProcess[] = [];
  let server = first;
  return {
    client,
    sandbox,
    storage: join(folder, 'storage'),
    killServer: () => server.kill(),
    async restartServer() {
      server = await server.restart();
    },
    startWorker() {
      // MALLOC_ARENA_MAX as in the Dockerfile.
      const env = { TEMPORAL_ADDRESS: first.address, LOG_LEVEL: 'warn', CI: 'true', MALLOC_ARENA_MAX: '2' };
      const worker = new CommandProcess(['worker', '--config', config], { env, log });
      workers.push(worker);
      return worker;
    },
    warnings: () => countMessages(log),
    async close() {
      await Promise.all(workers.map((worker) => worker.end()));
      await close();
      await Promise.all([sandbox.end(), server.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
