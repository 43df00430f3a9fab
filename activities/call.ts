/**
 * One call of the API inside an activity: permit, one attempt, and the attempt's failure as Temporal understands it.
 * What has to wait is said to the workflow, which shows it (S7). Temporal itself retries only a wait for a permit, a
 * park of a few seconds, and a GET whose reply cannot be read, at first.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { CallInput } from '../src/agent-api/call-input';
import type { Attempt, Failure } from '../src/agent-api/failure';
import { queueClassOf, type RateClass } from '../src/agent-api/rate-class';
import { type RepeatableRoute, type Reply, type RouteName, routes } from '../src/agent-api/routes';
import { LONGEST_PARK_MS, parkedMs as parkedByLedger, stopping } from '../src/ledger';
import { type HoldCause, holdCause } from '../src/ledger/account-failures';
import type { Passage } from '../src/ledger/passage';
import { FailureType, type Refusal } from '../src/runs/failure-types';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { heedParks, parkedFailure, parkedIn, SAY_PARKED_MS } from '../src/temporal/parks';
import { type AccountRuntime, ledgerFor } from './deps';
import { requeueAfter } from './requeue';
import { hasTurns, type Turn, takeTurn, waitsForTurn } from './turn';

/** The setting that holds the guessed names of a list's parameters. */
const GUESSED_NAMES: Partial<Record<RouteName, string>> = {
  'leads.list': 'leadsList',
  'projects.list': 'projectsList',
  'captures.list': 'capturesList',
  'memories.list': 'memoriesList',
};

/** What a call ended with, whoever gave it: the service, or something in between. */
const endOf = (error: unknown): Refusal | undefined =>
  error instanceof ApplicationFailure ? (error.details?.[0] as Refusal | undefined) : undefined;

/** What the service refused a call with, where it did. */
export const refusalOf = (error: unknown): Refusal | undefined =>
  error instanceof ApplicationFailure && error.type === FailureType.refused
    ? (endOf(error) ?? { status: 0 })
    : undefined;

/** Whether a call ended with this status, whoever gave it. */
export function endedWith(error: unknown, ...statuses: readonly number[]): boolean {
  const end = endOf(error);
  return end !== undefined && statuses.includes(end.status);
}

/** Whether the service refused a call with this status. */
export const refusedWith = (error: unknown, ...statuses: readonly number[]): boolean =>
  refusalOf(error) !== undefined && endedWith(error, ...statuses);

/** The Temporal server's time when it scheduled this try: a moment that workflows and other processes understand. */
export const scheduledAt = (): number => Context.current().info.currentAttemptScheduledTimestampMs;

