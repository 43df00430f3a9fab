/** S5: each write gets its moment from the account's ledger, which sees all processes. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { queueClassOf, type RateClass } from '../src/agent-api/rate-class';
import { SOON_MS } from '../src/ledger/turns';
import { FailureType } from '../src/runs/failure-types';
import { steadyNow } from '../src/steady-clock';
import { Promptness } from '../src/time/promptness';
import { type AccountRuntime, ledgerFor } from './deps';
import { requeueAfter } from './requeue';

const NO_ANSWER_MS = 5_000;

/** A turn that begins now. */
export interface Turn {
  /** A moment of `steadyNow()`: the request is written before it or not at all. */
  readonly writeBy: number;
  /** The request has left now, or missed its turn. */
  over(): void;
}

/** Whether the ledger is asked for turns of the class: those that leave through the queue of the writes. */
export const hasTurns = (rateClass: RateClass): boolean => queueClassOf(rateClass) === 'writes';

/**
 * Asks until the answer is another than "later", if that is soon.
 * @throws ApplicationFailure back to the queue
 */
export async function askedUntilNow<T extends object>(ask: () => Promise<T>): Promise<Exclude<T, Later>> {
  // One that waits longer goes back to its queue: its place in this process is needed.
  const until = steadyNow() + SOON_MS;
  for (;;) {
    const answer = await ask();
    if (!isLater(answer)) return answer as Exclude<T, Later>;
    if (steadyNow() + answer.inMs > until) throw waitsForTurn('writes', answer.inMs);
    await Context.current().sleep(answer.inMs);
  }
}

interface Later {
  readonly kind: 'later';
  readonly inMs: number;
}
const isLater = <T extends object>(answer: T | Later): answer is Later => 'kind' in answer && answer.kind === 'later';

/** Back to the queue until then. */
export const waitsForTurn = (rateClass: RateClass, forMs: number): ApplicationFailure =>
  requeueAfter(`waits for its turn under the limit of ${rateClass}`, forMs);

const prompt = new WeakMap<AccountRuntime, Promptness>();

/**
 * The turn of a write that needs no grant.
 * @returns undefined where the ledger gives none
 */
export async function takeTurn(runtime: AccountRuntime): Promise<Turn | undefined> {
  const { limits, timing } = runtime.account;
  const promptness = prompt.get(runtime) ?? new Promptness(timing.sendWindowMs);
  prompt.set(runtime, promptness);
  const ledger = await ledgerFor(runtime);
  const { turn } = await askedUntilNow(async () => {
    // The window is measured from before the question: the turn is never older than that.
    const [askedAt, { withinMs }] = [steadyNow(), promptness];
    const inMs = await ledger
      .takeTurn({ rateClass: 'writes', limit: limits.writes, withinMs })
      .catch((error: unknown) => {
        if (error instanceof ApplicationFailure && error.type === FailureType.ledger) throw error;
        throw requeueAfter('the ledger does not answer', NO_ANSWER_MS);
      });
    if (inMs === undefined) return { turn: undefined };
    if (inMs > 0) return { kind: 'later', inMs } as const;
    const over = () => promptness.took(steadyNow() - askedAt);
    return { turn: { writeBy: askedAt + withinMs, over } };
  });
  return turn;
}
