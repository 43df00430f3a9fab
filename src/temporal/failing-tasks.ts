/**
 * Runs whose workflow task fails again and again, and those that somebody has paused, whole or one of their activities (S7):
 * nothing of them progresses, and they cannot say so themselves. The server keeps the first failure in the history and counts
 * the tries.
 */
import type { Client, WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { isOpen } from '../runs/is-open';
import { asArgument } from '../text/command';
import { utc } from '../time/utc';
import { createLimit } from './in-flight';
import { ON_OUR_QUEUE, OURS_UNDER_WAY } from './queues';
import { serverCommand } from './server-command';

/** A task that fails once is tried again at once, and that is usually all; the third try is ten seconds later. */
const FAILS_AFTER_TRIES = 3;
/** Events that are looked through, from the last one backwards. */
const EVENTS = 50;
/** Open runs that are looked at, beside the ledgers and what the server itself names. */
const MOST_RUNS = 500;
const AT_ONCE = 20;

const { WorkflowTaskFailedCause, TimeoutType } = temporal.api.enums.v1;

/** A run that stands still, in words that quote nothing of what it works with (S4). */
export interface FailingRun {
  workflowId: string;
  type: string;
  /** ISO 8601. */
  since: string;
  /** Of a workflow task; absent where somebody has paused something. */
  tries?: number;
  cause: string;
  mend: string;
}

/** Why nothing of a run progresses, if its workflow task fails again and again. */
export async function failingTasks(client: Client, workflowId: string, run?: string): Promise<FailingRun | undefined> {
  return failureOf(client, workflowId, await client.workflow.getHandle(workflowId, run).describe());
}

/**
 * Looks at runs that another one waits for.
 * @returns `failing`: the first of them, or of those that they wait for themselves, whose workflow task fails. `closed`: those
 * that are not running
 */
export async function lookAtRuns(
  client: Client,
  workflowIds: readonly string[],
): Promise<{ failing?: FailingRun; closed: string[] }> {
  const closed: string[] = [];
  const seen = new Set(workflowIds);
  for (const workflowId of seen) {
    if (seen.size > MOST_RUNS) break;
    const run = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    const failing = run && (await failureOf(client, workflowId, run));
    if (failing) return { failing, closed };
    if (run && !isOpen(run.status) && workflowIds.includes(workflowId)) closed.push(workflowId);
    for (const { workflowId: child } of run?.raw.pendingChildren ?? []) if (child) seen.add(child);
  }
  return { closed };
}

async function failureOf(
  client: Client,
  workflowId: string,
  { raw, runId, type }: WorkflowExecutionDescription,
): Promise<FailingRun | undefined> {
  const paused = pauseOf(client, workflowId, raw);
  if (paused) return { workflowId, type, ...paused };
  const tries = raw.pendingWorkflowTask?.attempt ?? 0;
  if (tries < FAILS_AFTER_TRIES) return undefined;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    ...{ namespace: client.options.namespace, execution: { workflowId, runId }, maximumPageSize: EVENTS },
  });
  const events = history?.events ?? [];
  const done = events.findIndex((event) => event.workflowTaskCompletedEventAttributes);
  const failures = events
    .slice(0, done < 0 ? undefined : done)
    .filter(
      ({ workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: late }) =>
        failed || late?.timeoutType === TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE,
    );
  const [last, first] = [failures[0], failures.at(-1)];
  if (!last || !first) return undefined;
  const since = new Date(Number(first.eventTime?.seconds ?? 0) * 1_000).toISOString();
  const cause = causeOf(last.workflowTaskFailedEventAttributes ?? undefined);
  return { workflowId, type, since, tries, cause, mend: mendOf(client, type, workflowId, cause) };
}

/** Without these a run goes on. */
const BESIDE: readonly string[] = ['tell', 'keepAct'];

/** What somebody has paused of a run. */
function pauseOf(
  client: Client,
  workflowId: string,
  { workflowExtendedInfo, pendingActivities }: WorkflowExecutionDescription['raw'],
): Pick<FailingRun, 'since' | 'cause' | 'mend'> | undefined {
  const whole = workflowExtendedInfo?.pauseInfo;
  const activity = pendingActivities?.find(
    ({ paused, activityType }) => paused && !BESIDE.includes(activityType?.name ?? ''),
  );
  if (!whole && !activity) return undefined;
  const at = whole ? whole.pausedTime : activity?.pauseInfo?.pauseTime;
  const id = asArgument(workflowId);
  const unpause = whole
    ? `workflow unpause --workflow-id ${id}`
    : `activity unpause --workflow-id ${id} --activity-id ${asArgument(activity?.activityId ?? '', '<activity>')}`;
  return {
    since: new Date(at?.seconds ? Number(at.seconds) * 1_000 : Date.now()).toISOString(),
    cause: whole ? 'somebody has paused it' : `somebody has paused its activity ${activity?.activityType?.name ?? ''}`,
    mend: `unpause it, in the Web UI or by ${serverCommand(client, unpause)}`,
  };
}

