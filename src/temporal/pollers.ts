/** Who may ask the Temporal server for work: it takes a number of open requests from a namespace, and refuses the rest. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { queueClasses } from '../agent-api/rate-class';
import { GRPC, grpcStatus, serverWords } from './grpc-status';

/** What a server takes by default from all workers of a namespace: `frontend.namespaceCount`, for each of its frontends. */
export const SERVER_TAKES = 1_200;

/**
 * A queue of an account lets through a few tasks a second at most, or has few, and one request brings the next task within
 * milliseconds. Ten, as by default, of 20 accounts and two workers are more than a server takes.
 */
export const ACCOUNT_POLLERS = {
  type: 'simple-maximum',
  maximum: 1,
} as const satisfies WorkerOptions['activityTaskPollerBehavior'];
/** On the queue that all workers share: only runs from before accounts had their own take everything from there. */
export const SHARED_POLLERS = {
  type: 'simple-maximum',
  maximum: 4,
} as const satisfies WorkerOptions['activityTaskPollerBehavior'];

/** Of one account: that of its control activities, and one for each class. */
const ACCOUNT_QUEUES = 1 + queueClasses.length;

/** Requests for activities that one worker with so many accounts keeps open. */
export const pollersOf = (accounts: number): number =>
  SHARED_POLLERS.maximum + accounts * ACCOUNT_QUEUES * ACCOUNT_POLLERS.maximum;

/** A queue that nobody uses: no account's name gives it. */
const PROBE = 'audit-runner:probe';
/** Less than a server takes for a request for work: it answers at once that this is too short, unless it refuses it before. */
const PROBE_MS = 1_000;
const PROBES = 3;
const BETWEEN_MS = 100;

/** Why the server gives no work to who asks. */
export interface PollsRefused {
  /** The server's. */
  words: string;
  /** It takes no more requests from anybody; else it refuses whoever has these credentials. */
  isFull: boolean;
}

const REFUSALS: readonly number[] = [GRPC.RESOURCE_EXHAUSTED, GRPC.PERMISSION_DENIED, GRPC.UNAUTHENTICATED];

interface Asked {
  connection: Pick<Connection, 'withDeadline' | 'workflowService'>;
  namespace: string;
}

/** Whether the server would refuse a worker that asks for work with these credentials. */
export async function tryPolls({ connection, namespace }: Asked): Promise<PollsRefused | undefined> {
  const ask = async (): Promise<PollsRefused | undefined> => {
    try {
      await connection.withDeadline(Date.now() + PROBE_MS, () =>
        connection.workflowService.pollActivityTaskQueue({ namespace, taskQueue: { name: PROBE } }),
      );
    } catch (error) {
      const status = grpcStatus(error) ?? -1;
      if (REFUSALS.includes(status)) return { words: serverWords(error), isFull: status === GRPC.RESOURCE_EXHAUSTED };
    }
    return undefined;
  };
  // Between two requests of the others there may be room for a moment.
  const answers = Array.from({ length: PROBES }, (_, i) => sleep(i * BETWEEN_MS).then(ask));
  return (await Promise.all(answers)).find((refused) => refused !== undefined);
}

/**
 * Why the server refuses workers that ask for work, in its words; undefined when it does not. Whoever looks may have credentials
 * that are good for looking alone: that says nothing of the workers.
 */
export async function pollsRefused(asked: Asked): Promise<string | undefined> {
  const refused = await tryPolls(asked);
  return refused?.isFull ? refused.words : undefined;
}

/** What a person does about {@link pollsRefused}. */
export const MORE_POLLS =
  'run fewer workers, or let the server take more from a namespace (frontend.namespaceCount; by default ' +
  `${SERVER_TAKES} for each frontend)`;
