/**
 * What is known of the ledger before one that starts (S1, S3). The only place that answers this: books that are kept
 * outside Temporal are a second source here.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { Before, LedgerState } from '../ledger';
import { booksQuery } from '../ledger/messages';
import { isOpen } from '../runs/is-open';
import { WORKFLOW_TYPES } from '../runs/workflow-types';
import { quoted } from '../text/list-filter';
import { grpcStatus, isLost, isPassing, serverWords } from './grpc-status';
import type { LedgerClient } from './ledger-client';
import { queueName } from './queues';

/** Workflow types that ask a ledger before they send, and the stage in which none of them has. */
const SENDERS = Object.entries(WORKFLOW_TYPES)
  .flatMap(([name, { sends }]) => (sends ? `'${name}'` : []))
  .join(', ');
const FIRST_STAGE = 'looking';
/** Runs that are asked: of the ledger more come together only where somebody starts ledger after ledger by hand. */
const MOST_RUNS = 50;
const QUERY_MS = 15_000;
/** Events that are looked through, from the last one backwards. */
const LAST_EVENTS = 200;
const RESET = temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW;

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryResponse;

/** Not to be had at the moment; asked again it may be. */
export class NotYetKnown extends Error {
  override readonly name = 'NotYetKnown';
}

/** @param isPatient it is worth asking again; else what cannot be found out counts as lost */
export interface Asked {
  client: Client;
  ledger: LedgerClient;
  /** The run that asks. */
  runId: string;
  isPatient: boolean;
  /** The server's time. */
  now: number;
}

/**
 * The state of the last closed run that had its books open, exact to its last event. Where a run in between cannot be
 * asked, or is gone, or the server lists none, what it granted is lost, and the new ledger has to be patient.
 * @throws NotYetKnown
 */
export async function booksBefore(asked: Asked): Promise<Before & { isTold: boolean }> {
  const { ledger, runId } = asked;
  const runs = await runsOf(asked);
  if (!runs) return { lost: true, isTold: true };
  const before = runs.filter((run) => run.runId !== runId);
  const isMissing =
    // A run that continued as new has a successor, and one that is shown as running while another runs has an end, which
    // may be that one. Those that are shown without an end come first.
    (before[0] !== undefined && (before[0].status.name === 'CONTINUED_AS_NEW' || isOpen(before[0].status))) ||
    (ledger.lastRunId !== undefined && !runs.some((run) => run.runId === ledger.lastRunId));
  // Lists lag behind.
  if (isMissing && asked.isPatient && before.length > 0)
    throw new NotYetKnown('a run of the ledger, or its end, is not listed');
  let lost = isMissing || before.length === MOST_RUNS;
  for (const run of before) {
    const state = await stateOf(asked, run);
    if (state) return { state, lost, isTold: true };
    if (state === undefined) lost = true;
  }
  return { lost: lost || (await hasTraces(asked)), isTold: lost };
}

/** Runs of a ledger, the last first: one ends before the next begins. undefined: the server does not list them. */
async function runsOf({ client, ledger, isPatient }: Asked): Promise<WorkflowExecutionInfo[] | undefined> {
  const runs: WorkflowExecutionInfo[] = [];
  const query = `WorkflowId = ${quoted(ledger.workflowId)} AND WorkflowType = 'accountLedger'`;
  try {
    for await (const run of client.workflow.list({ query })) {
      runs.push(run);
      if (runs.length > MOST_RUNS) break;
    }
  } catch (error) {
    if (grpcStatus(error) === undefined) throw error;
    if (isPatient)
      throw new NotYetKnown(`the Temporal server does not list the runs of the ledger: ${serverWords(error)}`);
    return undefined;
  }
  const end = ({ closeTime }: WorkflowExecutionInfo) => closeTime?.getTime() ?? Number.POSITIVE_INFINITY;
  return runs.sort((a, b) => end(b) - end(a) || b.startTime.getTime() - a.startTime.getTime());
}

/** A closed run's own state; null: it never had its books open, so it has granted nothing; undefined: it cannot say. */
async function stateOf(
  { client, isPatient }: Asked,
  run: WorkflowExecutionInfo,
): Promise<LedgerState | null | undefined> {
  if (!(await hasOwnSteps(client, run).catch(() => true))) return null;
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  try {
    return await client.withDeadline(Date.now() + QUERY_MS, () => handle.query(booksQuery));
  } catch (error) {
    if (isPatient && (isPassing(error) || isLost(error))) throw new NotYetKnown('the ledger before does not answer');
    return undefined;
  }
}

/**
 * Whether a worker took the run, and since it was reset, if it was: asked without such a step it would answer as the run
 * that it was reset from did then, and know nothing of what came after.
 */
async function hasOwnSteps({ workflowService, options }: Client, { workflowId, runId }: WorkflowExecutionInfo) {
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    ...{ namespace: options.namespace, execution: { workflowId, runId }, maximumPageSize: LAST_EVENTS },
  });
  const events = history?.events ?? [];
  const last = events.find(
    ({ workflowTaskCompletedEventAttributes: done, workflowTaskFailedEventAttributes: failed }) =>
      done || failed?.cause === RESET,
  );
  if (last === undefined) return events.length === 0 || events.length >= LAST_EVENTS;
  return Boolean(last.workflowTaskCompletedEventAttributes);
}

/**
 * A ledger that was deleted leaves no trace, but the runs that had asked it do: they had scheduled a call that needs a
 * grant before the ledger that asks here was started. Only those whose last call may still have an effect count. When it
 * cannot be found out, patience costs less than money.
 */
async function hasTraces({ client, ledger, runId, now }: Asked): Promise<boolean> {
  const { account, timing } = ledger.config;
  const { sendWindowMs, paidTimeoutMs, settlingMs } = timing;
  const since = new Date(now - sendWindowMs - paidTimeoutMs - settlingMs).toISOString();
  try {
    const { startTime } = await client.workflow.getHandle(ledger.workflowId, runId).describe();
    const until = new Date(startTime.getTime() + 1).toISOString();
    const query = `WorkflowType IN (${SENDERS}) AND Account = ${quoted(account)} AND Stage IS NOT NULL AND Stage != '${FIRST_STAGE}' AND StartTime < '${until}' AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
    let asked = 0;
    for await (const run of client.workflow.list({ query })) {
      if (++asked > MOST_RUNS || (await hasAskedBefore(client, run, startTime, queueName(account, 'writes'))))
        return true;
    }
    return false;
  } catch {
    return true;
  }
}

/** Whether a run had a call in the queue of those that need a grant by then. */
async function hasAskedBefore(
  { workflowService, options }: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
  then: Date,
  queue: string,
): Promise<boolean> {
  let nextPageToken: Uint8Array | null = null;
  do {
    const page: Page = await workflowService.getWorkflowExecutionHistory({
      ...{ namespace: options.namespace, execution: { workflowId, runId }, nextPageToken },
    });
    for (const { eventTime, activityTaskScheduledEventAttributes: activity } of page.history?.events ?? []) {
      if (eventTime && tsToMs(eventTime) > then.getTime()) return false;
      if (activity?.taskQueue?.name === queue) return true;
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : null;
  } while (nextPageToken);
  return false;
}
