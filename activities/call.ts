/**
 * One call of the API inside an activity: permit, one attempt, and the attempt's failure as Temporal understands it.
 * What has to wait is said to the workflow, which shows it (S7); only a permit's bounce is retried by Temporal itself.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Attempt, Failure } from '../src/agent-api/failure';
import type { CallInput } from '../src/agent-api/input';
import { queueClassOf, type RateClass } from '../src/agent-api/rate-class';
import { type Reply, type RouteName, routes } from '../src/agent-api/routes';
import { type HoldCause, holdCause } from '../src/policy/classify';
import { FailureType, type Refusal } from '../src/policy/failures';
import { stopping } from '../src/policy/ledger';
import type { AccountRuntime } from './deps';

/** The setting that holds the guessed names of a list's parameters. */
const GUESSED_NAMES: Partial<Record<RouteName, string>> = {
  'leads.list': 'leadsList',
  'projects.list': 'projectsList',
  'captures.list': 'capturesList',
  'memories.list': 'memoriesList',
};

/** Whether the service refused a call with this status. */
export function refusedWith(error: unknown, ...statuses: readonly number[]): boolean {
  if (!(error instanceof ApplicationFailure) || error.type !== FailureType.refused) return false;
  const refusal = error.details?.[0] as Refusal | undefined;
  return refusal !== undefined && statuses.includes(refusal.status);
}

/** How often a reply to a GET is read before its shape counts as the service's own. */
const READ_TRIES = 3;

/** Back to the queue: Temporal tries again after the delay, without history events. */
export const bounce = (message: string, delayMs: number) =>
  ApplicationFailure.create({
    message,
    type: FailureType.waiting,
    nextRetryDelay: Math.max(1, Math.ceil(delayMs)),
    category: 'BENIGN',
  });

/** S5: until when a class is parked after a 429, as far as this process or the ledger knows; milliseconds since 1970. */
export async function parkedUntil(runtime: AccountRuntime, rateClass: RateClass): Promise<number> {
  const status = await (await runtime.ledger()).status();
  return Math.max(status?.parked[rateClass] ?? 0, runtime.gate.parkedUntil(rateClass) ?? 0);
}

/** S5: takes a permit, or goes back to the queue until one can be had. Parks and holds of other processes count too. */
export async function takePermit(
  runtime: AccountRuntime,
  rateClass: RateClass,
  ignoreHolds = false,
  credits = 0,
): Promise<void> {
  const status = await (await runtime.ledger()).status();
  const hold = stopping(status?.holds ?? [], credits).find(({ kind }) => kind !== 'manual');
  if (hold && !ignoreHolds) throw ApplicationFailure.nonRetryable(`account on hold: ${hold.kind}`, FailureType.held);
  const until = status?.parked[rateClass] ?? 0;
  if (until > Date.now()) runtime.gate.park(rateClass, until);
  const permit = await runtime.gate.acquire(rateClass, { signal: Context.current().cancellationSignal });
  if (!permit.ok) throw bounce(`waits for its turn under the limit of ${rateClass}`, permit.retryAtMs - Date.now());
}

/** S5: after a 429. The client has parked the class in this process; the ledger parks it in all others. Answers until when. */
export async function parkClass(runtime: AccountRuntime, rateClass: RateClass): Promise<number> {
  const until = (each: RateClass) => runtime.gate.parkedUntil(each) ?? Date.now();
  const ledger = await runtime.ledger();
  for (const each of new Set([rateClass, queueClassOf(rateClass)]))
    await ledger.park(each, until(each)).catch(() => undefined);
  return until(rateClass);
}

/** Puts the account on hold when the failure is the account's and not the call's. @param needs credits of the call */
export async function reportHold(
  runtime: AccountRuntime,
  failure: Failure,
  needs?: number,
): Promise<HoldCause | undefined> {
  const cause = holdCause(failure);
  if (cause)
    await (await runtime.ledger()).reportHold({
      ...cause,
      ...(cause.kind === 'noCredits' && (needs ? { needs } : { stopsAll: true })),
    });
  return cause;
}

/** Calls a route that may be repeated (reads and repeatable writes) and returns what it read. */
export async function callRoute<N extends RouteName>(
  runtime: AccountRuntime,
  name: N,
  input: CallInput = {},
  options: { ignoreHolds?: boolean } = {},
): Promise<{ value: Reply<N>; body: unknown; status: number; serverTime?: number }> {
  await takePermit(runtime, routes[name].rateClass, options.ignoreHolds);
  const attempt = await runtime.api
    .call(name, { ...input, signal: Context.current().cancellationSignal })
    .catch((error: Error) => {
      // Nothing was sent, and trying again changes nothing: the call itself is not what the route takes.
      throw ApplicationFailure.nonRetryable(error.message, FailureType.refused, { status: 0 } satisfies Refusal);
    });
  const { serverTime } = attempt;
  if (attempt.ok) {
    const { value, body, status } = attempt;
    return { value, body, status, ...(serverTime !== undefined && { serverTime }) };
  }
  throw await asFailure(runtime, name, attempt);
}

async function asFailure(runtime: AccountRuntime, name: RouteName, attempt: Extract<Attempt<unknown>, { ok: false }>) {
  const { failure } = attempt;
  const where = `${routes[name].method} ${routes[name].path}`;
  if (failure.kind === 'rejected' && failure.status === 429) {
    const until = await parkClass(runtime, routes[name].rateClass);
    return bounce(`the service asked to wait (429) at ${where}`, until - Date.now());
  }
  const hold = await reportHold(runtime, failure);
  if (hold) return ApplicationFailure.nonRetryable(`account on hold: ${hold.kind} (${hold.reason})`, FailureType.held);
  if (failure.kind === 'rejected') {
    const { status, code, requiredTier } = failure;
    const refusal: Refusal = { status, ...(code && { code }), ...(requiredTier && { requiredTier }) };
    const names = status === 400 || status === 422 ? GUESSED_NAMES[name] : undefined;
    if (status >= 300 && status < 400)
      return ApplicationFailure.nonRetryable(
        `${where} is redirected (${status}) to another address: set baseUrl to the one that the service has now`,
        FailureType.refused,
        refusal,
      );
    const hint = names ? ` (if its parameters have other names here, set unshown.${names})` : '';
    return ApplicationFailure.nonRetryable(
      `${where} was refused${hint}: ${status}${code ? ` ${code}` : ''}`,
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
    return bounce(`the reply of ${where} cannot be read: ${failure.problem}`, tries * 1_000);
  if (failure.kind === 'unreadable')
    return ApplicationFailure.nonRetryable(
      `the reply of ${where} cannot be read: ${failure.problem}`,
      FailureType.unreadable,
    );
  const said = failure.reason === 'saysFailed' ? `answers ${where} with success: false` : undefined;
  return ApplicationFailure.nonRetryable(
    `the service ${said ?? `does not answer ${where} (${failure.reason})`}`,
    FailureType.upstream,
  );
}
