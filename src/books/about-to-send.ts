/** What the books are asked before a payment, and what they answer. */
import { hasLater, type Moments, momentsOf, WORDS } from '../ledger';
import {
  type AdmitAnswer,
  admit,
  lastEffect,
  type OpenSend,
  type PayTiming,
  type SendRequest,
} from '../paying/open-sends';
import { type BalanceReading, type Ceilings, type OverCeiling, overCeiling } from './ceilings';
import type { Draft } from './entry';
import type { Standing } from './standing';

/** What is about to be sent, and what allowed it. */
export interface AboutToSend {
  readonly request: SendRequest & { readonly runCap: number };
  /** As the ledger has granted it. */
  readonly open: OpenSend;
  /** When people said of hold and limits what the ledger went by; undefined where it does not tell. */
  readonly said?: Moments | undefined;
  readonly timing: PayTiming;
  readonly ceilings: Ceilings;
  /** Where a part of the balance must remain: what is left, as it was read since the call's turn came. */
  readonly reading?: BalanceReading | undefined;
  /** How long the writing may take, milliseconds. */
  readonly withinMs: number;
}

export type Refused =
  | Exclude<AdmitAnswer, { kind: 'granted' }>
  | OverCeiling
  /** A part of the balance must remain, and it was not read since the call's turn came. */
  | { readonly kind: 'unread' }
  /** People have said something later of hold or limits than the ledger knows. */
  | { readonly kind: 'behind' }
  /** The books could not be read or written: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly why: string }
  /** Not in time: nothing may be sent. */
  | { readonly kind: 'late' };

/** What is decided on what stands in the books: the next entry, or why there is none. */
export type Decision<R> = { readonly write: Draft } | { readonly refuse: R };

/** S1, S3, S8: by the books and this process's configuration alone; what the ledger has granted may only be less. */
export function mayBeSent(
  standing: Standing,
  { request, open, said, timing, ceilings, reading }: AboutToSend,
  now: number,
): Decision<Refused> {
  const { subject, run, runCap, credits: price } = request;
  const answer = admit(standing.sends, request, Math.min(open.grantedAt, now), timing);
  if (answer.kind !== 'granted') return { refuse: answer };
  if (said && hasLater(momentsOf(standing.said), said, WORDS)) return { refuse: { kind: 'behind' } };
  if (ceilings.balanceFloor > 0 && price > 0 && !reading) return { refuse: { kind: 'unread' } };
  const credits = Math.max(open.credits, standing.priceOf(subject, price));
  const overAt = Math.max(open.overAt, lastEffect(open.grantedAt, timing));
  const over = overCeiling(standing, ceilings, { subject, run, credits }, now, reading);
  if (over) return { refuse: over };
  const allowedBy = standing.allowedBy(run);
  const why = allowedBy === undefined ? {} : { allowedBy };
  return { write: { kind: 'sending', subject, runCap, ...open, credits, overAt, price, ...why } };
}

export const lateRefusal = { refuse: { kind: 'late' } } as const;
