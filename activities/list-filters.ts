/**
 * S3: a filter that was asked for is checked on what comes back. The names of the parameters are guesses, and a service that
 * does not know one leaves it out without a word: then the list is another one, and whoever pays for it pays for the wrong.
 */
import { ApplicationFailure } from '@temporalio/common';
import { isSameId } from '../src/agent-api/id';
import { FailureType } from '../src/runs/failure-types';
import { callRoute, refusedWith } from './call';
import type { AccountRuntime } from './deps';

/** A filter by an identifier. */
export interface IdFilter<T> {
  readonly route: 'leads.list' | 'captures.list';
  /** Its meaning in the table of routes, and the setting that has its name on the wire. */
  readonly parameter: 'surveyLink' | 'project';
  readonly setting: string;
  readonly wanted: string;
  /** What a record shows of it. */
  shown(record: T): string | null | undefined;
}

/** An identifier that nothing has: a list that is filtered by it is empty. */
const NOTHING = 'f3b1c6de-7a94-4b0e-9d55-0a2c8e61b7f9';

/** Filters that are known to be applied, by account. */
const applied = new WeakMap<AccountRuntime, Set<string>>();

/**
 * Every record shows what was asked for; where some do not show it, the list is asked once for what nobody has.
 * @throws ApplicationFailure `WrongGuess` when the list was not filtered; nothing is paid for
 */
export async function checkFilter<T>(
  runtime: AccountRuntime,
  filter: IdFilter<T>,
  records: readonly T[],
): Promise<void> {
  const { route, parameter, setting, wanted, shown } = filter;
  if (records.some((record) => isOther(shown(record), wanted))) throw ignored(setting);
  if (records.every((record) => shown(record))) return;
  const known = applied.get(runtime) ?? new Set<string>();
  applied.set(runtime, known);
  if (known.has(parameter)) return;
  try {
    const { value } = await callRoute(runtime, route, { query: { [parameter]: NOTHING } });
    if (value.items.length > 0) throw ignored(setting);
  } catch (error) {
    // It knows the parameter, and that there is no such thing.
    if (!refusedWith(error, 400, 404, 422)) throw error;
  }
  known.add(parameter);
}

const isOther = (id: string | null | undefined, wanted: string): boolean => Boolean(id) && !isSameId(id ?? '', wanted);

const ignored = (setting: string) =>
  ApplicationFailure.nonRetryable(
    `the list is not filtered as it was asked to be: the service does not know the parameter by this name; set ${setting} to the name that it has there. Nothing was begun`,
    FailureType.wrongGuess,
  );
