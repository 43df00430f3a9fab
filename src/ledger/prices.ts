/**
 * S3: what calls really cost. A reply that says more than is configured makes every further reservation as large, those of
 * the calls under way too: caps are exact at the known price, and the first dearer reply exceeds them by the calls then in
 * flight at most. A later reply that says less lowers it again, never below the configured price.
 */
import { type PaidKind, paidKinds } from '../paying/once-only';
import type { OpenSends } from '../paying/open-sends';
import { paidKindOf } from '../paying/subject';
import type { LedgerState, Price } from './state';

/** A call that is about to be made. */
export interface PricedCall {
  readonly subject: string;
  /** What it costs by the configuration of who asks. */
  readonly credits: number;
}

/** What is reserved for a call that costs so much by the configuration. A free call stays one. */
export function reservation({ prices }: LedgerState, subject: string, configured: number): number {
  const kind = paidKindOf(subject);
  return configured === 0 || !kind ? configured : Math.max(configured, prices[kind]?.real ?? 0);
}

/** A call is sent that costs so much by the configuration. */
export function noteConfigured(prices: LedgerState['prices'], subject: string, configured: number) {
  const kind = paidKindOf(subject);
  const known = kind && prices[kind];
  return known && configured > 0 ? { ...prices, [kind]: { ...known, configured } } : prices;
}

/** A reply says what the call cost. @param reserved what was reserved for it; absent where that is not known any more */
export function learnPrice(
  state: LedgerState,
  subject: string,
  real: number,
  reserved: number | undefined,
  now: number,
): LedgerState {
  const kind = paidKindOf(subject);
  if (!kind || reserved === 0) return state;
  const configured = state.prices[kind]?.configured ?? reserved ?? real;
  return {
    ...state,
    prices: { ...state.prices, [kind]: { real, at: now, configured } },
    flights: { ...state.flights, open: atLeast(state.flights.open, kind, real) },
  };
}

/** Calls of a kind that are under way: at least so many credits are reserved for each that costs. */
function atLeast(open: OpenSends['open'], kind: PaidKind, real: number): OpenSends['open'] {
  const all = Object.entries(open).map(([subject, send]) => {
    const isDearer = paidKindOf(subject) === kind && send.credits > 0 && send.credits < real;
    return [subject, isDearer ? { ...send, credits: real } : send] as const;
  });
  return Object.fromEntries(all);
}

/** The same for the books in the storage: what is reserved in them is not less than what the ledger reserves. */
export function reservedAnew(sends: OpenSends, subject: string, real: number, reserved: number | undefined): OpenSends {
  const kind = paidKindOf(subject);
  return !kind || reserved === 0 ? sends : { ...sends, open: atLeast(sends.open, kind, real) };
}

export interface Dearer extends Price {
  readonly kind: PaidKind;
}

/** What costs more than is configured. */
export const dearer = ({ prices }: LedgerState): Dearer[] =>
  paidKinds.flatMap((kind) => {
    const price = prices[kind];
    return price && price.real > price.configured ? [{ kind, ...price }] : [];
  });