/** What a refusal says of the plan or the token: agent-api.md, "Errors". */
function describeGate(failure: Extract<Failure, { kind: 'rejected' }>): string {
  const { requiredTier, currentTier, upgradeUrl, missingScopes } = failure;
  const parts = [
    ...(requiredTier ? [`the plan ${requiredTier} is needed`] : []),
    ...(currentTier ? [`the account has ${currentTier}`] : []),
    ...(upgradeUrl ? [`see ${upgradeUrl}`] : []),
    ...(missingScopes ? [`the token lacks the scope ${missingScopes.join(' and ')}`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join('; ')})` : '';
}

/** A read that could not follow its redirect comes back after this: all of it is asked again. */
const HOP_AGAIN_MS = 1_000;
/** How often a reply to a GET is read before its shape counts as the service's own. */
const READ_TRIES = 3;

/** S5: how long a class is parked after a 429, as far as this process or the ledger knows; milliseconds. */
export async function parkedFor(runtime: AccountRuntime, rateClass: RateClass): Promise<number> {
  const here = parkedIn(runtime.gate, rateClass);
  // While reads are parked nobody can ask whose ledger it is, either: that would be repeated without a word (S7).
  const ledger = here > SAY_PARKED_MS ? runtime.knownLedger() : await ledgerFor(runtime);
  if (!ledger) return here;
  const heard = await heardFrom(runtime, ledger);
  return Math.max(heard ? parkedByLedger(heard, rateClass, ledger.now()) : 0, parkedIn(runtime.gate, rateClass));
}

/** What the ledger lets pass, of whose pauses this process hears. */
async function heardFrom({ gate }: AccountRuntime, ledger: BookedLedger): Promise<Passage | undefined> {
  const heard = await ledger.passage();
  if (heard) heedParks(gate, heard, ledger.now());
  return heard;
}

/** S5: parks and holds of other processes count too. @returns what the ledger says, where it answers soon */
export async function mayLeave(
  runtime: AccountRuntime,
  ignoreHolds = false,
  credits = 0,
): Promise<Passage | undefined> {
  const ledger = await ledgerFor(runtime);
  const heard = await heardFrom(runtime, ledger);
  const hold = stopping(heard?.holds ?? [], credits).find(({ kind }) => kind !== 'manual');
  if (hold && !ignoreHolds) throw ApplicationFailure.nonRetryable(`account on hold: ${hold.kind}`, FailureType.held);
  return heard;
}

/**
 * S5: takes a permit of this process, or goes back to the queue until one can be had.
 * @param hasTurn it has its turn by the ledger: this is the last guard, and waits for nothing
 */
export async function takePlace({ gate }: AccountRuntime, rateClass: RateClass, hasTurn: boolean): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const permit = await gate.acquire(rateClass, { signal, hasTurn, ...(hasTurn && { maxWaitMs: 0 }) });
  if (!permit.ok) throw waitsForTurn(rateClass, permit.retryAtMs - Date.now());
}

/** S5: all that a request needs that costs nothing and may be repeated. @returns its turn, where the ledger gives one */
async function takePermit(
  runtime: AccountRuntime,
  rateClass: RateClass,
  ignoreHolds = false,
): Promise<Turn | undefined> {
  await mayLeave(runtime, ignoreHolds);
  const parkedMs = parkedIn(runtime.gate, rateClass);
  if (hasTurns(rateClass) && parkedMs > 0) throw waitsForTurn(rateClass, parkedMs);
  const turn = hasTurns(rateClass) ? await takeTurn(runtime) : undefined;
  await takePlace(runtime, rateClass, turn !== undefined);
  return turn;
}

/**
 * S5: after a 429. The client has parked the class in this process; the ledger parks it in all others: the one by which the
 * call has left, whatever token there is by now. Answers for how long.
 */
export async function parkClass(runtime: AccountRuntime, rateClass: RateClass): Promise<number> {
  const ledger = runtime.knownLedger();
  for (const each of new Set([rateClass, queueClassOf(rateClass)]))
    await ledger?.park(each, Math.min(parkedIn(runtime.gate, each), LONGEST_PARK_MS)).catch(() => undefined);
  return parkedIn(runtime.gate, rateClass);
}

/** Puts the account on hold when the failure is the account's and not the call's. @param needs credits of the call */
export async function reportHold(
  runtime: AccountRuntime,
  failure: Failure,
  needs?: number,
): Promise<HoldCause | undefined> {
  const cause = holdCause(failure);
  if (cause)
    await runtime.knownLedger()?.reportHold({
      ...cause,
      ...(cause.kind === 'noCredits' && (needs ? { needs } : { stopsAll: true })),
    });
  return cause;
}

/** S5: what has to wait for the end of a park. */
export const parked = (rateClass: RateClass, forMs: number) =>
  forMs > SAY_PARKED_MS
    ? parkedFailure(rateClass, forMs)
    : requeueAfter(`the service asked to wait (429): ${rateClass}`, forMs);

/** Calls a route that may be repeated (reads and repeatable writes) and returns what it read. */
export async function callRoute<N extends RepeatableRoute>(
  runtime: AccountRuntime,
  name: N,
  input: CallInput = {},
): Promise<{ value: Reply<N>; body: unknown; status: number; serverTime?: number }> {
  const { rateClass } = routes[name];
  const parkedMs = await parkedFor(runtime, rateClass);
  if (parkedMs > SAY_PARKED_MS) throw parked(rateClass, parkedMs);
  const turn = await takePermit(runtime, rateClass).catch((error: unknown) => {
    // The class may have been parked since it was asked about.
    const forMs = parkedIn(runtime.gate, rateClass);
    const isTurn = error instanceof ApplicationFailure && error.type === FailureType.waiting;
    throw isTurn && forMs > SAY_PARKED_MS ? parked(rateClass, forMs) : error;
  });
  const attempt = await attemptOf(runtime, name, {
    ...input,
    ...(turn && { writeBy: turn.writeBy, onWrite: turn.over }),
  });
  if (isTooLate(attempt)) turn?.over();
  const { serverTime } = attempt;
  if (attempt.ok) {
    const { value, body, status } = attempt;
    return { value, body, status, ...(serverTime !== undefined && { serverTime }) };
  }
  throw await asFailure(runtime, name, attempt);
}

const isTooLate = (attempt: Attempt<unknown>): boolean =>
  !attempt.ok && attempt.failure.kind === 'notSent' && attempt.failure.reason === 'tooLate';

const attemptOf = <N extends RouteName>(runtime: AccountRuntime, name: N, input: CallInput) =>
  runtime.api.call(name, { ...input, signal: Context.current().cancellationSignal }).catch((error: Error) => {
    // Nothing was sent, and trying again changes nothing: the call itself is not what the route takes.
    throw ApplicationFailure.nonRetryable(error.message, FailureType.refused, { status: 0 } satisfies Refusal);
  });

/**
 * Asks for the balance, on hold or not. Answers a problem where the service did, but with no balance that can be read: any
 * success, and any refusal that is no hold, shows that neither kill switch nor token stands in the way.
 */
export async function askBalance(runtime: AccountRuntime): Promise<{ balance: number } | { problem: string }> {
  const route = 'account.credits';
  await takePermit(runtime, routes[route].rateClass, true);
  const attempt = await attemptOf(runtime, route, {});
  if (attempt.ok) return attempt.value;
  const { failure } = attempt;
  const status = 'status' in failure ? failure.status : undefined;
  if (status !== undefined && status >= 200 && status < 300) {
    const { attempt: tries } = Context.current().info;
    if (tries >= READ_TRIES)
      return {
        problem: 'problem' in failure ? failure.problem : `GET /api/user/credits answers ${status} and no balance`,
      };
    throw requeueAfter('the balance cannot be read', tries * 1_000);
  }
  const error = await asFailure(runtime, route, attempt);
  if (error.type === FailureType.refused) return { problem: error.message };
  throw error;
}

async function asFailure(runtime: AccountRuntime, name: RouteName, attempt: Extract<Attempt<unknown>, { ok: false }>) {
  const { failure } = attempt;
  const where = `${routes[name].method} ${routes[name].path}`;
  if (failure.kind === 'rejected' && failure.status === 429) {
    const { rateClass } = routes[name];
    return parked(rateClass, await parkClass(runtime, rateClass));
  }
  if (isTooLate(attempt)) {
    // A write has missed its turn; a read was redirected, and there was no place for one more.
    const { rateClass } = routes[name];
    const forMs = parkedIn(runtime.gate, rateClass);
    return forMs > 0 ? parked(rateClass, forMs) : waitsForTurn(rateClass, hasTurns(rateClass) ? 1 : HOP_AGAIN_MS);
  }
  const hold = await reportHold(runtime, failure);
  if (hold) return ApplicationFailure.nonRetryable(`account on hold: ${hold.kind} (${hold.reason})`, FailureType.held);
  if (failure.kind === 'rejected') {
    const { status, code, requiredTier } = failure;
    const refusal: Refusal = { status, ...(code && { code }), ...(requiredTier && { requiredTier }) };
    const names = status === 400 || status === 422 ? GUESSED_NAMES[name] : undefined;
    const hint = names ? ` (if its parameters have other names here, set undocumented.${names})` : '';
    if (status >= 300 && status < 400)
      return ApplicationFailure.nonRetryable(
        `${where} is redirected (${status}) to another address: set baseUrl to the one that the service has now`,
        FailureType.refused,
        refusal,
      );
    // A page of a proxy or a firewall: an item that it denies may be there, and a plan that it forbids may allow.
    if (failure.unproven && !failure.empty)
      return ApplicationFailure.nonRetryable(
        `the service does not answer ${where} itself${hint}: the ${status} has no JSON object, like the page of a proxy or firewall. If that lasts, check baseUrl and what is in between; a service has to send its errors as JSON`,
        FailureType.upstream,
        refusal,
      );
    return ApplicationFailure.nonRetryable(
      `${where} was refused${hint}: ${status}${code ? ` ${code}` : ''}${describeGate(failure)}`,
      FailureType.refused,
      refusal,
    );
  }
  // A page of something in between, or half an answer: it passes.
  if (failure.kind === 'unreadable' && failure.garbled)
    return ApplicationFailure.nonRetryable(`the service does not answer ${where} with JSON`, FailureType.upstream);
  // Once it may be a slip; that it stays so is worth a person's time.
  const { attempt: tries } = Context.current().info;
  if (failure.kind === 'unreadable' && routes[name].method === 'GET' && tries < READ_TRIES)
    return requeueAfter(`the reply of ${where} cannot be read: ${failure.problem}`, tries * 1_000);
  if (failure.kind === 'unreadable')
    return ApplicationFailure.nonRetryable(
      `the reply of ${where} cannot be read: ${failure.problem}`,
      FailureType.unreadable,
    );
  const said = failure.reason === 'saysFailed' ? `answers ${where} with an error as if it were a success` : undefined;
  return ApplicationFailure.nonRetryable(
    `the service ${said ?? `does not answer ${where} (${failure.reason})`}`,
    FailureType.upstream,
  );
}
