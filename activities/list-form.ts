/**
 * Lists whose parameters agent-api.md does not name. A service that refuses names it does not know is asked which of them
 * it takes, once in a process: without any, then with each of those that can be done without.
 */
import type { CallInput } from '../src/agent-api/call-input';
import type { RepeatableRoute, RouteName } from '../src/agent-api/routes';
import { callRoute, endedWith } from './call';
import type { AccountRuntime } from './deps';
import { requeueAfter } from './requeue';

type Value = string | number | undefined;

/** What one list of one account is known to take. */
class Form {
  readonly #known = new Map<string, boolean>();
  /** All that it was not known to refuse were refused together: one of them is the reason. */
  #isTesting = false;

  /** Which of these to send now. A test first sends none, then the accepted ones and one that is still unknown. */
  choose(names: readonly string[]): string[] {
    const open = names.filter((name) => this.#known.get(name) !== false);
    if (!this.#isTesting) return open;
    const [unknown] = open.filter((name) => !this.#known.has(name));
    if (unknown === undefined) this.#isTesting = false;
    if (!this.#known.has('')) return [];
    return open.filter((name) => this.#known.get(name) === true || name === unknown);
  }

  /** @returns whether another choice may do */
  refused(sent: readonly string[]): boolean {
    if (sent.length === 0) return false;
    // Another call has found out meanwhile which of these it is: such a name is not chosen again.
    if (sent.some((name) => this.#known.get(name) === false)) return true;
    const unknown = sent.filter((name) => !this.#known.has(name));
    const [one] = unknown;
    if (this.#known.has('') && unknown.length === 1 && one !== undefined) this.#known.set(one, false);
    // What was taken before is refused now: there is another reason.
    else if (unknown.length === 0) return false;
    else this.#isTesting = true;
    return true;
  }

  /** @returns whether there is more to find out before the list is read */
  taken(sent: readonly string[], all: readonly string[]): boolean {
    for (const name of ['', ...sent]) this.#known.set(name, true);
    return this.#isTesting && all.some((name) => !this.#known.has(name));
  }

  without(names: readonly string[]): string[] {
    return names.filter((name) => this.#known.get(name) === false);
  }
}

const forms = new WeakMap<AccountRuntime, Map<RouteName, Form>>();
const AGAIN_MS = 100;

function formOf(runtime: AccountRuntime, name: RouteName): Form {
  const of = forms.get(runtime) ?? new Map<RouteName, Form>();
  forms.set(runtime, of);
  const form = of.get(name) ?? new Form();
  of.set(name, form);
  return form;
}

/**
 * GET one page of a list.
 * @param filter what is never left out: without it the list would be another one
 * @param optional what can be done without
 * @returns also those of `optional` that the list refuses
 * @throws ApplicationFailure `waiting` while it is found out which it takes: Temporal tries again
 */
export async function callList<N extends RepeatableRoute>(
  runtime: AccountRuntime,
  name: N,
  filter: Pick<CallInput, 'query' | 'next'>,
  optional: Readonly<Record<string, Value>>,
) {
  const form = formOf(runtime, name);
  const all = Object.keys(optional).filter((key) => optional[key] !== undefined);
  const sent = form.choose(all);
  const query = { ...filter.query, ...Object.fromEntries(sent.map((key) => [key, optional[key]])) };
  let reply: Awaited<ReturnType<typeof callRoute<N>>>;
  try {
    reply = await callRoute(runtime, name, { ...filter, query });
  } catch (error) {
    // Also where no JSON says so: to ask without them concludes nothing.
    if (!endedWith(error, 400, 422) || !form.refused(sent)) throw error;
    throw requeueAfter('the list does not take these parameters; it is found out which', AGAIN_MS);
  }
  if (form.taken(sent, all)) throw requeueAfter('it is found out which parameters the list takes', AGAIN_MS);
  return { ...reply, refused: form.without(all) };
}
