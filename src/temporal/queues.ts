/** Names of task queues. Imported by workflows: no Node built-ins here. */

import type { QueueClass } from '../agent-api/rate-class';

/** The queue of all workflow tasks, and of activities that make no API call (storage). */
export const WORKFLOW_QUEUE = 'audit-runner';

/** The activity queue of one account's rate class; the Temporal server holds its rate for all processes (S5). */
export const queueName = (account: string, queueClass: QueueClass): string => `agent-api.${account}.${queueClass}`;
