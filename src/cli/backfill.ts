/** `audit-runner backfill`: starts batches, shows how far they are, does again what failed. */
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { isOpen } from '../runs/is-open';
import { describeMend, failingTasks } from '../temporal/failing-tasks';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { asArgument, command } from '../text/command';
import { formatDuration } from '../time/duration';
import { EXIT, Exit } from './exit';
import { readInputOption } from './json-input';
import { number, print, printJson, table } from './output';
import { showResult } from './results';
import { type RunOptions, runCommand } from './run';
import { configHere, withServer } from './server';

const TYPE = 'backfill';
const QUERY_MS = 10_000;

export const startBackfill = (options: RunOptions): Promise<number> => runCommand(TYPE, options);

/** @param earlier workflow ID of a backfill that has ended */
export async function redriveBackfill(earlier: string, options: RunOptions): Promise<number> {
  const given = z.record(z.string(), z.unknown()).safeParse(readInputOption(options.input, options.account));
  if (!given.success)
    throw new Exit(EXIT.badInput, '--input is no object; expected for example {"maxCredits": 10000}.');
  return runCommand(TYPE, { ...options, input: JSON.stringify({ ...given.data, redriveOf: earlier }) });
}

/** What a backfill answers to the query `progress`. */
const Progress = z.looseObject({
  doing: z.string(),
  waiting: z.string().optional(),
  since: z.string(),
  done: z.number(),
  total: z.number(),
  counts: z.record(z.string(), z.number()),
  credits: z.number(),
  underWayCount: z.number(),
  perMinute: z.number().optional(),
  leftMs: z.number().optional(),
  paused: z.boolean(),
});
type Progress = z.infer<typeof Progress>;

interface Seen {
  workflowId: string;
  status: string;
  needsPerson: boolean;
  account?: string | undefined;
  /** Absent when no worker answers. */
  progress?: Progress;
  /** Why nothing of it goes on, and what mends that, where it cannot say so itself. */
  stuck?: string;
}

export interface StatusOptions {
  json?: boolean;
  config?: string;
}

/** @param workflowId absent: all that are under way */
export function backfillStatus(workflowId: string | undefined, { json, config }: StatusOptions): Promise<number> {
  return withServer('reads', async ({ client }) => {
    if (workflowId === undefined) {
      const seen: Seen[] = [];
      for (const id of await runningBackfills(client)) seen.push(await look(client, client.workflow.getHandle(id)));
      if (json) printJson(seen);
      else print(seen.length === 0 ? 'No backfill is under way.' : overview(seen));
      return seen.some(isForPerson) ? EXIT.notAllDone : EXIT.done;
    }
    const handle = client.workflow.getHandle(workflowId);
    const seen = await look(client, handle).catch(noSuchRun(workflowId));
    if (seen.status === 'COMPLETED') {
      const { storageUrl } = await configHere(config);
      const { json: result, text, code } = await showResult('backfill', await handle.result(), storageUrl);
      if (json) printJson({ ...seen, result });
      else print(text);
      return code;
    }
    if (json) printJson(seen);
    else print(details(seen));
    if (!isOpen({ name: seen.status })) return EXIT.failed;
    return isForPerson(seen) ? EXIT.notAllDone : EXIT.done;
  });
}

const noSuchRun =
  (workflowId: string) =>
  (error: unknown): never => {
    if (error instanceof WorkflowNotFoundError)
      throw new Exit(EXIT.badInput, `there is no backfill under way with the ID ${workflowId}`);
    throw error;
  };

const isForPerson = ({ needsPerson, stuck }: Seen): boolean => needsPerson || stuck !== undefined;

async function runningBackfills(client: Client): Promise<string[]> {
  const list = async (query: string) => {
    const found: string[] = [];
    for await (const { workflowId, status } of client.workflow.list({ query }))
      if (isOpen(status)) found.push(workflowId);
    return found;
  };
  const running = await list(`WorkflowType = '${TYPE}' AND ExecutionStatus = 'Running'`);
  // Those that are paused as a whole have a status of their own, which servers before 1.30 do not know.
  const paused = await list(`WorkflowType = '${TYPE}' AND TemporalPauseInfo IS NOT NULL`).catch(() => []);
  return [...new Set([...running, ...paused])].sort();
}

