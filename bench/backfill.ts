/**
 * A backfill of thousands of leads: every one accounted for exactly once (S6) though workers and the Temporal server are
 * killed on the way, and nothing that grows with their number; 100,000 planned from a file; and at the document's own
 * limits, what a person who starts one lead meanwhile waits for, and how two backfills share.
 */
import { createReadStream, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { convertLeadId } from '../src/runs/run-ids';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { backfill, convertLead } from '../workflows';
import type { BackfillProgress, BackfillResult } from '../workflows/backfill';
import { weighHistories } from './support/history';
import { runBench } from './support/main';
import { answerQuestions } from './support/person';
import type { CommandProcess } from './support/process';
import { atMost, exactly, type Figure, note, report, warningFigures } from './support/report';
import { NO_LIMITS, onStage, type Stage } from './support/stage';
import { until } from './support/until';

const [which = 'all', given] = process.argv.slice(2);
const MAX_EVENTS = 5_000;
const WORKER_KILLS = 5;
const SERVER_KILLS = 2;
/** An unknown outcome is settled within seconds: what is killed in a call is looked up soon. */
const SOON = { paidTimeoutMs: 5_000, settlingMs: 5_000 };
/** About two thirds of the sandbox's leads can be converted. */
const leadsFor = (items: number) => String(Math.ceil(items * 1.55));

type Input = Parameters<typeof backfill>[0];
type Handle = WorkflowHandle<typeof backfill>;

const start = ({ client }: Stage, workflowId: string, input: Input) =>
  client.workflow.start<typeof backfill>('backfill', {
    workflowId,
    taskQueue: WORKFLOW_QUEUE,
    args: [{ maxCredits: 1_000_000_000, ...input }],
  });

/** @returns undefined while no worker answers */
const progressOf = (handle: Handle): Promise<BackfillProgress | undefined> =>
  handle.query<BackfillProgress, []>('progress').catch(() => undefined);

/** The IDs in the item ledger, and how many lines it has. */
async function readLedger(stage: Stage, { files }: BackfillResult): Promise<{ ids: Set<string>; lines: number }> {
  const ids = new Set<string>();
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(join(stage.storage, files.ledger ?? '')) })) {
    const entry: { id?: string } = JSON.parse(line);
    if (entry.id !== undefined) ids.add(entry.id);
    lines++;
  }
  return { ids, lines };
}

async function writeLeads(stage: Stage, name: string, ids: readonly string[]): Promise<{ ref: string }> {
  mkdirSync(stage.storage, { recursive: true });
  await writeFile(join(stage.storage, name), `leadId\n${ids.join('\n')}\n`);
  return { ref: name };
}

/** Kills workers and the server at even distances, and samples memory in between. */
async function disturb(stage: Stage, handle: Handle, items: number) {
  let worker: CommandProcess = stage.startWorker();
  const samples: { done: number; mib: number; ageMs: number }[] = [];
  const marks = Array.from({ length: WORKER_KILLS + SERVER_KILLS }, (_, i) => ({
    at: Math.round((0.15 + (0.65 * i) / (WORKER_KILLS + SERVER_KILLS)) * items),
    server: i % 3 === 1 && i < 3 * SERVER_KILLS,
  }));
  let [workers, servers, done] = [0, 0, 0];
  const person = answerQuestions(stage.client);
  let over = false;
  const ended = handle.result().finally(() => {
    over = true;
  });
  while (!over) {
    done = (await progressOf(handle))?.done ?? done;
    const { now } = worker.memory();
    samples.push({ done, mib: now, ageMs: Date.now() - worker.startedAt });
    const mark = marks[0];
    if (mark && done >= mark.at) {
      marks.shift();
      if (mark.server) {
        servers++;
        await stage.killServer();
        await sleep(2_000);
        await stage.restartServer();
      } else {
        workers++;
        await worker.kill();
        worker = stage.startWorker();
      }
    }
    await sleep(500);
  }
  const result = await ended;
  return { result, samples, workers, servers, answered: person.stop() };
}

