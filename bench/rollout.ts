/**
 * A new version is rolled out, back, and out again, as docs/administrators.md says, while a backfill is under way, runs of
 * every type are open, and more begin all the time. No run meets code that it cannot go on with, nothing is paid for twice
 * (S1, S2), and the limit is used nearly as if nothing happened. The margin of a queue does not shrink with the time: at
 * three times the speed 92 per cent of the limit are let through at most, at eight times 81.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { LIMITS } from '../src/agent-api/routes';
import { holdUpdate, releaseUpdate, statusQuery } from '../src/ledger/messages';
import { queueState } from '../src/temporal/queue-workers';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { backfill } from '../workflows';
import type { BackfillProgress } from '../workflows/backfill';
import { runBench } from './support/main';
import { answerQuestions } from './support/person';
import type { CommandProcess } from './support/process';
import { atLeast, exactly, note, report, warningFigures } from './support/report';
import { onStage, type Stage } from './support/stage';
import { until } from './support/until';
import type { WorkerBuild } from './support/workers';

const [before = '', items = '2000', times = '3'] = process.argv.slice(2);
if (before === '')
  throw new Error('usage: node dist/bench/rollout.js <folder of a build of the version before> [items] [speed]');
const ITEMS = Number(items);
const SPEED = Number(times);
const PER_MINUTE = SPEED * LIMITS.writes.max;
/** Open all the time, on an account that is on hold until the end. */
const HELD = 200;
const LEAST_SHARE = 90;
const BEGINS_WITHIN_MS = 120_000;
/** Of notes the service takes few. */
const ENDS_WITHIN_MS = 1_800_000;
const STREAM_EVERY_MS = 15_000;
/** In so many rounds of the stream one has a note: no more than the service takes, or they would wait for hours at the end. */
const ROUNDS_PER_NOTE = Math.ceil(LIMITS.notes.windowMs / (LIMITS.notes.max * SPEED) / STREAM_EVERY_MS);

const BUILDS = {
  before: { root: before },
  held: { env: { AUDIT_RUNNER_HOLD_PATCHES: 'true' } },
  now: {},
} as const satisfies Record<string, WorkerBuild>;

/** Which workers follow which, and at what share of the items. */
const STEPS = [
  { at: 0.1, to: 'held', says: 'out, patches held' },
  { at: 0.3, to: 'before', says: 'back' },
  { at: 0.5, to: 'held', says: 'out again, patches held' },
  { at: 0.7, to: 'now', says: 'staying' },
] as const;
const LAST = 0.9;

const OPEN = "ExecutionStatus = 'Running' AND WorkflowType NOT IN ('accountLedger', 'startHere')";
/** Workers that start end the start page and the examples of the version before. */
const FAILED = "ExecutionStatus IN ('Failed', 'TimedOut')";
const NONDETERMINISM = 'WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR';

const say = (what: string) => process.stderr.write(`${new Date().toISOString()} ${what}\n`);

const start = ({ client }: Stage, type: string, input: object, workflowId = `${type}-${randomUUID()}`) =>
  client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [input] });

/** One run of each type that ends, on leads that nobody else has. */
const oneOfEach = (account: string, next: () => string, hasNote = true): [string, object, string?][] => {
  const leadId = next();
  const note: [string, object] = ['ingestCapture', { account, note: `what was said about ${leadId}` }];
  return [
    ['convertLead', { account, leadId }, `convert-lead.${account}.${leadId}`],
    ['auditProject', { account, leadId: next(), prerequisites: 'fail' }],
    ...(hasNote ? [note] : []),
    ['callApi', { account, route: 'contacts.create', body: { name: `Contact of ${leadId}` } }],
    ['callApi', { account, route: 'contacts.list', query: { limit: 5 } }],
    ['captureSweep', { account }],
    ['leadPipeline', { account, maxConversions: 1, approval: 'none', scoring: { minReadiness: 0 } }],
    ['backfill', { account, operation: 'convertLead', leads: {}, maxItems: 2, approval: 'none' }],
  ];
};

/** Begins as many runs, of every type in turn. */
async function begin(stage: Stage, account: string, next: () => string, count: number): Promise<void> {
  for (let begun = 0; begun < count; )
    for (const [type, input, id] of oneOfEach(account, next)) if (begun++ < count) await start(stage, type, input, id);
}

