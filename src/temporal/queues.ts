/** Names of task queues. Imported by workflows: no Node built-ins here. */

import type { QueueClass } from '../agent-api/rate-class';
import { UNDER_WAY } from '../runs/lists';
import { quoted } from '../text/list-filter';

/**
 * The queue of all workflow tasks, and of activities that make no API call and belong to no account, or to one that no worker
 * has been seen to have.
 */
export const WORKFLOW_QUEUE = 'audit-runner';

/** Filters of lists, for runs that our workers go on with: other programs in the namespace look after theirs. */
export const ON_OUR_QUEUE = `TaskQueue = ${quoted(WORKFLOW_QUEUE)}`;
export const OURS_UNDER_WAY = `${UNDER_WAY} AND ${ON_OUR_QUEUE}`;

/** The queue of one account's activities that make no API call; only workers that have the account take from it. */
export const controlQueueName = (account: string): string => `${WORKFLOW_QUEUE}.${account}`;

/** The activity queue of one account's rate class; the Temporal server holds its rate for all processes (S5). */
export const queueName = (account: string, queueClass: QueueClass): string => `agent-api.${account}.${queueClass}`;
