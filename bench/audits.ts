/**
 * Many audits at once, and an audit of many documents: how evenly jobs are polled under the limit, what two hours of polling add
 * to a history, and what 1,000 documents do to a worker's memory. The sandbox runs in this process, to hear each request.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { startServer } from '../src/dev-server/server';
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/sandbox';
import { connectClient } from '../src/temporal/connect';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { auditProject } from '../workflows';
import { eventsOfActivity, weighHistories } from './support/history';
import { inTime, runBench } from './support/main';
import { CommandProcess } from './support/process';
import { atMost, exactly, note, report } from './support/report';
import { NO_LIMITS } from './support/stage';

const [which = 'all', audits = '500', documents = '1000'] = process.argv.slice(2);
const AUDITS = Number(audits);
const DOCUMENTS = Number(documents);
/** The clock runs so many times faster: a round of 500 jobs takes 50 s instead of 250 s. */
const SPEED = 5;
const POLLS = { max: 120, windowMs: 60_000 };
const ROUNDS = 4;
/** One audit of two hours, in a minute. */
const LONG = { speed: 120, audit: 2 * 3_600_000 };
const MEGABYTE = 1024 * 1024;

interface Stage {
  sandbox: Sandbox;
  client: Awaited<ReturnType<typeof connectClient>>['client'];
  worker: CommandProcess;
  storage: string;
}