/** Resident memory at a share of the items, median; a worker that has just started is left out. */
function memoryOf(samples: { done: number; mib: number; ageMs: number }[], items: number, from: number, to: number) {
  const some = samples
    .filter(({ done, ageMs }) => done >= from * items && done < to * items && ageMs > 10_000)
    .map(({ mib }) => mib)
    .sort((a, b) => a - b);
  return some[Math.floor(some.length / 2)] ?? Number.NaN;
}

async function run(stage: Stage, items: number): Promise<void> {
  const ids = (await stage.sandbox.leadIds()).slice(0, items);
  const file = await writeLeads(stage, 'leads.csv', ids);
  const begin = Date.now();
  const handle = await start(stage, 'bench-backfill', { operation: 'convertLead', file });
  const { result, samples, workers, servers, answered } = await disturb(stage, handle, items);
  const seconds = (Date.now() - begin) / 1_000;
  const stats = await stage.sandbox.stats();
  const ledger = await readLedger(stage, result);
  const paid = new Set(stats.payments.map(({ subject }) => subject));
  const weights = await weighHistories(stage.client);
  const [first, last] = [memoryOf(samples, items, 0, 0.12), memoryOf(samples, items, 0.88, 1.01)];
  const figures: Figure[] = [
    note('duration (s)', seconds),
    note('items a minute', result.perMinute),
    exactly('workers killed', workers, WORKER_KILLS),
    exactly('Temporal server killed', servers, SERVER_KILLS),
    note('questions answered by a person: which of two projects of one business', answered),
    exactly('items in the result, sum of the counts', sum(Object.values(result.counts)), items),
    note(
      'outcomes',
      Object.entries(result.counts)
        .flatMap(([what, n]) => (n > 0 ? `${n} ${what}` : []))
        .join(', '),
    ),
    exactly('lines of the item ledger', ledger.lines, items),
    exactly('different items in the item ledger', ledger.ids.size, items),
    exactly('leads paid for', paid.size, items),
    exactly('leads paid for twice', stats.paidTwice.length, 0),
    exactly('leads with overlapping paid requests', stats.paidOverlapping.length, 0),
    exactly('credits by the result', result.credits, stats.payments.length * 1_000),
    ...weights
      .filter(({ type }) => type !== 'accountLedger')
      .flatMap(({ type, runs, events, bytes }) => [
        atMost(`events of ${type}, most of ${runs} runs`, events, MAX_EVENTS),
        note(`bytes of ${type}, most`, bytes),
      ]),
    note('worker, resident in the first tenth (MiB)', first),
    atMost('worker, resident in the last tenth (MiB)', last, 1.1 * first),
    ...warningFigures(stage.warnings()),
  ];
  report(`A backfill of ${items.toLocaleString('en')} leads, killed on the way`, figures);
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

async function plan(stage: Stage, items: number): Promise<void> {
  const ids = Array.from({ length: items }, (_, i) => `lead-${i}`);
  const file = await writeLeads(stage, 'many.csv', ids);
  const worker = stage.startWorker();
  const begin = Date.now();
  const handle = await start(stage, 'bench-plan', { operation: 'convertLead', file, dryRun: true });
  const result = await handle.result();
  const seconds = (Date.now() - begin) / 1_000;
  const { requests } = await stage.sandbox.stats();
  const [weight] = (await weighHistories(stage.client)).filter(({ type }) => type === 'backfill');
  report(`A plan for ${items.toLocaleString('en')} rows of a CSV file`, [
    note('duration, worker start included (s)', seconds),
    exactly('items', result.items, items),
    exactly('conversions planned', result.plan.calls.writes, items),
    note('hours at the limits', result.plan.durationMs / 3_600_000),
    exactly('writes sent', requests.byClass.writes ?? 0, 0),
    atMost('events', weight?.events ?? Number.NaN, MAX_EVENTS),
    note('bytes', weight?.bytes ?? 0),
    note('worker, resident at its highest (MiB)', worker.memory().highest),
    ...warningFigures(stage.warnings()),
  ]);
}

/** Leads that a person starts while a backfill has filled the queues, and how long each takes. */
async function priority(stage: Stage, tries: number): Promise<void> {
  const ids = await stage.sandbox.leadIds();
  const file = await writeLeads(stage, 'leads.csv', ids.slice(tries));
  stage.startWorker();
  const handle = await start(stage, 'bench-priority', { operation: 'convertLead', file });
  await until('the backfill is under way', 120_000, async () => ((await progressOf(handle))?.done ?? 0) >= 5);
  const seconds: number[] = [];
  for (const leadId of ids.slice(0, tries)) {
    const begin = Date.now();
    const run = await stage.client.workflow.start<typeof convertLead>('convertLead', {
      workflowId: convertLeadId('default', leadId),
      taskQueue: WORKFLOW_QUEUE,
      args: [{ leadId }],
    });
    await run.result();
    seconds.push((Date.now() - begin) / 1_000);
    await sleep(7_000);
  }
  const underWay = (await progressOf(handle))?.underWayCount ?? 0;
  const stats = await stage.sandbox.stats();
  report('One lead of a person beside a backfill, at the limits of the document', [
    note('leads of the person', tries),
    note('items of the backfill under way meanwhile', underWay),
    note('from start to converted, least (s)', Math.min(...seconds)),
    atMost('from start to converted, most (s)', Math.max(...seconds), 10),
    exactly('answers 429', stats.refused429, 0),
    exactly('leads paid for twice', stats.paidTwice.length, 0),
    ...warningFigures(stage.warnings()),
  ]);
}

/** Two backfills of different windows; the second starts when the first has filled the queues. */
async function fairness(stage: Stage, seconds: number): Promise<void> {
  const ids = await stage.sandbox.leadIds();
  const half = Math.floor(ids.length / 2);
  const files = [
    await writeLeads(stage, 'a.csv', ids.slice(0, half)),
    await writeLeads(stage, 'b.csv', ids.slice(half)),
  ] as const;
  stage.startWorker();
  const first = await start(stage, 'bench-fair-1', { operation: 'convertLead', file: files[0], window: 60 });
  await until('the first is under way', 120_000, async () => ((await progressOf(first))?.done ?? 0) >= 3);
  const second = await start(stage, 'bench-fair-2', { operation: 'convertLead', file: files[1], window: 30 });
  const doneOf = async () =>
    [await progressOf(first), await progressOf(second)].map((seen) => seen?.done ?? Number.NaN);
  await until('the second is under way', 120_000, async () => ((await doneOf())[1] ?? 0) >= 2);
  const [a0 = 0, b0 = 0] = await doneOf();
  await sleep(seconds * 1_000);
  const [a = 0, b = 0] = await doneOf();
  const [of1, of2] = [a - a0, b - b0];
  const stats = await stage.sandbox.stats();
  report(`Two backfills at once for ${seconds} s, at the limits of the document`, [
    note('conversions of the first, 60 at once', of1),
    note('conversions of the second, 30 at once', of2),
    atMost('the larger share beyond the half (%)', (200 * Math.max(of1, of2)) / (of1 + of2) - 100, 10),
    exactly('answers 429', stats.refused429, 0),
    exactly('leads paid for twice', stats.paidTwice.length, 0),
    ...warningFigures(stage.warnings()),
  ]);
}

const credits = (items: number) => ['--credits', String(items * 2_000)];
const wants = (name: string) => which === 'all' || which === name;

const items = Number(given ?? 10_000);

// A hundred items a minute is what no machine falls short of.
runBench(60 + items / 100, async () => {
  if (wants('plan')) {
    const rows = which === 'plan' ? Number(given ?? 100_000) : 100_000;
    await onStage({ sandbox: ['--leads', '5'] }, (stage) => plan(stage, rows));
  }
  if (wants('run'))
    await onStage(
      {
        sandbox: ['--leads', leadsFor(items), ...credits(items), '--limits', 'off'],
        account: { limits: NO_LIMITS, timing: SOON },
        persist: true,
      },
      (stage) => run(stage, items),
    );
  if (wants('priority'))
    await onStage({ sandbox: ['--leads', leadsFor(100), ...credits(200)] }, (stage) => priority(stage, 5));
  if (wants('fairness'))
    await onStage({ sandbox: ['--leads', leadsFor(300), ...credits(600)] }, (stage) => fairness(stage, 240));
});
