/**
 * Example runs: one for each workflow type, whose input the start form of the Web UI copies. They are started on a queue
 * that no worker polls and terminated at once: no code runs, no call is possible, and the input stays in the history.
 */

import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { isOpen } from '../runs/is-open';
import { formSummary, WORKFLOW_TYPES, type WorkflowName } from '../runs/workflow-types';
import { plainClient } from '../temporal/plain-client';
import { exampleInput } from './example-inputs';
import { exampleId } from './start-page';

/** Nobody works here. */
const EXAMPLES_QUEUE = 'audit-runner-examples';
const REASON = 'An example: the start form of the Web UI copies its input. It never ran.';
/** Holds the example's input and summary as text, to tell whether they are still the right ones. */
const MEMO = 'exampleInput';
const memoOf = (type: WorkflowName, input: Record<string, unknown>) => `${JSON.stringify(input)} ${formSummary(type)}`;
/** Should this process end between the two calls. */
const RUN_TIMEOUT = '1 minute';
/** Of a server that does not tell its own. */
const RETENTION_MS = 24 * 3_600_000;

export interface KeptExamples {
  /** Run ID by workflow type; a type is missing while a run that a person started under its ID is under way. */
  runs: Readonly<Record<string, string>>;
  /** Types whose example was made anew. */
  renewed: string[];
  /** How long a closed run is kept, milliseconds. */
  retentionMs: number;
}

/**
 * Makes the examples that are missing, hold another input, or are past half of the retention. Safe to repeat.
 * @param account the account that the examples name
 */
export async function keepExamples(client: Client, account: string, now = Date.now()): Promise<KeptExamples> {
  const plain = plainClient(client);
  const retentionMs = await retention(plain);
  const runs: Record<string, string> = {};
  const renewed: string[] = [];
  for (const type of Object.keys(WORKFLOW_TYPES) as WorkflowName[]) {
    const input = exampleInput(type, account);
    const kept = await look(plain, type, memoOf(type, input), now - retentionMs / 2);
    const runId = kept === 'missing' ? await make(plain, type, input) : kept.runId;
    if (runId !== undefined) runs[type] = runId;
    if (runId !== undefined && kept === 'missing') renewed.push(type);
  }
  return { runs, renewed, retentionMs };
}

/** The example that is there; `runId` is undefined where somebody's own run under this ID has not ended yet. */
async function look(
  client: Client,
  type: string,
  wanted: string,
  madeSince: number,
): Promise<{ runId?: string } | 'missing'> {
  const found = await describe(client, exampleId(type));
  if (!found) return 'missing';
  const { runId, taskQueue, startTime, memo } = found;
  const running = isOpen(found.status);
  if (taskQueue !== EXAMPLES_QUEUE) return running ? {} : 'missing';
  if (running) await end(client, type, runId);
  const isRight = memo?.[MEMO] === wanted && found.type === type;
  return isRight && startTime.getTime() > madeSince ? { runId } : 'missing';
}

async function describe(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function make(client: Client, type: WorkflowName, input: Record<string, unknown>): Promise<string | undefined> {
  try {
    // The form copies all of it: so a summary that fits any run of the type, and no details or search attributes.
    const { firstExecutionRunId } = await client.workflow.start(type, {
      workflowId: exampleId(type),
      taskQueue: EXAMPLES_QUEUE,
      args: [input],
      staticSummary: formSummary(type),
      memo: { [MEMO]: memoOf(type, input) },
      workflowRunTimeout: RUN_TIMEOUT,
    });
    await end(client, type, firstExecutionRunId);
    return firstExecutionRunId;
  } catch (error) {
    // Another worker, or a person, was first.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** This run and no other: a person may have started one under the same ID. */
async function end(client: Client, type: string, runId: string): Promise<void> {
  try {
    await client.workflow.getHandle(exampleId(type), runId).terminate(REASON);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function retention({ connection, options: { namespace } }: Client): Promise<number> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000 || RETENTION_MS;
}