const CHANGED =
  'its history was made by other workflow code than the workers have, or with an encryption key that they lack';
const UNKNOWN = 'the workers know no workflow of its type';

type Failed = temporal.api.history.v1.IWorkflowTaskFailedEventAttributes;

/** S4: not the failure's own words, which may quote what the run works with. */
function causeOf(failed: Failed | undefined): string {
  if (!failed) return 'a worker takes it and does not finish it in time';
  const { cause, failure } = failed;
  const name = failure?.applicationFailureInfo?.type ?? '';
  const isChanged = cause === WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR;
  if (isChanged || name === 'DeterminismViolationError') return CHANGED;
  if (failure?.message?.startsWith('Failed to initialize workflow of type')) return UNKNOWN;
  const kind = /^[A-Za-z]{1,60}$/.test(name) ? name : '';
  if (cause === WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE)
    return `its code fails, or something in its history cannot be read${kind && ` (${kind})`}`;
  const words = WorkflowTaskFailedCause[cause ?? 0]?.replace('WORKFLOW_TASK_FAILED_CAUSE_', '') ?? 'UNSPECIFIED';
  return `the server or the worker says ${[words, kind].filter(Boolean).join(', ')}`;
}

function mendOf(client: Client, type: string, workflowId: string, cause: string): string {
  const end = serverCommand(client, `workflow terminate --workflow-id ${asArgument(workflowId)}`);
  const keep =
    cause === CHANGED
      ? 'start workers of the last version that worked on it, which after going back is the newer one, and with the keys of then'
      : 'see the log of the workers';
  if (cause === UNKNOWN) return `start a worker that has it, or end it: ${end}`;
  return type === 'accountLedger'
    ? `${keep}, or end it: ${end} (the next call starts another, which takes the books over as far as they can be read, and else grants nothing until whatever is under way is over)`
    : `${keep}, or end it and start it again: ${end} (what it has paid for is not paid for again)`;
}

export function describeFailing({ workflowId, since, tries, cause }: FailingRun): string {
  const from = `since ${utc(Date.parse(since))} UTC`;
  return tries === undefined
    ? `${workflowId} stands still ${from}: ${cause}`
    : `the workflow task of ${workflowId} fails ${from} (tries: ${tries}): ${cause}`;
}

/** With what mends it. */
export const describeMend = (run: FailingRun): string => `${describeFailing(run)}. To mend it, ${run.mend}.`;

/** What was found of all open runs. */
export interface FailingRuns {
  failing: FailingRun[];
  /** How many open runs were looked at; there may be more. */
  looked: number;
}

/** Open runs that stand still so. A server says by itself which they are only since 1.30: without it, each is asked. */
export async function findFailing(client: Client): Promise<FailingRuns> {
  const reported = await list(client, `TemporalReportedProblems IS NOT NULL AND ${OURS_UNDER_WAY}`).catch(() => []);
  const paused = await list(client, `TemporalPauseInfo IS NOT NULL AND ${ON_OUR_QUEUE}`).catch(() => []);
  const ledgers = await list(client, `WorkflowType = 'accountLedger' AND ${OURS_UNDER_WAY}`);
  const runs = [...reported, ...paused, ...ledgers, ...(await list(client, OURS_UNDER_WAY))];
  const each = new Map(runs.map((run) => [run.runId, run]));
  const limit = createLimit(AT_ONCE);
  const found = await Promise.all(
    [...each.values()].map(({ workflowId, runId }) =>
      limit(() => failingTasks(client, workflowId, runId).catch(() => undefined)),
    ),
  );
  const failing = found.flatMap((run) => run ?? []).sort((a, b) => (a.since < b.since ? -1 : 1));
  return { failing, looked: each.size };
}

async function list(client: Client, query: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = [];
  for await (const run of client.workflow.list({ query })) {
    runs.push(run);
    if (runs.length === MOST_RUNS) break;
  }
  return runs;
}
