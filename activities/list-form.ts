/**
 * Lists whose parameters agent-api.md does not name. A service that refuses names it does not know is asked without what
 * can be done without: first the order, then the paging. What comes back says itself how much of the list it is.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { Query } from '../src/agent-api/query';
import type { RouteName } from '../src/agent-api/routes';
import { FailureType, type Refusal } from '../src/policy/failures';
import { bounce, callRoute } from './call';
import type { AccountRuntime } from './deps';

/** How many of its optional groups of parameters a list has refused in this process. */
const refused = new WeakMap<AccountRuntime, Map<RouteName, number>>();
const AGAIN_MS = 100;

/**
 * GET one page of a list.
 * @param filter what is never left out: without it the list would be another one
 * @param optional groups of parameters; the last is left out first
 * @throws ApplicationFailure `waiting` when they are refused: Temporal tries again, with one group fewer
 */
export async function callList<N extends RouteName>(
  runtime: AccountRuntime,
  name: N,
  filter: Query,
  optional: readonly Query[],
) {
  const levels = refused.get(runtime) ?? new Map<RouteName, number>();
  refused.set(runtime, levels);
  const without = levels.get(name) ?? 0;
  const groups = optional.slice(0, Math.max(0, optional.length - without));
  try {
    return await callRoute(runtime, name, { query: Object.assign({}, filter, ...groups) });
  } catch (error) {
    if (groups.length === 0 || !refusesParameters(error)) throw error;
    levels.set(name, without + 1);
    throw bounce('the list does not take these parameters; it is asked for without some of them', AGAIN_MS);
  }
}

function refusesParameters(error: unknown): boolean {
  if (!(error instanceof ApplicationFailure) || error.type !== FailureType.refused) return false;
  const refusal = error.details?.[0] as Refusal | undefined;
  return refusal?.status === 400 || refusal?.status === 422;
}
