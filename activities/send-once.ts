/**
 * The one way in which a call leaves this process that is paid for or must not happen twice (S1–S3): permit, grant by the
 * ledger, one attempt within the send window, settlement. What happens after the grant is returned and never thrown, so
 * that Temporal cannot repeat it.
 */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Attempt } from '../src/agent-api/failure';
import type { CallInput } from '../src/agent-api/input';
import { queueClassOf } from '../src/agent-api/rate-class';
import { type Reply, type RouteName, routes } from '../src/agent-api/routes';
import { refusalReason } from '../src/policy/classify';
import type { SendOutcome } from '../src/policy/course';
import { FailureType } from '../src/policy/failures';
import { isSameLimit } from '../src/policy/limiter';
import type { Settlement } from '../src/policy/pay-once';
import { parkClass, parkedUntil, reportHold, takePermit } from './call';
import type { AccountRuntime } from './deps';
import type { SendingNotes } from './record';

/** A park that takes longer than this is told, milliseconds. */
const SAY_PARKED_MS = 5_000;

export interface OnceCall<N extends RouteName> {
  route: N;
  input: CallInput;
  /** What must happen once; see `src/policy/subject.ts`. */
  subject: string;
  /** The run whose cap counts, and that cap in credits; the cap means nothing where the call is free. */
  run: string;
  runCap: number;
  /** When the look was asked for that found that it had not happened (workflow time). */
  lookedAt: number;
  /** A person has looked, and says that what was paid for before has come to nothing. */
  again?: boolean | undefined;
  /** What is kept of it outside Temporal. */
  record?: SendingNotes;
  /** Credits that the reply says were used, and what came of it. @param body the reply as it came */
  read(reply: Reply<N>, body: unknown, status: number): { credits?: number; ref?: string };
}

/** Sends one call, or says why it did not. */
export async function sendOnce<N extends RouteName>(runtime: AccountRuntime, call: OnceCall<N>): Promise<SendOutcome> {
  const outcome = await send(runtime, call);
  await call.record?.after(outcome);
  return outcome;
}

async function send<N extends RouteName>(runtime: AccountRuntime, call: OnceCall<N>): Promise<SendOutcome> {
  const { info } = Context.current();
  const ledger = await runtime.ledger();
  const { rateClass } = routes[call.route];
  const price = runtime.account.credits(call.route);
  // Notes and audits leave through the writes; their own permit is the ledger's, which sees all processes.
  const lane = queueClassOf(rateClass);
  const { limits } = runtime.account;
  const own = limits[rateClass];
  // S7: a long park is told to the workflow, which says so; here nobody would see it.
  const retryAt = await parkedUntil(runtime, lane);
  if (retryAt - Date.now() > SAY_PARKED_MS) return { kind: 'throttled', retryAt };
  await takePermit(runtime, lane, false, price);
  const owner = `${info.workflowExecution?.workflowId}#`;
  // S1: of this execution alone. Its number would not do: a person who resets the activity starts that again at 1.
  const attempt = `${owner}${info.workflowExecution?.runId}/${info.activityId}/${randomUUID()}`;
  const { subject, run, runCap, lookedAt, again } = call;
  const settle = (settlement: Settlement) =>
    ledger.settle({ subject, attempt, run, settlement }).catch((error) => {
      // The flight stays open in the ledger, which looks the subject up when it is over: late, never wrong.
      Context.current().log.warn('the settlement did not reach the ledger', { subject, error });
    });

  // The window is measured from before the question: the grant is never older than that.
  const askedAt = performance.now();
  const answer = await ledger
    .beginSend({
      ...{ subject, attempt, run, runCap, lookedAt, credits: price },
      ...(again && { again }),
      ...(rateClass !== lane && { own: { rateClass, ...(!isSameLimit(own, limits[lane]) && { limit: own }) } }),
    })
    .catch(async (error) => {
      await settle({ kind: 'notPaid' });
      throw ApplicationFailure.create({
        message: 'the ledger does not answer',
        type: FailureType.waiting,
        nextRetryDelay: 5_000,
        cause: error,
      });
    });
  switch (answer.kind) {
    case 'held':
    case 'stale':
      return { kind: answer.kind };
    case 'capped':
    case 'done':
      return answer;
    case 'parked':
      return { kind: 'throttled', retryAt: answer.until };
    case 'patient':
      return { kind: 'open', overAt: answer.until, newBooks: true };
    case 'open':
      // Our own earlier try, whose worker was lost in the call: what became of it is ours to find out.
      return { kind: answer.attempt.startsWith(owner) ? 'unknown' : 'open', overAt: answer.overAt };
  }
  try {
    await call.record?.before();
  } catch (error) {
    Context.current().log.warn('what is about to be sent could not be kept', { subject, error });
    await settle({ kind: 'notPaid' });
    return { kind: 'notSent', reason: 'storage' };
  }
  const writeBy = askedAt + runtime.account.timing.sendWindowMs;
  // No cancellation signal: a call that has left is heard out, also while the worker shuts down.
  const result: Attempt<Reply<N>> = await runtime.api.call(call.route, { ...call.input, writeBy });
  if (result.ok) {
    const { credits = price, ref } = call.read(result.value, result.body, result.status);
    const paid = { kind: 'paid', credits, ...(ref !== undefined && { ref }) } as const;
    await settle(paid);
    return paid;
  }
  const { failure } = result;
  if (failure.kind === 'unknown') return { kind: 'unknown', overAt: answer.flight.overAt };
  // S3: where it costs, an unreadable success is money spent; where it does not, a look tells more.
  if (failure.kind === 'unreadable' && price === 0) return { kind: 'unknown', overAt: answer.flight.overAt };
  if (failure.kind === 'unreadable') {
    await settle({ kind: 'paid', credits: price });
    return { kind: 'paid', credits: price };
  }
  await settle({ kind: 'notPaid' });
  if (failure.kind === 'rejected' && failure.status === 429)
    return {
      kind: 'throttled',
      retryAt: await parkClass(runtime, rateClass),
    };
  if (await reportHold(runtime, failure, price)) return { kind: 'held' };
  if (failure.kind === 'notSent') return { kind: 'notSent', reason: failure.reason };
  return { kind: 'refused', reason: refusalReason(failure) };
}

/** The run that the call belongs to. It costs nothing, so no cap counts. */
export const ownRun = () => ({ run: Context.current().info.workflowExecution?.workflowId ?? '', runCap: 0 });
