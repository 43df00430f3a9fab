/**
 * What forbids `doctor` to send (S5): it asks beside the queues that keep the pace of all workers. A worker that answers for
 * the ledger and a backlog are what can be seen from outside; where nobody works, nobody else sends. A write takes a turn of
 * the ledger, as those of workers do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Limit } from '../../agent-api/limiter';
import { queueClassOf, type RateClass } from '../../agent-api/rate-class';
import type { Account } from '../../config';
import { stopping } from '../../ledger';
import { describeHold } from '../../ledger/describe-holds';
import { type LedgerStatus, statusQuery, type TurnOf, takeTurnUpdate } from '../../ledger/messages';
import { LATEST_MS } from '../../ledger/turns';
import { type Connected, type ConnectionConfig, connectClient } from '../../temporal/connect';
import { queueState } from '../../temporal/queue-workers';
import { queueName } from '../../temporal/queues';
import { utc } from '../../time/utc';
import { findLedgers } from '../ledgers';
import { number } from '../output';

/** Why no request of this class may leave now; undefined where one may. */
export type Clearance = (rateClass: RateClass) => Promise<string | undefined>;

const QUERY_MS = 5_000;
const TURN_TRIES = 3;
const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** What is known of an account from its ledger. */
export interface Ledgers {
  clearance: Clearance;
  /** What its ledger says, where one answers. */
  statuses: Promise<readonly LedgerStatus[]>;
  /** IDs of the open ledgers that keep the account, without those that say that they are of an earlier user. */
  keeping: Promise<readonly string[]>;
}

/** Where there is no server to ask. */
export const NO_LEDGERS: Ledgers = {
  clearance: async () => undefined,
  statuses: Promise.resolve([]),
  keeping: Promise.resolve([]),
};

/** Does something with what forbids to send for each account. Without a Temporal server nothing is known to. */
export async function withLedgers<T>(
  config: ConnectionConfig,
  use: (of: (account: Pick<Account, 'name' | 'limits'>) => Ledgers) => Promise<T>,
): Promise<T> {
  const connected = await connectClient({ config }).catch(() => undefined);
  try {
    return await use(({ name, limits }) => (connected ? ledgersOf(connected, name, limits.writes) : NO_LEDGERS));
  } finally {
    await connected?.close();
  }
}

/** Of one account: its ledger is asked once, but for turns, and its queues each time. @param writes the limit of the writes */
export function ledgersOf(connected: Connected, account: string, writes: Limit): Ledgers {
  const asked = askLedgers(connected, account);
  const answers = asked.then((ledgers) => ledgers.flatMap(({ status }) => status ?? []));
  const clearance: Clearance = async (rateClass) => {
    const statuses = await answers;
    const holds = statuses.flatMap((status) => stopping(status.holds, 0));
    if (holds.length > 0) return holds.map(describeHold).join('; ');
    const queueClass = queueClassOf(rateClass);
    const until = Math.max(...statuses.flatMap(({ parked }) => [parked[rateClass] ?? 0, parked[queueClass] ?? 0]), 0);
    if (until > 0) return `the service asked to wait (429): ${rateClass} go on at ${utc(until)} UTC`;
    const queue = queueName(account, queueClass);
    const { backlog, identities } = await queueState(connected, queue, TASK_QUEUE_TYPE_ACTIVITY).catch(() => NOTHING);
    if (backlog > 0 && identities.length > 0)
      return `the workers use the whole limit (calls that wait in ${queue}: ${number(backlog)})`;
    if (queueClass !== 'writes') return undefined;
    const answering = (await asked).filter(({ status }) => status);
    const turns = await Promise.all(answering.map(({ ledger }) => hasTurn(connected, ledger, writes)));
    return turns.every((has) => has) ? undefined : 'the ledger gives no turn under the limit of the writes yet';
  };
  return { clearance, statuses: answers, keeping: asked.then((ledgers) => ledgers.map(({ ledger }) => ledger)) };
}

/** Takes the turn of a write, if it comes soon. What asks in vain takes none. */
async function hasTurn({ client }: Connected, ledger: string, limit: Limit): Promise<boolean> {
  const args: [TurnOf] = [{ rateClass: 'writes', limit, withinMs: LATEST_MS }];
  const ask = () => client.workflow.getHandle(ledger).executeUpdate(takeTurnUpdate, { args });
  for (let tries = 0; tries < TURN_TRIES; tries++) {
    const inMs = await client.withDeadline(Date.now() + QUERY_MS, ask).then(
      (said) => ('inMs' in said ? said.inMs : 0),
      // One that knows of no turns refuses the question.
      (error: unknown) => (error instanceof WorkflowUpdateFailedError ? 0 : undefined),
    );
    if (inMs === 0) return true;
    if (inMs === undefined || inMs > QUERY_MS) return false;
    await sleep(inMs);
  }
  return false;
}

const NOTHING = { backlog: 0, identities: [] };

/** Without an earlier user's ledger: nobody sends for that one. One that does not answer has no status. */
async function askLedgers({ client }: Connected, account: string) {
  const ask = async (ledger: string) => {
    const asked = () => client.workflow.getHandle(ledger).query(statusQuery);
    const status = await client.withDeadline(Date.now() + QUERY_MS, asked).catch(() => undefined);
    return { ledger, status };
  };
  const ledgers = await Promise.all((await findLedgers(client, account).catch(() => [])).map(ask));
  return ledgers.filter(({ status }) => status?.restingSince === undefined);
}