async function onStage(
  options: SandboxOptions,
  account: object,
  bench: (stage: Stage) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-bench-'));
  const storage = join(folder, 'storage');
  mkdirSync(storage);
  const [server, sandbox] = await Promise.all([startServer(), startSandbox({ projects: 0, leads: 0, ...options })]);
  writeFileSync(join(folder, 'token'), sandbox.token);
  const config = join(folder, 'audit-runner.yaml');
  const accounts = { default: { baseUrl: sandbox.baseUrl, tokenFile: join(folder, 'token'), ...account } };
  writeFileSync(config, stringify({ accounts, storageUrl: `file://${storage}` }));
  const { client, close } = await connectClient({ config: server.config });
  const env = { TEMPORAL_ADDRESS: server.address, LOG_LEVEL: 'warn', CI: 'true', MALLOC_ARENA_MAX: '2' };
  const worker = new CommandProcess(['worker', '--config', config], { env, log: join(folder, 'worker.log') });
  try {
    await inTime(bench({ sandbox, client, worker, storage }));
  } finally {
    await worker.end();
    await close();
    await Promise.all([sandbox.close(), server.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

const start = ({ client }: Stage, n: number, documents: string[]) =>
  client.workflow.start<typeof auditProject>('auditProject', {
    workflowId: `audit-${n}`,
    taskQueue: WORKFLOW_QUEUE,
    args: [{ project: { clientName: `Client ${n}` }, documents, maxCredits: 1_000 }],
  });

/** How long each job waited between two polls. */
async function manyAudits(): Promise<void> {
  const polledAt = new Map<string, number[]>();
  const roundMs = (AUDITS / POLLS.max) * (POLLS.windowMs / SPEED);
  const quick = { createProject: 0, upload: 0, documentAnalysis: 0, interviewAnalysis: 0 };
  const options: SandboxOptions = {
    ...{ speed: SPEED, limits: 'off', credits: AUDITS * 1_000 },
    durations: { ...quick, audit: ROUNDS * roundMs * SPEED },
    log: ({ route, id }) => {
      if (route === 'jobs.get' && id) polledAt.set(id, [...(polledAt.get(id) ?? []), performance.now()]);
    },
  };
  await onStage(options, { speed: SPEED, limits: { ...NO_LIMITS, polls: POLLS } }, async (stage) => {
    writeFileSync(join(stage.storage, 'a.txt'), 'a document');
    const runs = await Promise.all(Array.from({ length: AUDITS }, (_, n) => start(stage, n, ['a.txt'])));
    const results = await Promise.all(runs.map((run) => run.result()));
    const gaps = [...polledAt.values()].flatMap((times) => times.slice(1).map((time, i) => time - (times[i] ?? 0)));
    const all = [...polledAt.values()].flat().sort((a, b) => a - b);
    const windowMs = POLLS.windowMs / SPEED;
    const fullest = Math.max(...all.map((from, i) => all.slice(i).filter((time) => time <= from + windowMs).length));
    const [weight] = (await weighHistories(stage.client)).filter(({ type }) => type === 'auditProject');
    report(`${AUDITS} audits at once, at ${POLLS.max} polls a minute, the clock ${SPEED} times as fast`, [
      exactly('audited', results.filter(({ outcome }) => outcome === 'audited').length, AUDITS),
      exactly('jobs polled', polledAt.size, AUDITS),
      note('polls', all.length),
      atMost('polls in any closed window', fullest, POLLS.max),
      note('ideal gap between two polls of a job (s)', roundMs / 1_000),
      note('mean gap (s)', gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / 1_000),
      atMost('longest gap (s)', Math.max(...gaps) / 1_000, (2 * roundMs) / 1_000),
      note('events of one audit, most', weight?.events ?? 0),
      exactly('credits spent', stage.sandbox.control.stats().creditsSpent[stage.sandbox.userId] ?? 0, AUDITS * 1_000),
    ]);
  });
}

/** What waiting for a job adds to a history. */
async function longAudit(): Promise<void> {
  const quick = { createProject: 0, upload: 0, documentAnalysis: 0, interviewAnalysis: 0 };
  const options: SandboxOptions = { speed: LONG.speed, durations: { ...quick, audit: LONG.audit } };
  await onStage(options, { speed: LONG.speed }, async (stage) => {
    writeFileSync(join(stage.storage, 'a.txt'), 'a document');
    const run = await start(stage, 0, ['a.txt']);
    const { outcome } = await run.result();
    const { byRoute } = stage.sandbox.control.stats().requests;
    report(`one audit of two hours, the clock ${LONG.speed} times as fast`, [
      exactly('audited', outcome === 'audited' ? 1 : 0, 1),
      note('polls', byRoute['jobs.get'] ?? 0),
      atMost('events that the polling added', await eventsOfActivity(stage.client, run.workflowId, 'awaitJob'), 40),
    ]);
  });
}

/** Memory of the worker while it uploads. */
async function manyDocuments(): Promise<void> {
  const options: SandboxOptions = {
    limits: 'off',
    durations: { interviewAnalysis: 0, audit: 1_000, documentAnalysis: 0 },
  };
  await onStage(options, { limits: NO_LIMITS }, async (stage) => {
    const bytes = Buffer.alloc(MEGABYTE, 'x');
    const refs = Array.from({ length: DOCUMENTS }, (_, n) => `document-${n}.txt`);
    for (const ref of refs) writeFileSync(join(stage.storage, ref), bytes);
    await (await start(stage, 0, refs.slice(0, 20))).result();
    const before = stage.worker.memory().now;
    const samples: number[] = [];
    let over = false;
    const sampling = (async () => {
      for (; !over; await sleep(250)) samples.push(stage.worker.memory().now);
    })();
    const began = Date.now();
    const result = await (await start(stage, 1, refs)).result();
    over = true;
    await sampling;
    const [weight] = (await weighHistories(stage.client)).filter(({ type }) => type === 'auditProject');
    report(`an audit of ${DOCUMENTS} documents of 1 MB`, [
      exactly('documents uploaded', result.documents?.uploaded.length ?? 0, DOCUMENTS),
      exactly('documents there twice', stage.sandbox.control.stats().documentsDoubled.length, 0),
      note('seconds', (Date.now() - began) / 1_000),
      note('resident before (MiB)', before),
      atMost('resident memory grew by (MiB)', Math.max(...samples) - before, 100),
      atMost('events', weight?.events ?? 0, 50_000),
      note('bytes of the history', weight?.bytes ?? 0),
    ]);
  });
}

runBench(60, async () => {
  const parts = { polls: manyAudits, wait: longAudit, documents: manyDocuments };
  for (const [name, part] of Object.entries(parts)) if (which === 'all' || which === name) await part();
});
