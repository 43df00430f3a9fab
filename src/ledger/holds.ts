/** What stops an account and what lets it go on: holds, parks, and the balance that the service tells. */
import { noteReading } from './balance';
import type { Hold, HoldKind, LedgerState } from './state';

/** A balance that looks sufficient and was refused all the same is tried again after this. */
const RETRY_CREDITS_MS = 600_000;
/** What may be parked: a `Retry-After` of a day, and a window after it. */
export const LONGEST_PARK_MS = 2 * 86_400_000;

/** Puts the account on hold, once per kind; one that a free call met as well stops free calls too. */
export function hold(state: LedgerState, added: Hold): LedgerState {
  const present = state.holds.find(({ kind }) => kind === added.kind);
  if (!present) return { ...state, holds: [...state.holds, added] };
  if (!added.stopsAll || present.stopsAll) return state;
  return { ...state, holds: state.holds.map((one) => (one === present ? { ...one, stopsAll: true } : one)) };
}

/**
 * The holds that stop a call which costs so many credits: a lack of credits, and one in the books, stop what costs, and free
 * calls if one met it.
 */
export const stopping = <H extends { readonly kind: HoldKind; readonly stopsAll?: true | undefined }>(
  holds: readonly H[],
  credits: number,
): H[] => holds.filter(({ kind, stopsAll }) => (kind !== 'noCredits' && kind !== 'books') || credits > 0 || stopsAll);

export const release = (state: LedgerState, ...kinds: HoldKind[]): LedgerState => ({
  ...state,
  holds: state.holds.filter((h) => !kinds.includes(h.kind)),
});

/** The account's token is another user's now: what it or the kill switch held is dropped, and probing stops. */
export const rest = (state: LedgerState, now: number): LedgerState => ({
  ...release(state, 'killSwitch', 'token', 'otherUser'),
  restingSince: state.restingSince ?? now,
});

/** A worker uses this ledger: it is asked after again. */
export const wake = (state: LedgerState): LedgerState =>
  state.restingSince === undefined ? state : { ...state, restingSince: undefined };

/** A 429 parks its class; a longer park stands. */
export function park(state: LedgerState, rateClass: string, until: number, now: number): LedgerState {
  const present = Object.entries(state.parked).filter(([, ends]) => ends > now);
  return {
    ...state,
    parked: { ...Object.fromEntries(present), [rateClass]: Math.max(until, state.parked[rateClass] ?? 0) },
  };
}

/** A balance was read, by a question of `askedAt`: it tells what is left, and ends the hold for lack of credits. */
export function readBalance(state: LedgerState, amount: number, askedAt: number, now: number): LedgerState {
  const holds = state.holds.flatMap((one) => {
    if (one.kind !== 'noCredits') return [one];
    // The hold was lifted at this very balance before, and came back: wait before lifting it again.
    const again = state.creditsTried?.amount === amount ? state.creditsTried.at + RETRY_CREDITS_MS : 0;
    if (amount < (one.needs ?? 0)) return [{ ...one, retry: undefined }];
    return again > now ? [{ ...one, retry: { at: again, why: 'refused' } as const }] : [];
  });
  const lifted = holds.length < state.holds.length;
  return {
    ...state,
    ...noteReading(state, amount, askedAt, now),
    unreadable: undefined,
    holds,
    ...(lifted && { creditsTried: { amount, at: now } }),
  };
}

/** Of what is wrong with a reply, characters that are kept. */
const LONGEST_PROBLEM = 500;

/** The service answered without a readable balance: a hold for lack of credits is lifted after a while, as a try. */
export const answeredWithoutBalance = (state: LedgerState, problem: string, now: number): LedgerState => ({
  ...state,
  unreadable: { since: state.unreadable?.since ?? now, problem: problem.slice(0, LONGEST_PROBLEM) },
  holds: state.holds.flatMap((one) => {
    if (one.kind !== 'noCredits') return [one];
    const again = one.since + RETRY_CREDITS_MS;
    return again > now ? [{ ...one, retry: { at: again, why: 'unreadable' } as const }] : [];
  }),
});
