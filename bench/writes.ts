/**
 * The write limit at the document's own figures: how much of it is used while there is work, and that it is never
 * exceeded (S5); then the same with a fault on one request in five, and nothing paid for twice (S1, S2, S6). `places`: with
 * such faults, ten places and the document's own times, until every lead has been tried once.
 */
import { LIMITS } from '../src/agent-api/routes';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { leadPipeline } from '../workflows';
import type { PipelineProgress } from '../workflows/lead-pipeline';
import { countEvents, weighHistories } from './support/history';
import { runBench } from './support/main';
import { answerQuestions } from './support/person';
import { atLeast, atMost, exactly, type Figure, note, report, warningFigures } from './support/report';
import type { Stats } from './support/sandbox';
import { shareOfLimit, WARM_UP } from './support/share';
import { onStage, type Stage, type StageOptions } from './support/stage';
import { until } from './support/until';

const [which = 'both', given = '85'] = process.argv.slice(2);
const CONVERSIONS = Number(given);
const LEAST_SHARE = 97;
/** Most children of one pipeline, and the most events that its history may have. */
const MOST_CHILDREN = 400;
const MAX_EVENTS = 5_000;
/** An unknown outcome is settled after three quarters of a minute instead of eight and a half minutes. */
const SOON = { paidTimeoutMs: 20_000, settlingMs: 20_000 };

/** It looks at a lead only as a request arrives, so that two requests at once would both be paid for. */
const SANDBOX = [
  ...['--leads', String(Math.ceil(CONVERSIONS * 1.6)), '--credits', String(CONVERSIONS * 2_000)],
  ...['--convert-check', 'atArrival'],
];
const PIPELINE = 'bench-writes';

async function converted({ client, startWorker }: Stage) {
  const workers = [startWorker(), startWorker()];
  const begin = Date.now();
  const handle = await client.workflow.start<typeof leadPipeline>('leadPipeline', {
    workflowId: PIPELINE,
    taskQueue: WORKFLOW_QUEUE,
    args: [
      {
        maxConversions: CONVERSIONS,
        maxCredits: CONVERSIONS * 1_000,
        concurrency: 30,
        scoring: { minReadiness: 0 },
      },
    ],
  });
  const result = await handle.result();
  return { result, workers, seconds: (Date.now() - begin) / 1_000 };
}

/** What holds with faults and without. */
function always(stats: Stats, wanted: number): Figure[] {
  return [
    exactly('leads paid for', new Set(stats.payments.map(({ subject }) => subject)).size, wanted),
    exactly('leads paid for twice', stats.paidTwice.length, 0),
    exactly('leads with overlapping paid requests', stats.paidOverlapping.length, 0),
    ...stats.windows.map(({ rateClass, largest, limit = Number.POSITIVE_INFINITY }) =>
      atMost(`${rateClass} in any closed window, most`, largest, limit),
    ),
    exactly('answers 429', stats.refused429, 0),
  ];
}

async function undisturbed(stage: Stage): Promise<void> {
  const { result, workers, seconds } = await converted(stage);
  const stats = await stage.sandbox.stats();
  const events = Object.values(await countEvents(stage.client, PIPELINE)).reduce((sum, count) => sum + count, 0);
  const weights = await weighHistories(stage.client);
  report(`${CONVERSIONS} conversions, two worker processes, the document's limits`, [
    note('duration (s)', seconds),
    atLeast('share of the write limit used, steady part (%)', shareOfLimit(stats), LEAST_SHARE),
    ...always(stats, CONVERSIONS),
    exactly('leads converted by the result', result.counts.converted ?? 0, CONVERSIONS),
    note('reads per conversion', (stats.requests.byRoute['leads.get'] ?? 0) / CONVERSIONS),
    note('events of the pipeline per child', events / CONVERSIONS),
    atMost(
      `events of the pipeline, with ${MOST_CHILDREN} children`,
      (events / CONVERSIONS) * MOST_CHILDREN,
      MAX_EVENTS,
    ),
    ...weights.map(({ type, events: most, bytes }) => note(`events and bytes of ${type}, most`, `${most}, ${bytes}`)),
    ...workers.map((worker, i) => note(`worker ${i + 1}, resident at its highest (MiB)`, worker.memory().highest)),
    ...warningFigures(stage.warnings()),
  ]);
}

