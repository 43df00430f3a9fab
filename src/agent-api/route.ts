/** What is known of one endpoint of the Agent API, and what most of them have in common. */
import type { z } from 'zod';
import type { RateClass } from './rate-class';
import type { Reader } from './undocumented';

/**
 * What to do when it is unknown whether a call had its effect: `resend` where a repetition changes nothing, `look` where
 * the API can be asked first (S2), `ask` where only a person can tell.
 */
export type AfterUnknown = 'resend' | 'look' | 'ask';

/** One endpoint. */
export interface Route<B = unknown, R = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base address, with `{id}` for an identifier. */
  readonly path: string;
  /** Scope a token needs: agent-api.md, "Authentication" 7. */
  readonly scope: 'none' | 'write';
  readonly rateClass: RateClass;
  /** Credits that one success costs by the document; overridable per account (`credits` in the configuration). */
  readonly credits: number;
  /** The plan it needs: agent-api.md names an audit-capable one where it shows any. */
  readonly plan: 'any' | 'audit';
  /** On the token's allowlist (v1)? `unclear` where the document contradicts itself; `session` needs a browser session. */
  readonly allowlist: 'yes' | 'no' | 'unclear' | 'session';
  readonly afterUnknown: AfterUnknown;
  /** Names of query parameters by their meaning; names that are not shown come from {@link Undocumented}. */
  readonly query?: readonly string[];
  /** It has further ones, which the document does not show: they go out as they are given. */
  readonly otherQuery?: true;
  /** The body that the document shows, checked before sending; absent where there is none. */
  readonly body?: z.ZodType<B>;
  readonly read: Reader<R>;
  /** Client-side time limit of one attempt, milliseconds. Paid calls: at least 200 s (S2). */
  readonly timeoutMs: number;
  /** One sentence for a person. */
  readonly about: string;
}

type Input<B, R> = Partial<Omit<Route<B, R>, 'method' | 'path' | 'read' | 'about'>> & {
  read: Reader<R>;
  about: string;
};

const READ_MS = 30_000;
const WRITE_MS = 60_000;
/** Of calls that are paid for. */
const PAID_MS = 210_000;

/** What an unknown outcome of this one means, for the types. */
export interface After<A extends AfterUnknown> {
  readonly afterUnknown: A;
}
/** That it costs, for the types. */
export interface Paid {
  readonly isPaid: true;
}

/** A read: no scope, 100 a minute, repeatable. */
export const get = <R>(path: string, rest: Input<never, R>): Route<never, R> & After<'resend'> => ({
  method: 'GET',
  path,
  scope: 'none',
  rateClass: 'reads',
  credits: 0,
  plan: 'any',
  allowlist: 'yes',
  timeoutMs: READ_MS,
  ...rest,
  afterUnknown: 'resend',
});

/** A write: scope `write`, 20 a minute; what an unknown outcome means must be said by each. */
export const write = <B, R, A extends AfterUnknown>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  rest: Input<B, R> & After<A>,
): Route<B, R> & After<A> => ({
  method,
  path,
  scope: 'write',
  rateClass: 'writes',
  credits: 0,
  plan: 'any',
  allowlist: 'yes',
  timeoutMs: WRITE_MS,
  ...rest,
});

/** A write that costs so many credits by the document: its effect can be looked up, and it has all the time that S2 wants. */
export const paid = <B, R>(
  method: 'POST' | 'PATCH',
  path: string,
  credits: number,
  rest: Input<B, R>,
): Route<B, R> & After<'look'> & Paid => ({
  ...write(method, path, { timeoutMs: PAID_MS, ...rest, afterUnknown: 'look' }),
  ...{ credits, isPaid: true },
});
