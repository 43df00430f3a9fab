/**
 * S5: the limit of the queue of the writes follows the ledger. While that gives each write its turn, the queue may be the
 * coarser of the two. While it gives none, the queue alone keeps the limit between processes: nothing has been written yet,
 * or the ledger's run is one that takes no patches, whatever this worker would do.
 */
import type { Logger } from 'pino';
import type { Limit } from '../agent-api/limiter';
import type { Passage } from '../ledger/passage';
import type { Gauged } from './gauges';
import { isSame, readQueueLimit, type Service, setQueueLimit, wantedRates } from './queue-limits';
import { queueName } from './queues';

const LOOK_MS = 1_000;
/** Another worker may have set it by what the ledger said before. */
const AGAIN_MS = 60_000;

export interface FollowOptions {
  accounts: readonly Gauged[];
  connection: Service;
  namespace: string;
  log: Logger;
}

/** Sets the limits whenever this process hears from a ledger that it should be otherwise; asks no ledger. @returns ends that */
export function followLedgers({ accounts, connection, namespace, log }: FollowOptions): () => void {
  const looks = accounts.map(({ account: { name, limits }, knownLedger }) => {
    let followed: { heard: Passage; at: number } | undefined;
    let isSetting = false;
    return async () => {
      const heard = knownLedger()?.lastPassage;
      if (!heard || isSetting || heard === followed?.heard) return;
      const isNews = !followed || heard.takesTurns !== followed.heard.takesTurns;
      if (followed && !isNews && performance.now() - followed.at < AGAIN_MS) return;
      followed = { heard, at: performance.now() };
      isSetting = true;
      await followTurns(connection, namespace, name, limits.writes, heard.takesTurns === true)
        .catch((error) => log.debug({ account: name, err: error }, 'the limit of the writes could not be set'))
        .finally(() => {
          isSetting = false;
        });
    };
  });
  const timer = setInterval(() => looks.forEach((look) => void look()), LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** Sets the limit of the writes from one of its two right values to the other. What somebody else has set stays. */
export async function followTurns(
  connection: Service,
  namespace: string,
  account: string,
  limit: Limit,
  givesTurns: boolean,
): Promise<void> {
  const queue = queueName(account, 'writes');
  const { rate, held } = await wantedRates(connection, namespace, account, 'writes', limit);
  const [wanted, other] = givesTurns ? [rate, held] : [held, rate];
  if (isSame(wanted, other)) return;
  const found = await readQueueLimit(connection, namespace, queue);
  if (isSame(found?.rate, other)) await setQueueLimit(connection, namespace, queue, wanted);
}
