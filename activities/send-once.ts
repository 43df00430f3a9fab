/**
 * The one way in which a call leaves this process that is paid for or must not happen twice (S1–S3): permit, grant by the
 * ledger, one attempt within the send window, settlement. What happens after the grant is returned and never thrown, so
 * that Temporal cannot repeat it.
 */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { CallInput } from '../src/agent-api/call-input';
import { MOST_CREDITS } from '../src/agent-api/credits';
import { type Attempt, describeDoubt } from '../src/agent-api/failure';
import { isSameLimit } from '../src/agent-api/limiter';
import { type Reply, type RouteName, routes } from '../src/agent-api/routes';
import type { BeginAnswer } from '../src/ledger';
import { holdCause, refusalReason } from '../src/ledger/account-failures';
import type { SendOutcome } from '../src/paying/attempt-plan';
import type { Settlement } from '../src/paying/open-sends';
import { isOwn, ownerOf, ownOutcome } from '../src/paying/own-send';
import { rootMessage } from '../src/root-cause';
import { FailureType } from '../src/runs/failure-types';
import { steadyNow } from '../src/steady-clock';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { pauseOf } from '../src/temporal/parks';
import { keepStart } from './began';
import { parkClass, reportHold, takePlace } from './call';
import { type AccountRuntime, leftToOthers } from './deps';
import type { SendingNotes } from './kept-record';
import { awaitReady, laneOf, lateGrant, unread } from './ready-to-send';
import { requeueAfter } from './requeue';
import { askedUntilNow, hasTurns } from './turn';

export interface OnceCall<N extends RouteName> {
  route: N;
  input: CallInput;
  /** What must happen once; see `src/paying/subject.ts`. */
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
  const ledger = await ledgerToSend(runtime);
  const outcome = await send(runtime, ledger, call).catch(asUnsent);
  await call.record?.after(outcome, ledger.now());
  return outcome;
}

/** The ledger that is asked for a grant. */
export const ledgerToSend = (runtime: AccountRuntime): Promise<BookedLedger> => runtime.ledger().catch(asUnsent);

/**
 * S6: a pause in which this process may not ask whose ledger it is. The run must know that its own earlier try was not heard
 * out, so this is no outcome, and by a failure of this type workflows of all versions know that nothing was sent.
 */
function asUnsent(error: unknown): never {
  if (pauseOf(error) === undefined) throw error;
  throw leftToOthers(error) ?? ApplicationFailure.nonRetryable(rootMessage(error), FailureType.upstream);
}

async function send<N extends RouteName>(
  runtime: AccountRuntime,
  ledger: BookedLedger,
  call: OnceCall<N>,
): Promise<SendOutcome> {
  const { info } = Context.current();
  const { workflowId = '', runId } = info.workflowExecution ?? {};
  const { subject, run, lookedAt } = call;
  // Our own earlier try, whose worker was lost, is heard out, whatever keeps this one from being sent (S6).
  const ownTry = async () => ownOutcome(await ledger.subject(subject), { workflowId, run }, lookedAt);
  // Before the permit and the window: neither ages meanwhile.
  if (runtime.account.credits(call.route) > 0) await keepStart(ledger);
  const ready = await awaitReady(runtime, ledger, call);
  if (ready.kind !== 'ready') return (await ownTry()) ?? ready;
  let leftAt: number | undefined;
  const { answer, askedAt, settle } = await askedUntilNow(async () => {
    // S1: of this question alone. The activity's number would not do: a person who resets it starts that again at 1.
    const attempt = `${ownerOf(workflowId)}${runId}/${info.activityId}/${randomUUID()}`;
    const request = requestOf(runtime, call, attempt, ready.readSince);
    // The window is measured from before the question: the grant is never older than that.
    const askedAt = steadyNow();
    const settle = (settlement: Settlement) => {
      const used = { ...(leftAt !== undefined && { afterMs: leftAt - askedAt }) };
      const turn = request.turn && { ...request.turn, ...used };
      const { own } = request;
      return ledger.settle({ subject, attempt, run, settlement, turn, own }).catch((error) => {
        // The send stays open in the ledger, which looks the subject up when it is over: late, never wrong.
        Context.current().log.warn('the settlement did not reach the ledger', { subject, error });
      });
    };
    const answer = await ledger.beginSend(request).catch(async (error) => {
      const settled = settle({ kind: 'notPaid' });
      if (error instanceof ApplicationFailure && error.type === FailureType.ledger) return { kind: 'held' } as const;
      await settled;
      const silent = ApplicationFailure.create({
        message: 'the ledger does not answer',
        type: FailureType.waiting,
        nextRetryDelay: 5_000,
        cause: error,
      });
      if (Context.current().info.attempt < UNANSWERED_TRIES) throw silent;
      Context.current().log.warn('the ledger does not answer, and nothing is sent', { subject, error });
      return { kind: 'silent', silent } as const;
    });
    return answer.kind === 'later' ? answer : { answer, askedAt, settle };
  });
  // These are answered before it is looked what is open.
  if (answer.kind === 'silent') {
    const own = await ownTry().catch((error: unknown) => {
      // Of another type it would mean that nobody knows what was sent.
      throw error instanceof ApplicationFailure ? error : answer.silent;
    });
    return own ?? { kind: 'notSent', reason: 'ledgerSilent' };
  }
  if (answer.kind === 'held' || answer.kind === 'unwritten') return (await ownTry()) ?? notGranted(answer, workflowId);
  if (answer.kind !== 'granted') return notGranted(answer, workflowId);
  // What is reserved is more than what is configured where calls cost more lately.
  const { credits: reserved, overAt } = answer.flight;
  try {
    // Before anything is kept of it.
    if (ready.hasTurn) await takePlace(runtime, laneOf(call.route), true);
  } catch (error) {
    await settle({ kind: 'notPaid' });
    throw error;
  }
  try {
    const left = await call.record?.before({ lookedAt, overAt, again: call.again });
    if (left) {
      await settle({ kind: 'notPaid' });
      return left;
    }
  } catch (error) {
    Context.current().log.warn('what is about to be sent could not be kept', { subject, error });
    await settle({ kind: 'notPaid' });
    return { kind: 'notSent', reason: 'storage' };
  }
  const writeBy = askedAt + runtime.account.timing.sendWindowMs;
  // No cancellation signal: a call that has left is heard out, also while the worker shuts down.
  const result: Attempt<Reply<N>> = await runtime.api.call(call.route, {
    ...call.input,
    writeBy,
    onWrite() {
      leftAt = steadyNow();
    },
  });
  return settled(runtime, ledger, call, { reserved, overAt, settle }, result);
}

