/** How what costs, or must not happen twice, leaves. */
import type { Priority } from '@temporalio/common';
import { proxyActivities } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import { queueName } from '../../src/temporal/queues';
import { asSummary, HEARTBEAT, type Sends } from '../shared/calls';

/**
 * Never a local activity (a killed worker runs it twice). A lost worker shows within a quarter of a minute; trying again is
 * safe because the ledger refuses while the first try can still have an effect (S1).
 */
export const sends = (account: string, facts: AccountFacts, priority: Priority, summary: string): Sends =>
  proxyActivities<Sends>({
    taskQueue: queueName(account, 'writes'),
    startToCloseTimeout: facts.timing.sendWindowMs + facts.timing.paidTimeoutMs + 60_000,
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
    // S6: a cancellation takes it out of the queue; what has left is heard out.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    allowEagerDispatch: false,
    priority,
    summary: asSummary(summary),
  });