/** Adds workers of a build, waits until they have asked for work, and ends those before them, one after the other. */
async function replace(stage: Stage, old: readonly CommandProcess[], build: WorkerBuild): Promise<CommandProcess[]> {
  const workers = [stage.startWorker(build), stage.startWorker(build)];
  const { connection, options } = stage.client;
  await until('the new workers ask for work', BEGINS_WITHIN_MS, async () => {
    const type = proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW;
    const { identities } = await queueState({ connection, namespace: options.namespace }, WORKFLOW_QUEUE, type);
    return workers.every(({ pid }) => identities.some((identity) => identity.startsWith(`${pid}@`)));
  });
  for (const one of old) await one.end();
  return workers;
}

/** Of an account; by it its ledger, once that answers. */
async function ledgerOf({ client }: Stage, account: string): Promise<WorkflowHandle> {
  const found: WorkflowHandle[] = [];
  await until(`the account ${account} has its ledger`, BEGINS_WITHIN_MS, async () => {
    for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'accountLedger'" })) {
      const ledger = client.workflow.getHandle(workflowId);
      const status = await ledger.query(statusQuery).catch(() => undefined);
      if (status?.account === account) found.push(ledger);
    }
    return found.length > 0;
  });
  return found[0] as WorkflowHandle;
}

/** Why workflow tasks failed, of all runs there were. */
async function failedTasks({ client }: Stage): Promise<Map<string, number>> {
  const causes = new Map<string, number>();
  for await (const { workflowId, runId } of client.workflow.list())
    for (const { workflowTaskFailedEventAttributes: failed } of (
      await client.workflow.getHandle(workflowId, runId).fetchHistory()
    ).events ?? []) {
      const cause = failed && proto.api.enums.v1.WorkflowTaskFailedCause[failed.cause ?? 0];
      if (cause) causes.set(cause, (causes.get(cause) ?? 0) + 1);
    }
  return causes;
}

/** Runs of every type that begin all the time, on leads that are nobody else's. @returns `stop` ends it and says how many began */
function stream(stage: Stage, next: () => string): { stop(): number } {
  let begun = 0;
  let rounds = 0;
  const timer = setInterval(() => {
    const runs = oneOfEach('default', next, rounds++ % ROUNDS_PER_NOTE === 0);
    begun += runs.length;
    void Promise.all(runs.map(([type, input, id]) => start(stage, type, input, id))).catch((error: unknown) =>
      say(`${error}`),
    );
  }, STREAM_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return begun;
    },
  };
}

/** Takes one step after the other as the batch comes to it. @returns what became of the write limit meanwhile */
async function rollOut(stage: Stage, done: (share: number) => Promise<void>, first: readonly CommandProcess[]) {
  const { client, sandbox } = stage;
  const count = async () => {
    const { requests, refused429 } = await sandbox.stats();
    return { at: Date.now(), writes: requests.byClass.writes ?? 0, refused429 };
  };
  const shareOf = (from: { at: number; writes: number }, to: { at: number; writes: number }) =>
    (100 * (to.writes - from.writes)) / (PER_MINUTE * ((to.at - from.at) / 60_000));
  await done(STEPS[0].at / 2);
  const initial = await count();
  const phases: string[] = [];
  let [workers, before, says] = [first, initial, 'before'];
  const phase = async (next: string) => {
    const now = await count();
    phases.push(`${says}: ${Math.round(shareOf(before, now))} %, ${now.refused429 - before.refused429} answers 429`);
    say(phases.at(-1) ?? '');
    [before, says] = [now, next];
    return now;
  };
  for (const step of STEPS) {
    await done(step.at);
    await phase(step.says);
    const { count: open } = await client.workflow.count("ExecutionStatus = 'Running'");
    say(`${open} runs are open: ${step.says}`);
    workers = await replace(stage, workers, BUILDS[step.to]);
    say('the workers are replaced');
  }
  await done(LAST);
  return { share: shareOf(initial, await phase('')), phases };
}

