/** What a ledger that starts cannot know by itself, and must not be told by whoever starts it. */
import { Context } from '@temporalio/activity';
import { temporal } from '@temporalio/proto';
import type { Before, LedgerStart } from '../src/ledger';
import { booksBefore, NotYetKnown } from '../src/temporal/books-before';
import { queueState } from '../src/temporal/queue-workers';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import { scheduledAt } from './call';
import { comesBackIn, type Deps, SOON_TRIES } from './deps';
import { requeueAfter } from './requeue';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;
/** How long a closed run that does not answer is asked again, before what it knew counts as lost. */
const ASK_TRIES = 2 * SOON_TRIES;

/** What a worker tells a ledger that starts. */
export interface BooksTold {
  configured: LedgerStart;
  probeEveryMs: number;
  before: Before;
}

export function createBooksActivities(deps: Deps) {
  const { accounts, client } = deps;
  const fleet = { connection: client.connection, namespace: client.options.namespace };

  /** Whether this worker is alone: only another one may still remember a lost ledger. */
  const isAlone = async () => {
    const { identities } = await queueState(fleet, WORKFLOW_QUEUE, TASK_QUEUE_TYPE_ACTIVITY, scheduledAt());
    return new Set(identities).size <= 1;
  };

  return {
    /** The configuration of the ledger's user, and what the ledger before knew. Retried until a worker can say. */
    async openBooks(): Promise<BooksTold> {
      const { workflowExecution, attempt } = Context.current().info;
      const { workflowId = '', runId = '' } = workflowExecution ?? {};
      const again = (why: string) => requeueAfter(why, comesBackIn(accounts, attempt));
      const [ledger] = [...accounts.values()].flatMap((runtime) => runtime.ledgerWith(workflowId) ?? []);
      if (!ledger) {
        // An account whose user could not be asked for when the worker started may be it, and nothing else may need it.
        for (const runtime of accounts.values()) runtime.ledger().catch(() => undefined);
        throw again('No account of this worker is known to belong to the user of this ledger; left to one that does');
      }
      const { configured, config } = ledger;
      try {
        const asked = { client, ledger, runId, isPatient: attempt < ASK_TRIES, now: scheduledAt() };
        const { isTold, ...before } = await booksBefore(asked);
        if (!isTold && attempt < SOON_TRIES && !(await isAlone()))
          throw again('This worker knows of no ledger before this one; other workers are asked whether they do');
        return { configured, probeEveryMs: config.probeEveryMs, before };
      } catch (error) {
        throw error instanceof NotYetKnown ? again(error.message) : error;
      }
    },
  };
}
