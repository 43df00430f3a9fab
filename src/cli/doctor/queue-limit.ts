/** The limit that the Temporal server keeps for a queue (S5). */
import type { QueueClass } from '../../agent-api/rate-class';
import type { Connected } from '../../temporal/connect';
import { isSame, readQueueLimit } from '../../temporal/queue-limits';
import { queueName } from '../../temporal/queues';
import { area, type Check } from './check';

const { ok, warning, wrong } = area('Temporal');

const CANNOT_SET = 'if it does not last, the server is older than 1.29, or refuses to set it (UpdateTaskQueueConfig)';

/** S5: each write gets its turn from the ledger. */
const withoutLimit = (rateClass: QueueClass): string =>
  `${CANNOT_SET}: ${rateClass === 'writes' ? 'writes keep to their limit all the same' : 'then run a single worker for this account'}`;

export async function queueLimit(
  { connection, namespace }: Connected,
  account: string,
  rateClass: QueueClass,
  { rate, held }: { rate: number; held: number },
): Promise<Check> {
  const queue = queueName(account, rateClass);
  const name = `limit of ${queue}`;
  const perMinute = (perSecond: number) => `${(perSecond * 60).toFixed(2)} a minute`;
  const expected = `expected ${perMinute(held)}`;
  const limit = await readQueueLimit(connection, namespace, queue);
  const mend = 'a worker of this configuration sets it at its start';
  if (!limit) return warning(name, `none; ${expected}`, `${mend}; ${withoutLimit(rateClass)}`);
  const isSteady = isSame(rate, held);
  if (isSame(limit.rate, held))
    return ok(name, `${perMinute(held)}${isSteady ? '' : ', until the ledger gives each write its turn'}`);
  if (isSame(limit.rate, rate)) return ok(name, `${perMinute(rate)}, and the ledger gives each write its turn`);
  return wrong(name, `${perMinute(limit.rate)}, set by ${limit.setBy}; ${expected}`, `${mend}; ${CANNOT_SET}`);
}