async function rolledOut(stage: Stage): Promise<void> {
  const { client, sandbox, others } = stage;
  const second = others.get('second');
  if (!second) throw new Error('there is no second sandbox');
  const first = [stage.startWorker(BUILDS.before), stage.startWorker(BUILDS.before)];
  const held = await ledgerOf(stage, 'second');
  await held.executeUpdate(holdUpdate, { args: [{ reason: 'bench', by: 'bench' }] });

  const [ids, heldIds] = await Promise.all([sandbox.leadIds(), second.leadIds()]);
  const take = (from: string[]) => () => from.shift() ?? 'none-left';
  mkdirSync(stage.storage, { recursive: true });
  writeFileSync(join(stage.storage, 'leads.csv'), `leadId\n${ids.slice(0, ITEMS).join('\n')}\n`);
  await begin(stage, 'second', take(heldIds), HELD);
  const handle = await client.workflow.start<typeof backfill>('backfill', {
    ...{ workflowId: 'bench-rollout', taskQueue: WORKFLOW_QUEUE },
    args: [{ operation: 'convertLead', file: { ref: 'leads.csv' }, maxCredits: 1_000_000_000, approval: 'none' }],
  });
  const person = answerQuestions(client);
  const streaming = stream(stage, take(ids.slice(ITEMS)));
  const done = (share: number) =>
    until(`${share * 100} % of the items`, ENDS_WITHIN_MS, async () => {
      // While workers are replaced, nobody may answer.
      const progress = await handle.query<BackfillProgress, []>('progress').catch(() => undefined);
      return (progress?.done ?? 0) >= share * ITEMS;
    });
  const { share, phases } = await rollOut(stage, done, first);
  const begun = streaming.stop();
  await held.executeUpdate(releaseUpdate, { args: [{ reason: 'bench', by: 'bench' }] });
  const { counts } = await handle.result();
  await until('every run ends', ENDS_WITHIN_MS, async () => (await client.workflow.count(OPEN)).count === 0, 2_000);
  person.stop();

  const [{ count: failed }, causes] = [await client.workflow.count(FAILED), await failedTasks(stage)];
  const all = await Promise.all([sandbox.stats(), second.stats()]);
  const windows = all.flatMap((stats) => stats.windows.filter(({ rateClass }) => rateClass === 'writes'));
  report(
    `A backfill of ${ITEMS}, ${HELD} runs held open; out, back, out again; at ${SPEED} times the document’s limits`,
    [
      exactly('workflow tasks that failed of nondeterminism', causes.get(NONDETERMINISM) ?? 0, 0),
      note('failed workflow tasks by cause', [...causes].map(([cause, n]) => `${n} ${cause}`).join(', ') || 'none'),
      atLeast('share of the write limit used meanwhile (%)', share, LEAST_SHARE),
      ...phases.map((phase) => note('of it', phase)),
      note('writes in any closed window, most', Math.max(...windows.map(({ largest }) => largest))),
      note('answers 429', sum(all.map(({ refused429 }) => refused429))),
      exactly('leads paid for twice', sum(all.map(({ paidTwice }) => paidTwice.length)), 0),
      exactly('items in the result', sum(Object.values(counts)), ITEMS),
      note(
        'outcomes',
        Object.entries(counts)
          .flatMap(([what, n]) => (n > 0 ? `${n} ${what}` : []))
          .join(', '),
      ),
      exactly('runs that failed', failed, 0),
      note('runs that began meanwhile', begun),
      note('payments', sum(all.map(({ payments }) => payments.length))),
      ...warningFigures(stage.warnings()),
    ],
  );
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** About two thirds of the sandbox's leads can be converted; the stream takes some as well. */
const sandboxOf = (leads: number, seed: number) => [
  ...['--seed', String(seed)],
  ...['--leads', String(Math.ceil(leads * 1.6)), '--credits', String(leads * 4_000), '--speed', String(SPEED)],
  ...['--convert-check', 'atArrival'],
];
const account = { speed: SPEED };
/** How often runs begin on the way, should it take three times as long as the limit allows. */
const begins = Math.ceil(((ITEMS / PER_MINUTE) * 60_000 * 3) / STREAM_EVERY_MS);
runBench(120, () =>
  onStage(
    {
      sandbox: sandboxOf(ITEMS + 4 * begins, 1),
      account,
      others: { second: { sandbox: sandboxOf(2 * HELD, 2), account } },
    },
    rolledOut,
  ),
);
