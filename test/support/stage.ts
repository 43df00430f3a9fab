/** A whole stage for end-to-end tests: a namespace of a real Temporal server, the sandbox over real HTTP, and a worker in this process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { stringify } from 'yaml';
import type { z } from 'zod';
import { type Config, loadConfig } from '../../src/config';
import type { AccountFile } from '../../src/config/schema';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { statusQuery } from '../../src/ledger/messages';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox';
import { type Connected, type ConnectionConfig, connectClient } from '../../src/temporal/connect';
import { connectNative } from '../../src/temporal/connect-worker';
import { ledgerId } from '../../src/temporal/ledger-id';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';
import { type RunningWorker, startWorker } from '../../src/worker';
import { newNamespace, temporalEnv } from './temporal';
import { withWhatRunsSay } from './told';

export interface StageOptions {
  sandbox?: SandboxOptions;
  /** Settings of the account, as in the configuration file. */
  account?: Partial<z.input<typeof AccountFile>>;
  /** Further settings of the configuration file. */
  file?: Record<string, unknown>;
  /** What the configuration finds in the environment. */
  env?: Record<string, string>;
  /** Where notifications say that the Web UI is. */
  uiUrl?: string;
  /**
   * A Temporal server of its own, whose data are in a file, so that it can be killed and restarted; `bare` without our
   * settings. @default that of the run
   */
  ownServer?: boolean | 'bare';
  /** How often workers read the ledger for metrics, where they are on, milliseconds. @default 60,000 */
  gaugesEveryMs?: number;
}

/** Durations for tests: what takes minutes in production takes seconds here; every ratio that matters is kept. */
export const QUICK = {
  timing: { paidTimeoutMs: 1_500, sendWindowMs: 1_000, settlingMs: 1_000, holdProbeMs: 300, pollMs: 100 },
  limits: {
    reads: { max: 1_000, windowMs: 1_000 },
    writes: { max: 500, windowMs: 1_000 },
    polls: { max: 500, windowMs: 1_000 },
  },
};

/** {@link QUICK}, where no call is meant to take longer than its time limit: on a busy machine some would. */
export const UNHURRIED = { ...QUICK.timing, sendWindowMs: 5_000, paidTimeoutMs: 10_000 };

export interface Figures {
  /** Calls of any route of leads. */
  leadCalls: number;
  reads: number;
  spent: number;
  conversions: number;
  converts: number;
  paidTwice: number;
}

export interface Stage {
  /** The server of `ownServer`. */
  server?: OwnServer;
  sandbox: Sandbox;
  temporal: Connected;
  config: Config;
  folder: string;
  /** Environment for worker processes of this stage. */
  env: Record<string, string>;
  /** What the sandbox counts, as it is now. */
  figures(): Figures;
  ledgerId: string;
  /** Credits spent today by the ledger's books. */
  spentByLedger(): Promise<number>;
  /** @param own a configuration of its own @param at another Temporal than the stage's */
  startWorker(own?: Config, at?: ConnectionConfig): Promise<RunningWorker>;
  close(): Promise<void>;
}

/** The IDs of the leads that can be converted. */
export const completedLeads = ({ sandbox }: Pick<Stage, 'sandbox'>): string[] =>
  sandbox.control.leads().flatMap(({ id, surveyStatus }) => (surveyStatus === 'completed' ? [id] : []));

export async function startStage({
  sandbox: options,
  account,
  ownServer,
  file: more,
  env = {},
  uiUrl,
  gaugesEveryMs,
}: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-test-'));
  const [server, sandbox] = await Promise.all([
    ownServer ? startServer({ persist: join(folder, 'temporal.db'), bare: ownServer === 'bare' }) : undefined,
    startSandbox({ limits: 'off', durations: { convert: 50 }, ...options }),
  ]);
  const address = server?.config ?? (await newNamespace());
  const token = join(folder, 'token');
  writeFileSync(token, sandbox.token, { mode: 0o600 });
  const file = join(folder, 'audit-runner.yaml');
  writeFileSync(
    file,
    stringify({
      accounts: { default: { baseUrl: sandbox.baseUrl, tokenFile: token, ...QUICK, ...account } },
      storageUrl: `file://${folder}/storage`,
      ...more,
    }),
  );
  const config = loadConfig({ env, file });
  const temporal = await connectClient({ config: address });
  const running: { worker: RunningWorker; close(): Promise<void> }[] = [];
  return {
    ...(server && { server }),
    sandbox,
    temporal,
    config,
    folder,
    env: {
      AUDIT_RUNNER_CONFIG: file,
      ...temporalEnv(address),
      LOG_LEVEL: 'warn',
    },
    ledgerId: ledgerId(sandbox.userId),
    async spentByLedger() {
      const status = await temporal.client.workflow.getHandle(ledgerId(sandbox.userId)).query(statusQuery);
      return status.spentToday;
    },
    figures() {
      const { requests, creditsSpent, conversions, paidTwice } = sandbox.control.stats();
      return {
        leadCalls: Object.entries(requests.byRoute).reduce(
          (n, [route, count]) => (route.startsWith('leads.') ? n + count : n),
          0,
        ),
        reads: requests.byClass.reads,
        spent: creditsSpent[sandbox.userId] ?? 0,
        conversions,
        converts: requests.byRoute['leads.convert'] ?? 0,
        paidTwice: paidTwice.length,
      };
    },
    async startWorker(own = config, at = address) {
      const log = pino({ level: process.env.TEST_LOG ?? 'silent' });
      installSdkRuntime(log);
      const { connection, namespace } = await connectNative({ config: at });
      const worker = await startWorker({ config: own, connection, namespace, log, uiUrl, gaugesEveryMs });
      running.push({ worker, close: () => connection.close() });
      return worker;
    },
    async close() {
      for (const { worker } of running) worker.stop();
      // Calls that are still under way are heard out: they need not take long any more.
      sandbox.control.clearFaults();
      sandbox.control.endDelays();
      for (const { worker, close } of running) {
        await worker.done;
        await close();
      }
      await temporal.close();
      await sandbox.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Plays on a stage of its own and closes it, whatever happens. */
export async function onStage<T>(options: StageOptions, play: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await startStage(options);
  try {
    return await play(stage);
  } catch (error) {
    throw await withWhatRunsSay(stage.temporal.client, error);
  } finally {
    await stage.close();
  }
}
