/** Keeps the workflow `startHere` running: the page of the Web UI from which people start runs. */
import type { Client } from '@temporalio/client';
import { refreshSignal, startHere } from '../../workflows/start-here';
import { plainClient } from '../temporal/plain-client';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';

/** The ID of the one run of `startHere`. */
export const START_HERE = 'start-here';

const DETAILS =
  'The page is on the right, under *Current Details*: what can be started, with links to the filled-in form. A worker ' +
  'keeps it; while none runs it is empty. Where encryption is on, the Web UI needs a codec server to show it.';

/** Starts it where it does not run, and makes it refresh its page. Safe to repeat; needs no worker. @returns its run ID */
export async function ensureStartHere(client: Client): Promise<string> {
  const { signaledRunId } = await plainClient(client).workflow.signalWithStart(startHere, {
    workflowId: START_HERE,
    taskQueue: WORKFLOW_QUEUE,
    args: [],
    signal: refreshSignal,
    staticSummary: 'The page from which runs are started',
    staticDetails: DETAILS,
    typedSearchAttributes: [{ key: searchAttributeKeys.runKind, value: 'page' }],
  });
  return signaledRunId;
}
