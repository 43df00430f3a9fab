/** What a worker process weighs with 1,000 runs open at once, and how soon after its start it works. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { holdUpdate, releaseUpdate } from '../src/ledger/messages';
import { convertLeadId } from '../src/runs/run-ids';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { convertLead } from '../workflows';
import { firstTaskAt, weighHistories } from './support/history';
import { findLedger } from './support/ledger';
import { runBench } from './support/main';
import { atMost, exactly, note, report, warningFigures } from './support/report';
import { NO_LIMITS, onStage, type Stage } from './support/stage';
import { until } from './support/until';

const RUNS = Number(process.argv[2] ?? 1_000);
const MAX_MIB = 400;
const MAX_START_MS = 5_000;
/** How long the worker is watched while every run waits, milliseconds. */
const WATCH_MS = 45_000;
const STARTS_AT_ONCE = 20;

const start = (client: Client, leadId: string) =>
  client.workflow.start<typeof convertLead>('convertLead', {
    workflowId: convertLeadId('default', leadId),
    taskQueue: WORKFLOW_QUEUE,
    args: [{ leadId }],
  });

const countRuns = async (client: Client, status: string): Promise<number> =>
  (await client.workflow.count(`WorkflowType = 'convertLead' AND ExecutionStatus = '${status}'`)).count;

async function memory({ client, sandbox, startWorker, warnings }: Stage): Promise<void> {
  const [first, ...rest] = (await sandbox.leadIds()).slice(0, RUNS);
  if (first === undefined) throw new Error('the sandbox has no leads');
  // There before the worker is, so that its first task is waiting for it.
  const waiting = await start(client, first);
  const worker = startWorker();
  const startedMs = (await firstTaskAt(waiting)) - worker.startedAt;
  const ledger = await findLedger(client);
  await waiting.result();
  const idle = worker.memory().now;

  await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'bench' }] });
  const left = [...rest];
  const lane = async () => {
    for (let leadId = left.pop(); leadId !== undefined; leadId = left.pop()) await start(client, leadId);
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, lane));
  await until('every run has looked', 300_000, async () => {
    const { requests } = await sandbox.stats();
    return (requests.byRoute['leads.get'] ?? 0) >= RUNS;
  });
  await sleep(WATCH_MS / 3);
  const processorMs = worker.processorMs();
  const samples: number[] = [];
  for (const end = Date.now() + WATCH_MS; Date.now() < end; await sleep(1_000)) samples.push(worker.memory().now);
  const busy = (100 * (worker.processorMs() - processorMs)) / WATCH_MS;
  const open = await countRuns(client, 'Running');

  const begin = Date.now();
  await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'bench' }] });
  await until('every run has ended', 300_000, async () => (await countRuns(client, 'Completed')) >= RUNS, 500);
  const seconds = (Date.now() - begin) / 1_000;
  const stats = await sandbox.stats();
  const [weight] = (await weighHistories(client)).filter(({ type }) => type === 'convertLead');
  report(`${RUNS.toLocaleString('en')} runs of convertLead open, the account on hold`, [
    atMost('worker start to first task completed (ms)', startedMs, MAX_START_MS),
    note('resident, one run done (MiB)', idle),
    exactly('runs open while measured', open, RUNS - 1),
    atMost('resident, all waiting, largest of the samples (MiB)', Math.max(...samples), MAX_MIB),
    note('resident at the end of the watch (MiB)', samples.at(-1) ?? 0),
    note('processor while all wait (% of one core)', busy),
    note('release to all converted (s)', seconds),
    atMost('resident at its highest, release included (MiB)', worker.memory().highest, MAX_MIB),
    exactly('leads converted', stats.conversions, RUNS),
    exactly('leads paid for twice', stats.paidTwice.length, 0),
    note('reads per conversion', ((stats.requests.byClass.reads ?? 0) - 2) / RUNS),
    note('events of one run, most', weight?.events ?? 0),
    note('bytes of one run, most', weight?.bytes ?? 0),
    ...warningFigures(warnings()),
  ]);
}

runBench(30, () =>
  onStage(
    {
      sandbox: ['--leads', String(Math.ceil(RUNS * 1.5)), '--credits', String(RUNS * 1_000), '--limits', 'off'],
      account: { limits: NO_LIMITS },
    },
    memory,
  ),
);
