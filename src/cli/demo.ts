/** `audit-runner demo`: a pipeline against the sandbox with faults, and the proof that every lead was paid for once. */
import { resolve } from 'node:path';
import { destination } from 'pino';
import { createLogger } from '../log';
import type { FaultRule, Sandbox } from '../sandbox';
import { connectClient } from '../temporal/connect';
import { ledgerId } from '../temporal/ledger-client';
import { installSdkRuntime } from '../temporal/sdk-runtime';
import { startServer, type TemporalServer } from '../temporal/server';
import { EXIT } from './exit';
import { follow, type RunEnd } from './follow';
import { LOCAL_FOLDER, localWorker, sandboxConfig } from './local';
import { number, print, tell } from './output';
import { prove } from './proof';
import { type ShownResult, showResult } from './results';
import { start } from './run';
import { openSandbox } from './sandbox';
import { linkTo } from './server';
import { EndSignals } from './signals';
import { type Books, readBooks } from './spend';
import { workflowType } from './workflow-types';

export interface DemoOptions {
  speed: number;
  keep?: boolean;
}

const LEADS = 60;
const INPUT = { maxConversions: 20, maxCredits: 20_000, scoring: { minReadiness: 30 } };

/** One of each among the converts: paid for without an answer, asked to wait, and an answer that proves nothing. */
const FAULTS: Pick<FaultRule, 'fault' | 'after' | 'status' | 'retryAfter'>[] = [
  { fault: 'replyLost', after: 2, status: 500 },
  { fault: 'status', after: 3, status: 429, retryAfter: 2 },
  { fault: 'status', after: 3, status: 503 },
];

export async function demoCommand({ speed, keep = false }: DemoOptions): Promise<number> {
  const signals = new EndSignals();
  const logFile = resolve(LOCAL_FOLDER, 'demo.log');
  const log = createLogger({ output: destination({ dest: logFile, mkdir: true, sync: true }), pretty: false });
  installSdkRuntime(log);
  // Never a configured server: a sandbox's worker must not answer for real accounts (see `dev`).
  const server = await startServer({ ui: true, log: tell });
  const sandbox = await openSandbox({ speed, leads: LEADS });
  for (const fault of FAULTS) sandbox.control.addFault({ route: 'leads.convert', ...fault });
  const config = sandboxConfig(sandbox, speed);
  const { settlingMs, paidTimeoutMs } = config.accounts.default?.timing ?? { settlingMs: 0, paidTimeoutMs: 0 };
  tell(
    `Sandbox at ${sandbox.baseUrl}: ${LEADS} leads, ${number(sandbox.control.credits().credits)} credits, a clock ${speed} times as fast as real time.\n` +
      `So the limits are 20 converts in ${60 / speed} s, and settling an unknown outcome takes ${(paidTimeoutMs + settlingMs) / 1_000} s instead of ${((paidTimeoutMs + settlingMs) * speed) / 60_000} min.\n` +
      'Among the converts one reply gets lost after the commit, one is a 429 with Retry-After, one a 503.',
  );
  const worker = await localWorker(server, config, log);
  try {
    const converting = convertAll(server, sandbox, config.storageUrl, signals.aborted);
    const outcome = await Promise.race([converting, worker.done.then(() => undefined)]);
    if (outcome === undefined) return EXIT.interrupted;
    const { books, shown, end } = outcome;
    if (shown) print(`\n${shown.text}`);
    else if (end.kind === 'failed') print(`The run failed (${end.type}): ${end.message}; see ${logFile}`);
    const right = prove(books, sandbox, sandbox.control.stats(), FAULTS.length) && shown?.code === EXIT.done;
    if (keep) {
      print(`\nEverything stays up until Ctrl-C. Web UI: ${server.uiUrl}   Sandbox: ${sandbox.controlUrl}/stats`);
      await signals.first;
    } else tell('\nWith --keep the Web UI and the sandbox stay up, to look at the runs: npm run demo -- --keep');
    return right ? EXIT.done : EXIT.failed;
  } finally {
    await worker.close();
    await sandbox.close();
    await server.stop();
  }
}

/** Runs the pipeline; undefined when it was interrupted. */
async function convertAll(
  server: TemporalServer,
  sandbox: Sandbox,
  storageUrl: string,
  interrupted: AbortSignal,
): Promise<{ end: RunEnd; shown?: ShownResult; books: Books } | undefined> {
  const { client, close } = await connectClient({ config: server.config });
  try {
    const plan = workflowType('leadPipeline').plan(INPUT);
    const handle = await start(client, 'leadPipeline', plan.workflowId, INPUT, plan);
    const ledger = ledgerId(sandbox.userId);
    if (server.uiUrl)
      tell(
        `\nPipeline  ${linkTo(server.uiUrl, server.namespace, plan.workflowId)}\n` +
          `Ledger    ${linkTo(server.uiUrl, server.namespace, ledger)}\n`,
      );
    const end = await follow(client, handle, interrupted);
    if (end.kind === 'interrupted') return undefined;
    const books = await readBooks(client, ledger);
    return end.kind === 'result' ? { end, books, shown: await showResult(end.result, storageUrl) } : { end, books };
  } finally {
    await close();
  }
}