const FAULTS = {
  share: 0.2,
  routes: ['leads.convert', 'leads.get'],
  delayMs: 2_000,
  commitAfterMs: 5_000,
  status: 503,
} satisfies Parameters<Stage['sandbox']['setFaultRate']>[0];
const PLACES = 10;
const LEAST_SHARE_TRIED = 95;
const PATIENCE_MS = 3_600_000;

/** Unknown outcomes take eight and a half minutes to settle: meanwhile their places are others'. */
async function tried({ client, sandbox, startWorker }: Stage): Promise<void> {
  await sandbox.setFaultRate(FAULTS);
  startWorker();
  startWorker();
  const writes = async () => (await sandbox.stats()).requests.byRoute['leads.convert'] ?? 0;
  const person = answerQuestions(client);
  try {
    const run = await client.workflow.start<typeof leadPipeline>('leadPipeline', {
      ...{ workflowId: PIPELINE, taskQueue: WORKFLOW_QUEUE },
      args: [
        {
          ...{ maxConversions: CONVERSIONS, maxCredits: CONVERSIONS * 1_000, concurrency: PLACES },
          scoring: { minReadiness: 0 },
        },
      ],
    });
    await until('writes begin', PATIENCE_MS, async () => (await writes()) > WARM_UP);
    const [from, begin] = [await writes(), performance.now()];
    await until('every lead is tried', PATIENCE_MS, async () => {
      const { done, underWay } = await run.query<PipelineProgress>('progress');
      return done + underWay.length === CONVERSIONS && (await writes()) >= CONVERSIONS;
    });
    const minutes = (performance.now() - begin) / 60_000;
    const share = (100 * ((await writes()) - from)) / (minutes * LIMITS.writes.max);
    const { done, underWay } = await run.query<PipelineProgress>('progress');
    report(`${CONVERSIONS} leads tried once, ${PLACES} places, a fault on one request in five, the document's times`, [
      note('duration (min)', minutes),
      atLeast('share of the write limit used until then (%)', share, LEAST_SHARE_TRIED),
      note('leads done; under way', `${done}; ${underWay.length}`),
      exactly('answers 429', (await sandbox.stats()).refused429, 0),
    ]);
    await run.terminate();
  } finally {
    person.stop();
  }
}

async function disturbed(stage: Stage): Promise<void> {
  await stage.sandbox.setFaultRate(FAULTS);
  const person = answerQuestions(stage.client);
  const { result, workers, seconds } = await converted(stage).finally(() => person.stop());
  const stats = await stage.sandbox.stats();
  const paid = new Set(stats.payments.map(({ subject }) => subject));
  const verdicts = 'inline' in result.decisions ? result.decisions.inline : [];
  const wrong = verdicts.filter(({ id, outcome }) => paid.has(`lead:${id}`) !== (outcome === 'converted'));
  const kinds = new Map<string, number>();
  for (const { fault } of stats.faults) kinds.set(fault, (kinds.get(fault) ?? 0) + 1);
  report(`${CONVERSIONS} conversions, two worker processes, a fault on one request in five`, [
    note('duration (s)', seconds),
    note('faults', [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')),
    ...always(stats, CONVERSIONS),
    exactly('leads whose result is not what happened', verdicts.length > 0 ? wrong.length : Number.NaN, 0),
    exactly('credits by the result', result.credits, stats.payments.length * 1_000),
    note('writes per conversion', (stats.requests.byRoute['leads.convert'] ?? 0) / CONVERSIONS),
    note('reads per conversion', (stats.requests.byRoute['leads.get'] ?? 0) / CONVERSIONS),
    note('runs that asked a person', person.stop()),
    ...workers.map((worker, i) => note(`worker ${i + 1}, resident at its highest (MiB)`, worker.memory().highest)),
    ...warningFigures(stage.warnings()),
  ]);
}

const stage: StageOptions = { sandbox: SANDBOX };
runBench(45, async () => {
  if (which === 'places') return onStage(stage, tried);
  if (which !== 'faults') await onStage(stage, undisturbed);
  if (which !== 'plain') await onStage({ ...stage, account: { timing: SOON } }, disturbed);
});
