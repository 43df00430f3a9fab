/** `audit-runner demo`: leads, an audit and notes against the sandbox with faults, and the proof that all was paid once. */
import { resolve } from 'node:path';
import { destination } from 'pino';
import { z } from 'zod';
import { startServer, type TemporalServer } from '../dev-server/server';
import { createLogger } from '../log';
import type { WorkflowName } from '../runs/workflow-types';
import type { FaultRule, Sandbox } from '../sandbox';
import { openStorage } from '../storage';
import { connectClient } from '../temporal/connect';
import { ledgerId } from '../temporal/ledger-id';
import { installSdkRuntime } from '../temporal/sdk-runtime';
import { linkTo } from '../temporal/ui';
import { PROGRAM } from '../text/command';
import { playAudit, playLeads, playNotes, playPerson } from './demo/scenes';
import { EXIT } from './exit';
import type { RunEnd } from './follow';
import { type Books, readBooks } from './ledgers';
import { LOCAL_FOLDER, localWorker, newStorage, sandboxConfig } from './local';
import { number, print, table, tell } from './output';
import { prove } from './proof';
import { showResult } from './results';
import { openSandbox } from './sandbox';
import { EndSignals } from './signals';

export interface DemoOptions {
  speed: number;
  keep?: boolean;
}

const LEADS = 60;
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
  // Nobody is there to hold interviews: they take place by themselves.
  // A service that looks only as a request arrives would let two of them pay: what must not happen could.
  const sandbox = await openSandbox({
    ...{ speed, leads: LEADS, convertCheck: 'atArrival' },
    durations: { interviewAnalysis: 30_000 },
  });
  for (const fault of FAULTS) sandbox.control.addFault({ route: 'leads.convert', ...fault });
  const config = sandboxConfig(sandbox, speed, newStorage('demo'));
  const { settlingMs, paidTimeoutMs } = config.accounts.default?.timing ?? { settlingMs: 0, paidTimeoutMs: 0 };
  tell(
    `Sandbox at ${sandbox.baseUrl}: ${LEADS} leads, ${number(sandbox.control.credits().credits)} credits, a clock ${speed} times as fast as real time.\n` +
      `So the limits are 20 writes in ${60 / speed} s, and settling an unknown outcome takes ${(paidTimeoutMs + settlingMs) / 1_000} s instead of ${((paidTimeoutMs + settlingMs) * speed) / 60_000} min.\n` +
      'Among the converts one reply gets lost after the commit, one is a 429 with Retry-After, one a 503.\n' +
      'Beside the leads: one audit with three documents, and five notes, of which one fails twice and one needs a review.',
  );
  const worker = await localWorker(server, config, log);
  try {
    const playing = play(server, sandbox, config.storageUrl, signals.aborted);
    const played = await Promise.race([playing, worker.done.then(() => undefined)]);
    if (played === undefined) return EXIT.interrupted;
    const shown = [
      await show('Leads', 'leadPipeline', [played.leads], config.storageUrl, logFile),
      await show('Audit', 'auditProject', [played.audit], config.storageUrl, logFile),
      showNotes(played.notes),
    ];
    const right = prove(played.books, sandbox, sandbox.control.stats(), FAULTS.length) && shown.every(Boolean);
    if (keep) {
      print(`\nEverything stays up until Ctrl-C. Web UI: ${server.uiUrl}   Sandbox: ${sandbox.controlUrl}/stats`);
      await signals.first;
    } else tell(`\nWith --keep the Web UI and the sandbox stay up, to look at the runs: ${PROGRAM} demo --keep`);
    return right ? EXIT.done : EXIT.failed;
  } finally {
    await worker.close();
    await sandbox.close();
    await server.stop();
  }
}

/** What the demo shows of a note's result. */
const Noted = z.looseObject({
  outcome: z.string(),
  items: z.looseObject({ total: z.number() }),
  reprocesses: z.number(),
});
const NOTHING = { outcome: 'failed', items: { total: 0 }, reprocesses: 0 };

interface PlayedAll {
  leads: RunEnd;
  audit: RunEnd;
  notes: RunEnd[];
  books: Books;
}

/** Plays all three at once; undefined when it was interrupted. */
async function play(
  server: TemporalServer,
  sandbox: Sandbox,
  storageUrl: string,
  interrupted: AbortSignal,
): Promise<PlayedAll | undefined> {
  const { client, close } = await connectClient({ config: server.config });
  try {
    const audit = await playAudit(client, openStorage(storageUrl));
    const notes = await playNotes(client);
    const leads = await playLeads({ client, namespace: server.namespace, server }, interrupted);
    const ledger = ledgerId(sandbox.userId);
    // A worker may still be opening it.
    const opened = await client.workflow
      .getHandle(ledger)
      .describe()
      .catch(() => undefined);
    const link = (what: string, run: { workflowId: string; runId?: string | undefined }) =>
      `${what.padEnd(9)} ${linkTo(server.uiUrl ?? '', server.namespace, run.workflowId, run.runId)}`;
    tell(
      `\n${[link('Pipeline', leads), link('Audit', audit), link('Ledger', { workflowId: ledger, runId: opened?.runId })].join('\n')}\n`,
    );
    const reviews = Promise.all(notes.map((note) => playPerson(client, note)));
    const ends = await Promise.race([
      Promise.all([leads.end, audit.end, ...notes.map(({ end }) => end)]),
      new Promise<undefined>((resolve) => interrupted.addEventListener('abort', () => resolve(undefined))),
    ]);
    await reviews;
    const [ofLeads, ofAudit, ...ofNotes] = ends ?? [];
    if (!ofLeads || !ofAudit || ofLeads.kind === 'interrupted') return undefined;
    return { leads: ofLeads, audit: ofAudit, notes: ofNotes, books: await readBooks(client, ledger) };
  } finally {
    await close();
  }
}

/** @returns whether all ended well */
async function show(
  title: string,
  type: WorkflowName,
  ends: readonly RunEnd[],
  storageUrl: string,
  logFile: string,
): Promise<boolean> {
  let right = true;
  for (const end of ends) {
    const shown = end.kind === 'result' ? await showResult(type, end.result, storageUrl) : undefined;
    print(
      `\n${title}\n${shown?.text ?? `The run failed: ${end.kind === 'failed' ? end.message : end.kind}; see ${logFile}`}`,
    );
    right &&= shown?.code === EXIT.done;
  }
  return right;
}

function showNotes(ends: readonly RunEnd[]): boolean {
  const rows = ends.map((end, n) => {
    const { outcome, items, reprocesses } = end.kind === 'result' ? Noted.parse(end.result) : NOTHING;
    return [n + 1, outcome, items.total, reprocesses] as const;
  });
  print(`\nNotes\n${table(['note', 'outcome', 'items', 'extracted again'], rows)}`);
  return rows.every(([, outcome]) => outcome === 'processed' || outcome === 'accepted');
}
