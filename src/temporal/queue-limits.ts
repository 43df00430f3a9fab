/** The rate of each API queue, kept by the Temporal server for all worker processes together (S5). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Limit } from '../agent-api/limiter';
import { type QueueClass, queueClasses } from '../agent-api/rate-class';
import { rootMessage } from '../root-cause';
import { GRPC, grpcStatus } from './grpc-status';
import { queueName } from './queues';

export type Service = Pick<Connection, 'workflowService'>;

/** How far the server's limiter runs ahead after idle, seconds (its burst; measured on server 1.29). */
const BURST_S = 1;
/** What we allow for jitter between the server's dispatch and the request on the wire, seconds. */
const JITTER_S = 0.7;

const taskQueueType = temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;
const VISIBLE_TIMEOUT_MS = 10_000;
const POLL_MS = 50;
/** Of a server without our settings. */
const DEFAULT_PARTITIONS = 4;
const IDENTITY = 'audit-runner';
const REASON = "the Agent API's rate limit of this token";

/**
 * The rate, in requests a second, at which no window of `windowMs` holds more than `max` requests.
 *
 * After idle the n-th task leaves (n − 1)/r − 1 s after the first: the limiter lets a second's worth go early. With
 * r = max/(W + 1.7) the request after the `max`-th leaves max/r − 1 = W + 0.7 s after the first, so it stays outside the
 * window until the jitter eats the 0.7 s. For 20 a minute that is 19.45 a minute.
 */
export const queueRate = (max: number, windowMs: number): number => max / (windowMs / 1_000 + BURST_S + JITTER_S);

/**
 * So many times what may leave is let through of what gets its turn from the ledger: what a worker that dies has taken, and who
 * comes before its turn, would use up the rate. More where several partitions each have a part of the tasks and of the rate.
 */
const COARSER = { whole: 1.5, partitioned: 2 };

/**
 * What a queue leaves of a limit. The server counts tasks, and of the reads some are no task of that queue: a redirect, the
 * further pages of a list that one task reads, a look at the analysis beside the polls of a job, the question whose token it is
 * that each worker asks at its start. A tenth is for those, of all processes, and of a low limit a few; each process keeps to
 * the whole limit with its gate.
 */
const spareOf = (queueClass: QueueClass, max: number): number =>
  queueClass === 'reads' ? Math.max(Math.ceil(max / 10), Math.min(FEW, Math.floor(max / 4))) : 0;
/** Workers that may start within one window, where a tenth of the limit is less; a quarter of it at most. */
const FEW = 4;

/**
 * The rate at which a queue lets tasks through, requests a second. The server divides it among the queue's partitions, each
 * of which lets the part of one window through as {@link queueRate} says: so the parts are whole numbers of requests, with at
 * least one for each. Writes get their turn from the ledger: the queue is the coarser of the two.
 * @param givesTurns false while the ledger gives no turns: then the queue alone keeps the limit
 */
export function rateOf(
  queueClass: QueueClass,
  { max, windowMs }: Limit,
  partitions: number,
  givesTurns = true,
): number {
  const hasTurns = queueClass === 'writes' && givesTurns;
  if (hasTurns) return queueRate(max, windowMs) * COARSER[partitions > 1 ? 'partitioned' : 'whole'];
  const tasks = Math.max(1, max - spareOf(queueClass, max));
  return queueRate(Math.max(1, Math.floor(tasks / partitions)) * partitions, windowMs);
}

/** {@link rateOf} as the server divides the queue, while the ledger gives turns; `held`: while it gives none. */
export async function wantedRates(
  connection: Service,
  namespace: string,
  account: string,
  queueClass: QueueClass,
  limit: Limit,
): Promise<{ rate: number; held: number }> {
  const asked = partitionsOf(connection, namespace, queueName(account, queueClass));
  // Not everybody may ask for them.
  const partitions = await asked.catch(() => DEFAULT_PARTITIONS);
  return { rate: rateOf(queueClass, limit, partitions), held: rateOf(queueClass, limit, partitions, false) };
}

/**
 * Into how many parts the server divides a queue; a server that does not tell is taken for one with its defaults. It tells to
 * how many it writes, and divides the rate by those that it reads from: nobody sees these, and they must be as many.
 */
