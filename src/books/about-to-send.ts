/** What the books are asked before a payment, and what they answer. */
import type { AdmitAnswer, OpenSend, PayTiming, SendRequest } from '../paying/open-sends';
import type { Ceilings, OverCeiling } from './ceilings';

/** What is about to be sent, and what allowed it. */
export interface AboutToSend {
  readonly request: SendRequest & { readonly runCap: number };
  /** As the ledger has granted it. */
  readonly open: OpenSend;
  readonly timing: PayTiming;
  readonly ceilings: Ceilings;
  /** How long the writing may take, milliseconds. */
  readonly withinMs: number;
}

export type Refused =
  | Exclude<AdmitAnswer, { kind: 'granted' }>
  | OverCeiling
  /** The books could not be read or written in time: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly why: string };

export const lateRefusal = { refuse: { kind: 'unwritten', why: 'the storage did not answer in time' } } as const;