function requestOf(
  { account }: AccountRuntime,
  { route, subject, run, runCap, lookedAt, again }: Omit<OnceCall<RouteName>, 'input' | 'read'>,
  attempt: string,
  readSince: number | undefined,
): Parameters<BookedLedger['beginSend']>[0] {
  const { rateClass } = routes[route];
  const lane = laneOf(route);
  const own = account.limits[rateClass];
  const turn = { limit: account.limits[lane], withinMs: account.timing.sendWindowMs };
  return {
    ...{ subject, attempt, run, lookedAt, credits: account.credits(route) },
    // A number for "no limit" may be more than ledger and books take.
    runCap: Math.min(runCap, MOST_CREDITS),
    ...(again && { again }),
    ...(readSince !== undefined && { readSince }),
    ...(hasTurns(lane) && { turn }),
    ...(rateClass !== lane && { own: { rateClass, ...(!isSameLimit(own, account.limits[lane]) && { limit: own }) } }),
  };
}

/** A ledger that does not answer within the send window is asked so often before the run says so (S7). */
const UNANSWERED_TRIES = 3;

/** What it means for the run that the ledger has not granted it. */
function notGranted(
  answer: Exclude<BeginAnswer, { kind: 'granted' | 'held' | 'later' }> | { kind: 'held' },
  workflowId: string,
): SendOutcome {
  switch (answer.kind) {
    case 'held':
    case 'stale':
      return { kind: answer.kind };
    case 'unwritten':
      // S7: what is in the way is told by the clearance that the run then waits for.
      return { kind: 'held' };
    case 'late':
      // No clearance knows of it: with `held` the run would look and be granted again and again, without a pause.
      return lateGrant;
    case 'capped':
    case 'done':
      return answer;
    case 'parked':
      return { kind: 'throttled', retryAt: answer.until };
    case 'unread':
      throw unread();
    case 'behind':
      throw requeueAfter(BEHIND, Math.min(MOST_BEHIND_MS, BEHIND_MS * 2 ** Context.current().info.attempt));
    case 'patient':
      return { kind: 'open', overAt: answer.until, newBooks: true };
    case 'open':
      // Our own earlier try, whose worker was lost in the call: what became of it is ours to find out.
      return { kind: isOwn(answer, workflowId) ? 'unknown' : 'open', overAt: answer.overAt };
  }
}

/** A call that has left. */
interface Granted {
  /** Credits that the ledger has set aside for it. */
  reserved: number;
  /** Until when it may have an effect. */
  overAt: number;
  settle(settlement: Settlement): Promise<unknown>;
}

/** Settles what came back, and says what it means for the run. */
async function settled<N extends RouteName>(
  runtime: AccountRuntime,
  ledger: BookedLedger,
  call: OnceCall<N>,
  { reserved, overAt, settle }: Granted,
  result: Attempt<Reply<N>>,
): Promise<SendOutcome> {
  if (result.ok) {
    const { credits = reserved, ref } = call.read(result.value, result.body, result.status);
    const paid = { kind: 'paid', credits, ...(ref !== undefined && { ref }) } as const;
    await settle(paid);
    return paid;
  }
  const { failure } = result;
  const { log } = Context.current();
  const { subject, route } = call;
  if (failure.kind === 'unknown') {
    const why = describeDoubt(failure);
    log.warn('it is unknown what became of a call', { subject, route, why });
    return { kind: 'unknown', overAt, why };
  }
  if (failure.kind === 'unreadable') {
    const why = failure.problem;
    log.warn('a call that the service accepted has a reply that cannot be read', { subject, route, why });
    // S3: where it costs, an unreadable success is money spent; where it does not, a look tells more.
    if (runtime.account.credits(route) === 0) return { kind: 'unknown', overAt, why };
    await settle({ kind: 'paid', credits: reserved });
    return { kind: 'paid', credits: reserved };
  }
  await settle({ kind: 'notPaid' });
  if (failure.kind === 'rejected' && failure.status === 429) {
    const parkedMs = await parkClass(runtime, routes[call.route].rateClass);
    return { kind: 'throttled', retryAt: ledger.now() + parkedMs };
  }
  if (holdCause(failure)) {
    // Where the ledger does not take it, whatever is sent next meets it again.
    await reportHold(runtime, failure, reserved).catch(() => undefined);
    return { kind: 'held' };
  }
  if (failure.kind === 'notSent') return { kind: 'notSent', reason: failure.reason };
  return { kind: 'refused', reason: refusalReason(failure), status: failure.status };
}

const BEHIND = 'the ledger does not know yet what people said of hold or limits last, and is told';
const BEHIND_MS = 250;
const MOST_BEHIND_MS = 5_000;

/** The run that the call belongs to. It costs nothing, so no cap counts. */
export const ownRun = () => ({ run: Context.current().info.workflowExecution?.workflowId ?? '', runCap: 0 });
