/** The queues of accounts: what waits in them, and who takes it. */
import { temporal } from '@temporalio/proto';
import { queueClasses } from '../agent-api/rate-class';
import type { Connected } from '../temporal/connect';
import { readQueueLimit } from '../temporal/queue-limits';
import { queueState } from '../temporal/queue-workers';
import { controlQueueName, queueName, WORKFLOW_QUEUE } from '../temporal/queues';
import { PROGRAM } from '../text/command';
import { number } from './output';

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

export interface QueueStatus {
  queue: string;
  /** Absent for the queue that all accounts share. */
  account?: string;
  /** Of an account of the configuration. */
  configured: boolean;
  /** Tasks that wait in it, about. */
  backlog: number;
  workers: number;
  /** Requests a minute that it lets through; absent where it has no limit. */
  perMinute?: number;
}

/** Nobody would take work from it, or nobody takes what is there. Queues of accounts that were removed may be idle. */
export const unattended = ({ backlog, workers, configured }: QueueStatus): boolean =>
  workers === 0 && (backlog > 0 || configured);

/** The queues of each account. */
export function accountQueues(
  connected: Connected,
  accounts: readonly string[],
  configured: readonly string[],
): Promise<QueueStatus[]> {
  return Promise.all(
    accounts.flatMap((account) =>
      [controlQueueName(account), ...queueClasses.map((rateClass) => queueName(account, rateClass))].map(
        async (queue) => {
          const limit = await readQueueLimit(connected.connection, connected.namespace, queue);
          return {
            ...{ queue, account, configured: configured.includes(account) },
            ...(await stateOf(connected, queue, [TASK_QUEUE_TYPE_ACTIVITY])),
            ...(limit && { perMinute: Math.round(limit.rate * 6_000) / 100 }),
          };
        },
      ),
    ),
  );
}

/** The queue that all accounts share. */
export const sharedQueue = async (connected: Connected): Promise<QueueStatus> => ({
  ...{ queue: WORKFLOW_QUEUE, configured: true },
  ...(await stateOf(connected, WORKFLOW_QUEUE, [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY])),
});

async function stateOf(
  connected: Connected,
  queue: string,
  types: readonly temporal.api.enums.v1.TaskQueueType[],
): Promise<Pick<QueueStatus, 'backlog' | 'workers'>> {
  const states = await Promise.all(types.map((type) => queueState(connected, queue, type)));
  return {
    backlog: states.reduce((sum, { backlog }) => sum + backlog, 0),
    workers: new Set(states.flatMap(({ identities }) => identities)).size,
  };
}

/** What {@link unattended} queues are told of: what was found, and how to mend it. */
export function describeUnattended(unserved: readonly QueueStatus[]): { found: string; mend: string } {
  const tasks = unserved.reduce((sum, { backlog }) => sum + backlog, 0);
  const waiting = tasks > 0 ? ` (tasks that wait: ${number(tasks)})` : '';
  const others = new Set(unserved.flatMap(({ account, configured }) => (configured ? [] : (account ?? []))));
  // This configuration may lack it because it has another name by now: any worker started here would not take them.
  const having = others.size === 0 ? '' : ` that has an account named ${[...others].join(', and one named ')}`;
  return {
    found: `No worker takes from ${unserved.map(({ queue }) => queue).join(', ')}${waiting}`,
    mend: `start one${having}: \`${PROGRAM} worker\``,
  };
}
