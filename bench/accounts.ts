/**
 * Many accounts in one namespace, two workers that have all of them: what they cost while nothing is to be done, and how much
 * of each account's write limit is used while all have work (S5).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../src/agent-api/routes';
import { type OwnServer, startServer } from '../src/dev-server/server';
import { type Sandbox, startSandbox } from '../src/sandbox';
import { connectClient } from '../src/temporal/connect';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { leadPipeline } from '../workflows';
import { inTime, runBench } from './support/main';
import { atLeast, atMost, exactly, type Figure, note, report, warningFigures } from './support/report';
import { shareOfLimit, WARM_UP } from './support/share';
import { until } from './support/until';
import { memoryOf, processorMsOf } from './support/usage';
import { Workers } from './support/workers';

const [ACCOUNTS = 10, MINUTES = 4] = process.argv.slice(2).map(Number);
/** More accounts than this keep both cores of a small machine busy. */
const FEW = 10;
const LEAST_SHARE = ACCOUNTS > FEW ? 90 : 97;
const MAX_IDLE_PERCENT = 5;
const MAX_MIB = 400;
const IDLE_MS = 60_000;
/** After the start: what is read once is read. */
const SETTLES_MS = 30_000;
/** More than leave within the time. */
const CONVERSIONS = Math.ceil((MINUTES + 3) * LIMITS.writes.max);

const names = Array.from({ length: ACCOUNTS }, (_, i) => `account-${i + 1}`);

/** Each with a user, and so a ledger, of its own. */
const openSandboxes = () =>
  Promise.all(
    names.map((_, i) =>
      startSandbox({
        ...{ seed: i + 1, leads: Math.ceil(CONVERSIONS * 1.6), credits: CONVERSIONS * 2_000 },
        convertCheck: 'atArrival',
      }),
    ),
  );

interface Watched {
  what: string;
  pid: number;
}

/** Watches processes for a time. @returns of each the processor, per cent of a core, and the largest of its memory, MiB */
async function watch(processes: readonly Watched[], ms: number) {
  const before = processes.map(({ pid }) => processorMsOf(pid));
  const mib = processes.map(() => 0);
  const begin = performance.now();
  for (const end = begin + ms; performance.now() < end; await sleep(1_000))
    for (const [i, { pid }] of processes.entries()) mib[i] = Math.max(mib[i] ?? 0, memoryOf(pid).now);
  const passed = performance.now() - begin;
  return processes.map(({ what, pid }, i) => ({
    what,
    percent: (100 * (processorMsOf(pid) - (before[i] ?? 0))) / passed,
    mib: mib[i] ?? 0,
  }));
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function accounts(server: OwnServer, sandboxes: readonly Sandbox[], workers: Workers): Promise<void> {
  const { client, close } = await connectClient({ config: server.config });
  try {
    const begin = performance.now();
    const own = [workers.start(), workers.start()];
    await until('every account has its ledger', 300_000, async () => {
      const { count } = await client.workflow.count("WorkflowType = 'accountLedger' AND ExecutionStatus = 'Running'");
      return count === ACCOUNTS;
    });
    const readyS = (performance.now() - begin) / 1_000;
    await sleep(SETTLES_MS);
    const processes = [
      ...own.map(({ pid }, i) => ({ what: `worker ${i + 1}`, pid })),
      { what: 'server', pid: server.pid },
    ];
    const idle = await watch(processes, IDLE_MS);

    for (const account of names)
      await client.workflow.start<typeof leadPipeline>('leadPipeline', {
        ...{ workflowId: `pipeline-${account}`, taskQueue: WORKFLOW_QUEUE },
        args: [
          {
            ...{ account, maxConversions: CONVERSIONS, maxCredits: CONVERSIONS * 1_000, concurrency: 10 },
            scoring: { minReadiness: 0 },
          },
        ],
      });
    const stats = () => sandboxes.map(({ control }) => control.stats());
    await until('every account pays', 600_000, async () => stats().every(({ payments }) => payments.length > WARM_UP));
    const busy = await watch(processes, MINUTES * 60_000);
    const now = Date.now();
    const seen = stats();
    const shares = seen.map((one) => shareOfLimit({ payments: [...one.payments] }, now));
    const writes = seen.flatMap(({ windows }) => windows.filter(({ rateClass }) => rateClass === 'writes'));
    const sum = (of: (one: (typeof seen)[number]) => number) => seen.reduce((total, one) => total + of(one), 0);
    report(`${ACCOUNTS} accounts, two workers that have all of them, the document's limits, ${MINUTES} min of work`, [
      note('start until every account has its ledger (s)', readyS),
      ...figures('idle', idle, MAX_IDLE_PERCENT),
      ...figures('at work', busy),
      atLeast('share of the write limit used, of the account with the least (%)', Math.min(...shares), LEAST_SHARE),
      note('share of the write limit used, median of the accounts (%)', median(shares)),
      atMost('writes in any closed 60 s, most', Math.max(...writes.map(({ largest }) => largest)), LIMITS.writes.max),
      exactly(
        'answers 429',
        sum(({ refused429 }) => refused429),
        0,
      ),
      note(
        'leads paid for',
        sum(({ payments }) => payments.length),
      ),
      exactly(
        'leads paid for twice',
        sum(({ paidTwice }) => paidTwice.length),
        0,
      ),
      exactly(
        'leads with overlapping paid requests',
        sum(({ paidOverlapping }) => paidOverlapping.length),
        0,
      ),
      ...warningFigures(workers.warnings()),
    ]);
  } finally {
    await close();
  }
}

/** The limits are those of a worker. */
const figures = (when: string, watched: Awaited<ReturnType<typeof watch>>, mostPercent?: number): Figure[] =>
  watched.flatMap(({ what, percent, mib }) => {
    const isLimited = mostPercent !== undefined && what !== 'server';
    const processor = `${what}, ${when}: processor (% of a core)`;
    const memory = `${what}, ${when}: resident, most (MiB)`;
    return isLimited
      ? [atMost(processor, percent, mostPercent), atMost(memory, mib, MAX_MIB)]
      : [note(processor, percent), note(memory, mib)];
  });

runBench(MINUTES + 25, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-bench-'));
  const [server, sandboxes] = await Promise.all([startServer(), openSandboxes()]);
  const configured = sandboxes.map(({ baseUrl, token }, i) => [names[i] ?? '', { baseUrl, token }] as const);
  const workers = new Workers(folder, server.address, Object.fromEntries(configured));
  try {
    await inTime(accounts(server, sandboxes, workers));
  } finally {
    await workers.end();
    await Promise.all([...sandboxes.map((sandbox) => sandbox.close()), server.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
});