async function look(client: Client, handle: WorkflowHandle): Promise<Seen> {
  const { status, typedSearchAttributes, type } = await handle.describe();
  if (type !== TYPE) throw new Exit(EXIT.badInput, `${handle.workflowId} is no backfill but a run of ${type}`);
  const running = isOpen(status);
  // Also of one that ended without a result: how far it was.
  const answer =
    status.name === 'COMPLETED'
      ? undefined
      : await client.withDeadline(Date.now() + QUERY_MS, () => handle.query('progress')).catch(() => undefined);
  const { data } = Progress.safeParse(answer);
  const isSilent = running && data === undefined;
  const failing = isSilent ? await failingTasks(client, handle.workflowId).catch(() => undefined) : undefined;
  return {
    workflowId: handle.workflowId,
    status: status.name,
    needsPerson: running && typedSearchAttributes.get(searchAttributeKeys.needsPerson) === true,
    account: typedSearchAttributes.get(searchAttributeKeys.account),
    ...(data && { progress: data }),
    ...(failing && { stuck: describeMend(failing) }),
  };
}

const left = ({ leftMs }: Progress) => (leftMs === undefined ? null : formatDuration(leftMs));

/** A rate says nothing of when the rest ends while nothing goes on. */
const ifStill = ({ waiting, paused }: Progress, words: string) => (waiting !== undefined || paused ? words : '');

function overview(seen: readonly Seen[]): string {
  const head = ['backfill', 'done', 'of', 'failed', 'under way', 'a minute', 'left', 'credits', 'waits for'];
  return table(
    head,
    seen.map(({ workflowId, needsPerson, stuck, progress: p }) => [
      workflowId,
      p?.done,
      p?.total,
      p?.counts.failed,
      p?.underWayCount,
      p?.perMinute,
      p && left(p) && `${left(p)}${ifStill(p, ' once it goes on')}`,
      p?.credits,
      !p
        ? stuck
          ? 'a mend: see its status'
          : 'a worker'
        : needsPerson
          ? 'a person'
          : p.paused
            ? 'resume'
            : p.waiting && 'see its status',
    ]),
  );
}

/** Without it the account is the one called default. */
const redriveOf = (workflowId: string, account = 'default'): string =>
  command(
    `backfill redrive${account === 'default' ? '' : ` --account ${asArgument(account, '<account>')}`}`,
    workflowId,
  );

/** @param seen a batch that has not brought its items to account: it runs, or it was ended */
export function details({ workflowId, status, account, progress, stuck }: Seen): string {
  const isRunning = status === 'RUNNING';
  const isOver = !isOpen({ name: status });
  const goesOn = isOver
    ? [
        `It has left no account of its items. If its items were listed, this does what is not done: ${redriveOf(workflowId, account)}`,
      ]
    : [];
  const silent = stuck ? `; ${stuck}` : isRunning ? '; no worker answers' : '';
  if (!progress) return [`${workflowId}: ${status}${silent}`, ...goesOn].join('\n');
  const { doing, waiting, since, done, total, counts, credits, underWayCount, perMinute } = progress;
  const sums = Object.entries(counts).flatMap(([what, n]) => (n > 0 ? [`${number(n)} ${what}`] : []));
  return [
    isRunning ? `${workflowId}: ${doing}` : `${workflowId}: ${status}; it was at this: ${doing}`,
    ...(waiting === undefined || isOver ? [] : [`waiting since ${since}: ${waiting}`]),
    `${number(done)} of ${number(total)}: ${sums.join(', ') || 'none ended yet'}; ${number(underWayCount)} under way; ${number(credits)} credits`,
    ...goesOn,
    ...(isRunning || isOver ? [] : ['It goes on once it is unpaused in the Web UI.']),
    ...(perMinute === undefined || !isRunning
      ? []
      : [
          `${number(perMinute)} a minute, about ${left(progress)} left at this rate${ifStill(progress, ', once it goes on')}`,
        ]),
  ].join('\n');
}
