/** What a ledger that starts cannot know by itself, and must not be told by whoever starts it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { temporal } from '@temporalio/proto';
import type { Before, LedgerStart, Reread, Said } from '../src/ledger';
import { rootMessage } from '../src/root-cause';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { booksBefore, NotYetKnown } from '../src/temporal/books-before';
import { queueState } from '../src/temporal/queue-workers';
import { within } from '../src/time/within';
import { scheduledAt } from './call';
import { comesBackIn, type Deps, ledgerOf, noLedgerHere, SOON_TRIES } from './deps';
import { requeueAfter } from './requeue';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;
/** How long a closed run that does not answer is asked again, before what it knew counts as lost. */
const ASK_TRIES = 2 * SOON_TRIES;
/** How long one reading of the books in the storage may take. */
const READ_WITHIN_MS = 45_000;
/** How long a ledger waits for the books before it opens without them: until it has them it pays nothing, and says so. */
const OPEN_WITHIN_MS = 10_000;
const PAUSE_MS = 500;

/** What a worker tells a ledger that starts. */
export interface BooksTold {
  configured: LedgerStart;
  probeEveryMs: number;
  before: Before;
}

export function createBooksActivities(deps: Deps) {
  const { accounts, client, identity, log } = deps;
  const fleet = { connection: client.connection, namespace: client.options.namespace };

  /** Whether these are all the workers that take such questions: any other one may still remember a lost ledger. */
  const areAll = async (asked: readonly string[]) => {
    const { taskQueue } = Context.current().info;
    const { identities } = await queueState(fleet, taskQueue, TASK_QUEUE_TYPE_ACTIVITY, scheduledAt());
    return identities.every((one) => asked.includes(one));
  };

  /** S8: what was paid, by the books in the storage. */
  const read = async ({ books }: BookedLedger, said?: Said, timeZone?: string): Promise<Reread> => {
    const work = async () => {
      // What cannot be written keeps nobody from reading; the ledger sees by what is there that it is not.
      if (said) await books.say(said).catch((error) => log.warn({ err: error }, 'what people said cannot be kept'));
      return books.kept(timeZone);
    };
    try {
      const kept = await within(work(), READ_WITHIN_MS, 'it does not answer');
      return kept ? { books: kept } : {};
    } catch (error) {
      return { unread: rootMessage(error) };
    }
  };

  /** What passes in a moment is not worth opening without them. */
  const readPatiently = async (ledger: BookedLedger, timeZone?: string): Promise<Reread> => {
    const until = performance.now() + OPEN_WITHIN_MS;
    for (;;) {
      const found = await read(ledger, undefined, timeZone);
      if (found.unread === undefined || performance.now() > until) return found;
      await sleep(PAUSE_MS, undefined, { signal: Context.current().cancellationSignal });
    }
  };

  return {
    /** The configuration of the ledger's user, and what the ledger before knew. Retried until a worker can say. */
    async openBooks(): Promise<BooksTold> {
      const { workflowExecution, attempt } = Context.current().info;
      const { workflowId = '', runId = '' } = workflowExecution ?? {};
      const again = (why: string) => requeueAfter(why, comesBackIn(accounts, attempt));
      const ledger = ledgerOf(deps, workflowId);
      const asked = [...new Set([...askedBefore(), identity])];
      // Whoever knows of no such ledger remembers none.
      const leave = (why: string) => {
        Context.current().heartbeat(asked);
        return again(why);
      };
      if (!ledger) throw leave(`${noLedgerHere(deps)}; left to one that does`);
      const { configured, config } = ledger;
      try {
        const isPatient = attempt < ASK_TRIES;
        const { isTold, ...before } = await booksBefore({ client, ledger, runId, isPatient, now: scheduledAt() });
        if (!isTold && attempt < SOON_TRIES && !(await areAll(asked)))
          throw leave('This worker knows of no ledger before this one; other workers are asked whether they do');
        const found = before.lost || !before.state ? await readPatiently(ledger, before.state?.timeZone) : {};
        return { configured, probeEveryMs: config.probeEveryMs, before: { ...before, ...found } };
      } catch (error) {
        throw error instanceof NotYetKnown ? again(error.message) : error;
      }
    },

    /**
     * The books in the storage, for a ledger that knows less.
     * @param said what it knows and they may lack: it is written first
     * @param timeZone in which its days begin
     */
    async rereadBooks(said?: Said, timeZone?: string): Promise<Reread> {
      const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
      const ledger = ledgerOf(deps, workflowId);
      if (!ledger) return { unread: 'the worker that was asked does not work for this user' };
      return read(ledger, said, timeZone);
    },
  };
}

/** The workers that earlier tries have met, as they were told by heartbeat: the try after a failure hears that. */
function askedBefore(): string[] {
  const { heartbeatDetails } = Context.current().info;
  return Array.isArray(heartbeatDetails) ? heartbeatDetails.filter((one) => typeof one === 'string') : [];
}