export async function partitionsOf({ workflowService }: Service, namespace: string, queue: string): Promise<number> {
  const { activityTaskQueuePartitions } = await workflowService.listTaskQueuePartitions({
    namespace,
    taskQueue: { name: queue },
  });
  return activityTaskQueuePartitions?.length || DEFAULT_PARTITIONS;
}

/** A queue's own limit as the server has it. */
export interface QueueLimit {
  /** Requests a second. */
  rate: number;
  reason: string;
  /** Who set it last. */
  setBy: string;
}

/** The limit in the queue's own configuration; undefined when it has none. */
export async function readQueueLimit(
  { workflowService }: Service,
  namespace: string,
  queue: string,
): Promise<QueueLimit | undefined> {
  const { config } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType,
    reportConfig: true,
  });
  const rate = config?.queueRateLimit?.rateLimit?.requestsPerSecond;
  if (rate === undefined || rate === null) return undefined;
  const { reason = '', updateIdentity = '' } = config?.queueRateLimit?.metadata ?? {};
  return { rate, reason: reason ?? '', setBy: updateIdentity ?? '' };
}

/** Writes the limit into the queue's own configuration, where it lasts and wins over what pollers say. */
export async function setQueueLimit(
  { workflowService }: Service,
  namespace: string,
  queue: string,
  ratePerSecond: number,
): Promise<void> {
  await workflowService.updateTaskQueueConfig({
    namespace,
    identity: IDENTITY,
    taskQueue: queue,
    taskQueueType,
    updateQueueRateLimit: { rateLimit: { requestsPerSecond: ratePerSecond }, reason: REASON },
  });
}

/**
 * Sets the limit of each of an account's API queues, where it is not what it should be, and checks it. Returns warnings
 * for a person: where the server cannot keep the limit of reads or polls (older than 1.29), each process keeps it on its
 * own only, and then the account needs a single worker process (S5).
 *
 * That of the writes is the slower one, or stays if it is the other: only what the ledger says later tells whether it gives turns
 * (`writes-limit.ts`).
 */
export async function ensureQueueLimits(
  connection: Service,
  namespace: string,
  account: string,
  limits: Readonly<Record<QueueClass, Limit>>,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const queueClass of queueClasses) {
    const queue = queueName(account, queueClass);
    const { rate, held } = await wantedRates(connection, namespace, account, queueClass, limits[queueClass]);
    const warning = await ensureQueueLimit(connection, namespace, queue, held, [held, rate]);
    // S5: the ledger keeps that of the writes.
    if (warning !== undefined && queueClass !== 'writes') warnings.push(warning);
  }
  return warnings;
}

/** @param right the limits that are left as they are */
async function ensureQueueLimit(
  connection: Service,
  namespace: string,
  queue: string,
  rate: number,
  right: readonly number[],
): Promise<string | undefined> {
  const cannot = (why: string) =>
    `The Temporal server does not keep the limit of queue ${queue}: ${why}. ` +
    'Each worker process keeps the limit on its own only: run a single one for this account, or use server 1.29 or later.';
  try {
    const found = (await readQueueLimit(connection, namespace, queue))?.rate;
    if (right.some((each) => isSame(found, each))) return undefined;
    await setQueueLimit(connection, namespace, queue, rate);
    // A busy server tells its matching nodes a moment after it has accepted the setting.
    for (const deadline = performance.now() + VISIBLE_TIMEOUT_MS; performance.now() < deadline; await sleep(POLL_MS))
      if (isSame((await readQueueLimit(connection, namespace, queue))?.rate, rate)) return undefined;
    return cannot('it accepts the setting and does not show it');
  } catch (error) {
    const status = grpcStatus(error);
    if (status === GRPC.UNIMPLEMENTED) return cannot('it is too old to know such limits');
    if (status === GRPC.PERMISSION_DENIED) return cannot(`it refuses to set it (${rootMessage(error)})`);
    throw error;
  }
}

/** Whether the server has this rate: it stores it as a 32-bit float. */
export const isSame = (stored: number | undefined, rate: number): boolean =>
  stored !== undefined && Math.fround(stored) === Math.fround(rate);
