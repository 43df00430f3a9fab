/** What has to be so before the ledger is asked for a grant: no pause of the service, a balance that was read, a place, a run that goes on. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { queueClassOf } from '../src/agent-api/rate-class';
import { type RouteName, routes } from '../src/agent-api/routes';
import { stopping } from '../src/ledger';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { FailureType } from '../src/runs/failure-types';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { parkedIn, SAY_PARKED_MS } from '../src/temporal/parks';
import { mayLeave, parkedFor, takePlace } from './call';
import type { AccountRuntime } from './deps';
import { isOver } from './over';
import { requeueAfter } from './requeue';
import { hasTurns, waitsForTurn } from './turn';

/** How long a payment waits for a reading of the balance, and how often it looks; then it goes back to the queue. */
const READ_WITHIN_MS = 30_000;
const LOOK_MS = 250;
/** Then the run says so, and waits longer each time: each try has the balance read again, under the limit of all reads. */
const UNREAD_TRIES = 2;
/** A call that costs comes back after this where the books cannot be written here, until it was tried so often. */
const UNWRITTEN_MS = 5_000;
const UNWRITTEN_TRIES = 3;

/** Notes and audits leave through the writes; their own permit is the ledger's, which sees all processes. */
export const laneOf = (route: RouteName) => queueClassOf(routes[route].rateClass);

/**
 * It may ask for a grant. `readSince`: from when on a reading of the balance counts; see {@link balanceRead}. `hasTurn`: with a
 * grant the ledger gives it its turn, and this process has not made it wait for one.
 */
type Ready = { kind: 'ready'; hasTurn: boolean; readSince?: number };

/** A grant could not be in the books within its send window; the run waits longer each time. */
export const lateGrant = { kind: 'notSent', reason: 'lateGrant' } as const;

const balanceUnread = { kind: 'notSent', reason: 'balanceUnread' } as const;

/** Waits for it, or says what is in the way. */
export async function awaitReady(
  runtime: AccountRuntime,
  ledger: BookedLedger,
  { route, run }: { readonly route: RouteName; readonly run: string },
): Promise<Ready | Extract<SendOutcome, { kind: 'notSent' | 'throttled' | 'held' | 'withdrawn' }>> {
  const price = runtime.account.credits(route);
  const lane = laneOf(route);
  const { trouble } = ledger.books;
  if (price > 0 && trouble !== undefined) {
    // Another worker may be able to write: with a grant each time, this one would use up the limit of writes.
    if (Context.current().info.attempt < UNWRITTEN_TRIES) throw requeueAfter(trouble, UNWRITTEN_MS);
    // S7: the run says so, by itself or by the clearance that it then waits for.
    return ledger.books.isLate ? lateGrant : { kind: 'held' };
  }
  // S7: a long park is told to the workflow, which says so; here nobody would see it.
  const mustRead = price > 0 && (await mustReadBalance(ledger));
  const parkedMs = Math.max(
    await parkedFor(runtime, lane),
    parkedIn(runtime.gate, routes[route].rateClass),
    // Nobody reads the balance meanwhile.
    mustRead ? await parkedFor(runtime, 'reads') : 0,
  );
  if (parkedMs > SAY_PARKED_MS) return { kind: 'throttled', retryAt: ledger.now() + parkedMs };
  const readSince = mustRead ? await balanceRead(ledger, price) : undefined;
  if (readSince === 'unread') return balanceUnread;
  const heard = await mayLeave(runtime, false, price).catch(heldOrThrow);
  if (heard === 'held') return { kind: 'held' };
  const hasTurn = hasTurns(lane) && heard?.takesTurns === true;
  if (!hasTurn) await takePlace(runtime, lane, false);
  else if (parkedMs > 0) throw waitsForTurn(lane, parkedMs);
  if (await isOver(price > 0 ? run : undefined)) return { kind: 'withdrawn' };
  return { kind: 'ready', hasTurn, ...(readSince !== undefined && { readSince }) };
}

/** @throws what is no hold of the account */
function heldOrThrow(error: unknown): 'held' {
  if (error instanceof ApplicationFailure && error.type === FailureType.held) return 'held';
  throw error;
}

const UNREAD = 'part of the balance must remain, so it must be read before it is spent; it has not been read yet';

/** The floor was set just now, and nothing was read since. */
export const unread = () => requeueAfter(UNREAD, LOOK_MS);

/** S3: others spend from the same balance, so where a part of it must remain it is read before each payment. */
async function mustReadBalance(ledger: BookedLedger): Promise<boolean> {
  const heard = await ledger.passage();
  // S8: what this process is configured with counts, whatever the ledger was told.
  return heard !== undefined && Math.max(heard.balanceFloor, ledger.floor) > 0;
}

/** The ledger reads it, once for all that wait. Answers from when on a reading counts; `unread`: again and again there was none. */
async function balanceRead(ledger: BookedLedger, price: number): Promise<number | 'unread' | undefined> {
  let since: number | undefined;
  const givenUpAt = performance.now() + READ_WITHIN_MS;
  while (performance.now() < givenUpAt) {
    const seen = await ledger.status();
    // What stands in its way is the ledger's to say.
    if (seen && (stopping(seen.holds, price).length > 0 || seen.unreadable !== undefined)) return since;
    since ??= await ledger.readBalance();
    if (seen?.balanceAskedAt !== undefined && seen.balanceAskedAt >= since) return since;
    await Context.current().sleep(LOOK_MS);
  }
  if (Context.current().info.attempt >= UNREAD_TRIES) return 'unread';
  throw unread();
}
