/** A name that nobody knows is refused before a run is started, which would wait for a worker that will never come. */
import { temporal } from '@temporalio/proto';
import { closest } from 'fastest-levenshtein';
import type { Config } from '../config';
import type { Connected } from '../temporal/connect';
import { queueState } from '../temporal/queue-workers';
import { queueName, WORKFLOW_QUEUE } from '../temporal/queues';
import { EXIT, Exit } from './exit';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/**
 * An account that this machine's configuration lacks may be another machine's: it is refused where workers are there, and none
 * of them works for it.
 * @throws Exit
 */
export async function refuseUnknownAccount(
  connected: Connected,
  account: string,
  accounts: Config['accounts'],
): Promise<void> {
  if (Object.hasOwn(accounts, account)) return;
  const workers = async (queue: string) =>
    (await queueState(connected, queue, TASK_QUEUE_TYPE_ACTIVITY)).identities.length;
  if ((await workers(WORKFLOW_QUEUE)) === 0 || (await workers(queueName(account, 'reads'))) > 0) return;
  const names = Object.keys(accounts);
  const meant =
    names.length === 0
      ? '.'
      : `, and the configuration here has none of that name. Did you mean '${closest(account, names)}'?`;
  throw new Exit(EXIT.badInput, `No worker works for an account '${account}'${meant}`);
}
