/**
 * Calls whose body the document does not show. A service that refuses a form has done nothing, so the next form may be sent;
 * which one it takes is remembered in this process.
 */
import type { CallInput } from '../src/agent-api/call-input';
import type { RouteName } from '../src/agent-api/routes';
import type { SendOutcome } from '../src/paying/attempt-plan';
import type { AccountRuntime } from './deps';
import { type OnceCall, sendOnce } from './send-once';

/** What services answer to a body that they cannot read, or to none. */
const FORM_REFUSED = [400, 411, 415, 422];

/** The form to begin with, by account and route. */
const begins = new WeakMap<AccountRuntime, Map<RouteName, number>>();

/** @param forms of the input, the likeliest first; each is made when it is sent */
export async function sendInForms<N extends RouteName>(
  runtime: AccountRuntime,
  call: Omit<OnceCall<N>, 'input'>,
  forms: readonly (() => CallInput)[],
): Promise<SendOutcome> {
  const known = begins.get(runtime) ?? new Map<RouteName, number>();
  begins.set(runtime, known);
  const first = known.get(call.route) ?? 0;
  for (let tried = 0; ; tried++) {
    const at = (first + tried) % forms.length;
    const form = forms[at];
    if (form === undefined) throw new TypeError('a call has at least one form');
    // Set before: waiting for a permit begins the activity anew, and must not send the refused form again.
    known.set(call.route, at);
    const outcome = await sendOnce(runtime, { ...call, input: form() });
    const isRefused = outcome.kind === 'refused' && FORM_REFUSED.includes(outcome.status ?? 0);
    if (isRefused && tried + 1 < forms.length) continue;
    // None of them was taken: it is not the form.
    if (isRefused) known.set(call.route, 0);
    return outcome;
  }
}
