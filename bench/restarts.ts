/**
 * The write limit while workers die: a backlog of conversions, several workers, one of which is killed every half minute and
 * started again, on each kind of Temporal server. What is let through is as good as the limit, and no closed minute holds more
 * (S5); nothing is paid for twice (S1, S2).
 */
import { z } from 'zod';
import { LIMITS } from '../src/agent-api/routes';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { leadPipeline } from '../workflows';
import { runBench } from './support/main';
import { atLeast, atMost, exactly, note, report, warningFigures } from './support/report';
import { SERVERS } from './support/server';
import { onStage, type Stage } from './support/stage';
import { until } from './support/until';

const [kind = 'defaults', minutes = '4', count = '5'] = process.argv.slice(2);
const SERVER = z.enum(SERVERS).parse(kind);
const MINUTES = Number(minutes);
const WORKERS = Number(count);
const KILLED_EVERY_MS = 30_000;
/** The first window is filled from a quiet service, and the first kill comes after it. */
const WARM_UP_MS = LIMITS.writes.windowMs;
const LEAST_SHARE = 97;
const STARTS_WITHIN_MS = 300_000;
/** More than are sent meanwhile; a pipeline takes 400 at most, which is enough for fifteen minutes. */
const LEADS = Math.ceil((MINUTES + 3) * LIMITS.writes.max * 1.1);
/** Three quarters of the sandbox's leads can be converted; and some to spare. */
const SEEDED = Math.ceil(LEADS / 0.7);

const timesOf = async ({ sandbox }: Stage): Promise<number[]> =>
  (await sandbox.stats()).payments.map(({ at }) => Date.parse(at)).sort((one, other) => one - other);

/** Of those that were paid for: each payment is one write. */
function fullest(times: readonly number[]): number {
  const { windowMs } = LIMITS.writes;
  return Math.max(0, ...times.map((from, n) => times.slice(n).filter((at) => at - from <= windowMs).length));
}

async function restarted(stage: Stage): Promise<void> {
  const { client, sandbox, startWorker } = stage;
  const workers = Array.from({ length: WORKERS }, () => startWorker());
  await client.workflow.start<typeof leadPipeline>('leadPipeline', {
    ...{ workflowId: 'bench-restarts', taskQueue: WORKFLOW_QUEUE },
    args: [
      {
        ...{ maxConversions: LEADS, maxCredits: LEADS * 1_000, concurrency: 40 },
        scoring: { minReadiness: 0 },
      },
    ],
  });
  await until('writes begin', STARTS_WITHIN_MS, async () => (await timesOf(stage)).length > 0);
  const begin = ((await timesOf(stage))[0] ?? Date.now()) + WARM_UP_MS;
  const end = begin + MINUTES * 60_000;
  let kills = 0;
  for (let at = begin; at < end; at += KILLED_EVERY_MS) {
    await until('the next kill', KILLED_EVERY_MS * 4, async () => Date.now() >= Math.min(at, end));
    const nth = kills++ % WORKERS;
    await workers[nth]?.kill();
    workers[nth] = startWorker();
  }
  await until('the end', KILLED_EVERY_MS * 4, async () => Date.now() >= end);
  const stats = await sandbox.stats();
  const times = await timesOf(stage);
  const steady = times.filter((at) => at >= begin && at < end).length;
  const paidIn = (nth: number) =>
    times.filter((at) => Math.floor((at - begin) / KILLED_EVERY_MS) === nth && at < end).length;
  const longest = Math.max(...times.slice(1).map((at, n) => at - (times[n] ?? at))) / 1_000;
  const window = stats.windows.find(({ rateClass }) => rateClass === 'writes');
  report(`${WORKERS} workers, one killed every 30 s, ${MINUTES} minutes, the Temporal server: ${SERVER}`, [
    atLeast(
      'share of the write limit used, steady part (%)',
      (100 * steady) / (MINUTES * LIMITS.writes.max),
      LEAST_SHARE,
    ),
    atMost('writes in any closed 60 s, most', window?.largest ?? Number.NaN, LIMITS.writes.max),
    atMost('payments in any closed 60 s, most', fullest(times), LIMITS.writes.max),
    exactly('answers 429', stats.refused429, 0),
    exactly('leads paid for twice', stats.paidTwice.length, 0),
    note('payments; kills', `${times.length}; ${kills}`),
    note('by half minute, after each kill', Array.from({ length: 2 * MINUTES }, (_, n) => paidIn(n)).join(' ')),
    note('longest pause between two (s)', longest),
    ...warningFigures(stage.warnings()),
  ]);
}

const sandbox = [
  ...['--leads', String(SEEDED), '--credits', String(LEADS * 2_000)],
  ...['--convert-check', 'atArrival'],
];
runBench(MINUTES + 12, () => onStage({ sandbox, server: SERVER }, restarted));
