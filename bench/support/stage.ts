/** Everything a bench needs, each part in a process of its own: Temporal server, sandbox, workers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NamespaceNotFoundError } from '@temporalio/common';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { inTime } from './main';
import type { CommandProcess } from './process';
import { type SandboxProcess, startSandboxProcess } from './sandbox';
import { type ServerKind, startBenchServer } from './server';
import { until } from './until';
import { type AccountSettings, type WorkerBuild, Workers } from './workers';

/** Limits that never bind: for what is measured without the rate limits in the way. */
export const NO_LIMITS = {
  reads: { max: 100_000, windowMs: 1_000 },
  writes: { max: 100_000, windowMs: 1_000 },
  polls: { max: 100_000, windowMs: 1_000 },
};

/** A service, and the account that speaks to it. */
interface Played {
  /** Flags of `audit-runner sandbox`. */
  sandbox: readonly string[];
  /** Settings of the account, as in the configuration file. */
  account?: AccountSettings;
}

export interface StageOptions extends Played {
  /** Besides the account `default`, each with a sandbox of its own. @default none */
  others?: Readonly<Record<string, Played>>;
  /** @default ours */
  server?: ServerKind;
  /** Keeps the Temporal server's data in a file, so that it can be killed and started again. @default false */
  persist?: boolean;
}

export interface Stage {
  readonly client: Connected['client'];
  readonly sandbox: SandboxProcess;
  /** Those of {@link StageOptions.others}, by account. */
  readonly others: ReadonlyMap<string, SandboxProcess>;
  /** The folder that is the workers' storage. */
  readonly storage: string;
  /** Ends the Temporal server as a crash would. */
  killServer(): Promise<void>;
  /** Starts it again, on the same port and data. */
  restartServer(): Promise<void>;
  /** Starts one more worker process; does not wait for it. */
  startWorker(build?: WorkerBuild): CommandProcess;
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

/** A server hears seconds later of a namespace that was made. */
async function canList(client: Connected['client']): Promise<boolean> {
  try {
    for await (const _ of client.workflow.list({ pageSize: 1 })) break;
    return true;
  } catch (error) {
    if (error instanceof NamespaceNotFoundError) return false;
    throw error;
  }
}

async function openStage({ server: kind = 'ours', persist, others = {}, ...own }: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-bench-'));
  const open = async (name: string, { sandbox: flags, account }: Played) => {
    const sandbox = await startSandboxProcess(flags, join(folder, `sandbox-${name}.log`));
    const { baseUrl, token } = sandbox;
    return { name, sandbox, account: { baseUrl, token, ...account } };
  };
  const [server, ours, ...rest] = await Promise.all([
    startBenchServer(kind, persist ? join(folder, 'temporal.db') : undefined),
    open('default', own),
    ...Object.entries(others).map(([name, other]) => open(name, other)),
  ]);
  const all = [ours, ...rest];
  const accounts = Object.fromEntries(all.map(({ name, account }) => [name, account]));
  const workers = new Workers(folder, server.address, accounts);
  const { client, close } = await connectClient({ config: server.config });
  await until('the server knows its namespace', 60_000, () => canList(client));
  return {
    client,
    sandbox: ours.sandbox,
    others: new Map(rest.map(({ name, sandbox }) => [name, sandbox])),
    storage: join(folder, 'storage'),
    killServer: () => server.kill(),
    restartServer: () => server.restart(),
    startWorker: (build) => workers.start(build),
    warnings: () => workers.warnings(),
    async close() {
      await workers.end();
      await close();
      await Promise.all([...all.map(({ sandbox }) => sandbox.end()), server.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
