/**
 * Paying once: the protocol of S1–S3 as pure functions. It has two halves that trust nothing but each other's rules:
 *
 * - the open sends (`flights` in stored state), kept by the account's ledger: which attempt may send for a subject, and
 *   until when it can still have an effect (S1);
 * - the attempt plan of a run that wants one paid thing: look, send, look again, wait, ask a person (S2).
 *
 * All times are milliseconds of the Temporal server's clock (workflow time). A look's time is the moment at which it was
 * asked for, never when it returned, so a look is never taken to be fresher than it is.
 */

import { happensOnceEver } from './subject';

/** How long things can take. All milliseconds. */
export interface PayTiming {
  /** From the ledger's grant to the first byte of the request; a request that cannot make it is not sent. @default 5000 */
  readonly sendWindowMs: number;
  /** The client's time limit of a paid call. @default 210000 */
  readonly paidTimeoutMs: number;
  /** How long after a request's last possible end the service may still commit it. @default 300000 */
  readonly settlingMs: number;
}

/** The most that any of them may be. */
export const LONGEST_CALL_MS = 86_400_000;
/** By how much a look must be younger than a settlement to be trusted: the clocks' tolerance. */
export const CLOCK_TOLERANCE_MS = 2_000;
/** How long settled subjects are remembered; a look older than what is remembered must be repeated. */
export const REMEMBER_MS = 3_600_000;
/** Upper bound on remembered subjects: a little over an hour at the documented 20 writes a minute. */
const REMEMBER_MAX = 1_300;

/** One attempt that was allowed to send and is not settled. */
export interface OpenSend {
  readonly attempt: string;
  /** The run whose cap the credits count against. */
  readonly run: string;
  readonly credits: number;
  readonly grantedAt: number;
  /** From this moment on, what a look does not find has not happened and will not happen. */
  readonly overAt: number;
}

/** A subject that was settled as paid. */
export interface Settled {
  readonly subject: string;
  readonly attempt: string;
  readonly run: string;
  readonly at: number;
  /** When the attempt was granted, where that is known: from then on it may have been booked. */
  readonly grantedAt?: number | undefined;
  readonly credits: number;
  /** What was paid for (the project's ID), when known. */
  readonly ref?: string | undefined;
  /** Concluded from a look; the attempt's own reply may still correct it. */
  readonly byLook: boolean;
}

/** The ledger's half of the state. */
export interface OpenSends {
  readonly open: Readonly<Record<string, OpenSend>>;
  readonly settled: readonly Settled[];
  /** A look asked for before this cannot be trusted for any subject: what was settled then is forgotten. */
  readonly forgottenBefore: number;
}

export const noOpenSends = (forgottenBefore = 0): OpenSends => ({ open: {}, settled: [], forgottenBefore });

/** What an attempt asks the ledger just before it sends. */
export interface SendRequest {
  readonly subject: string;
  /** Unique for each execution of each activity of each run. */
  readonly attempt: string;
  readonly run: string;
  readonly credits: number;
  /** When the look was asked for that found the subject not paid. */
  readonly lookedAt: number;
  /** A person has looked: what was paid for before has come to nothing. */
  readonly again?: boolean;
}

export type AdmitAnswer =
  | { kind: 'granted'; flight: OpenSend }
  /** Another attempt may still have an effect until `overAt`. */
  | { kind: 'open'; overAt: number; attempt: string }
  /** The look is older than what the ledger remembers of this subject: look again. */
  | { kind: 'stale' }
  /**
   * It has become this, and happens once only: a look that did not find it was wrong (a list cut short, a late replica).
   * Without `ref` nobody has found out what it became.
   */
  | { kind: 'done'; ref?: string };

/** Until when what was granted at a moment can have an effect. */
export const lastEffect = (grantedAt: number, { sendWindowMs, paidTimeoutMs, settlingMs }: PayTiming): number =>
  grantedAt + sendWindowMs + paidTimeoutMs + settlingMs;

/** Nobody has looked later than now, whatever a message says. */
const noLater = (lookedAt: number, now: number): number => Math.min(lookedAt, now + CLOCK_TOLERANCE_MS);

/** May this attempt send? Asking again with the same attempt gives the same answer (updates are retried). */
export function admit(flights: OpenSends, request: SendRequest, now: number, timing: PayTiming): AdmitAnswer {
  const open = flights.open[request.subject];
  const lookedAt = noLater(request.lookedAt, now);
  if (open?.attempt === request.attempt) return { kind: 'granted', flight: open };
  // S1: one attempt, until it settles or a look made after its very last effect did not find it.
  if (open && lookedAt <= open.overAt) return { kind: 'open', overAt: open.overAt, attempt: open.attempt };
  if (lookedAt <= flights.forgottenBefore) return { kind: 'stale' };
  const settled = flights.settled.find((s) => s.subject === request.subject);
  const once = settled && happensOnceEver(request.subject) ? settled : undefined;
  if (once?.ref !== undefined) return { kind: 'done', ref: once.ref };
  if (settled && lookedAt <= settled.at + CLOCK_TOLERANCE_MS) return { kind: 'stale' };
  // S2: a look made after the payment did not find it, so it could not have recognised it.
  if (once && !request.again && (once.credits > 0 || !once.byLook)) return { kind: 'done' };
  const { attempt, run, credits } = request;
  return { kind: 'granted', flight: { attempt, run, credits, grantedAt: now, overAt: lastEffect(now, timing) } };
}

/** Records a grant. */
export const take = (flights: OpenSends, subject: string, flight: OpenSend): OpenSends => ({
  ...flights,
  open: { ...flights.open, [subject]: flight },
});

/** What became of an attempt, or what a look found of a subject. */
export type Settlement =
  /** The attempt's own reply: paid. `credits` is what the reply says was used. */
  | { kind: 'paid'; credits: number; ref?: string | undefined }
  /** The attempt's own reply or its transport: nothing happened. */
  | { kind: 'notPaid' }
  /** A look found the subject paid for. */
  | {
      kind: 'foundPaid';
      ref?: string | undefined;
      /** Credits to book when the ledger knows nothing of the subject any more, though the run had sent. */
      credits?: number | undefined;
    }
  /** A look, asked for at `lookedAt`, did not find it. */
  | { kind: 'foundNothing'; lookedAt: number }
  /** The attempt can have no effect any more, and nobody knows whether it had one: only a look from now on tells. */
  | { kind: 'over' };

/** A change of what was spent, to be booked by the ledger on the day `at` for `run`. */
export interface Booking {
  readonly subject: string;
  readonly run: string;
  readonly credits: number;
  readonly at: number;
}

/** Settles a subject. Settling twice books once; a later and better word corrects an earlier conclusion. */
export function settle(
  flights: OpenSends,
  subject: string,
  attempt: string,
  run: string,
  settlement: Settlement,
  now: number,
): { flights: OpenSends; booking?: Booking } {
  const open = flights.open[subject];
  const mine = open?.attempt === attempt ? open : undefined;
  const last = flights.settled.find((s) => s.subject === subject);
  const before = last?.attempt === attempt ? last : undefined;
  switch (settlement.kind) {
    case 'paid': {
      const { ref } = settlement;
      // What a look has found, and no attempt was known to have paid, was this one that is not known either: its server went
      // back to a backup meanwhile.
      const found = !mine && last?.byLook && last.attempt === '' && last.credits > 0 ? last : before;
      // S3: what the reply has said once is not made less by another message.
      const credits = Math.max(settlement.credits, found?.byLook === false ? found.credits : 0);
      const grantedAt = found?.grantedAt ?? mine?.grantedAt;
      const entry: Settled = {
        subject,
        attempt,
        run: found?.run ?? mine?.run ?? run,
        at: now,
        ...(grantedAt !== undefined && { grantedAt }),
        credits,
        ...(ref && { ref }),
        byLook: false,
      };
      // Also booked when the ledger does not know the attempt (it was lost meanwhile): money is never forgotten (S3).
      const difference = credits - (found?.credits ?? 0);
      return {
        flights: remember(mine ? without(flights, subject) : flights, entry, now),
        ...(difference !== 0 && { booking: { subject, run: entry.run, credits: difference, at: now } }),
      };
    }
    case 'notPaid': {
      if (mine) return { flights: without(flights, subject) };
      if (!before?.byLook) return { flights };
      if (before.credits === 0)
        return { flights: { ...flights, settled: flights.settled.filter((s) => s !== before) } };
      // Somebody else paid for it in the meantime, not this attempt: give the credits back to the books.
      const corrected: Settled = { ...before, credits: 0, byLook: false };
      return {
        flights: remember(flights, corrected, now),
        booking: { subject, run: before.run, credits: -before.credits, at: now },
      };
    }
    case 'foundPaid': {
      const known = flights.settled.some((s) => s.subject === subject && s.credits > 0);
      if (!open && (known || !settlement.credits))
        return { flights: claim(flights, subject, settlement.ref, run, now) };
      const paid = open ?? { attempt, run, credits: settlement.credits ?? 0 };
      const entry: Settled = {
        subject,
        attempt: paid.attempt,
        run: paid.run,
        at: now,
        ...(open && { grantedAt: open.grantedAt }),
        credits: paid.credits,
        ...(settlement.ref && { ref: settlement.ref }),
        byLook: true,
      };
      return {
        flights: remember(without(flights, subject), entry, now),
        booking: { subject, run: paid.run, credits: paid.credits, at: now },
      };
    }
    case 'over': {
      if (!open || now <= open.overAt) return { flights };
      // Remembered as what nothing was spent on, so that a look from before it is stale.
      const entry: Settled = { subject, attempt: open.attempt, run: open.run, at: now, credits: 0, byLook: true };
      return { flights: remember(without(flights, subject), entry, now) };
    }
    case 'foundNothing':
      return {
        flights: open && noLater(settlement.lookedAt, now) > open.overAt ? without(flights, subject) : flights,
      };
  }
}

/**
 * Notes which thing a subject became, so that no other subject takes it for its own; nothing is booked. Only the run
 * that paid may change a reference that is known already.
 */
function claim(flights: OpenSends, subject: string, ref: string | undefined, run: string, now: number): OpenSends {
  const before = flights.settled.find((s) => s.subject === subject);
  if (!ref || before?.ref === ref || (before?.ref && before.run !== run)) return flights;
  const entry = before ?? { subject, attempt: '', run: '', credits: 0, byLook: true };
  return remember(flights, { ...entry, ref, at: now }, now);
}

function without(flights: OpenSends, subject: string): OpenSends {
  const { [subject]: _, ...open } = flights.open;
  return { ...flights, open };
}

function remember(flights: OpenSends, entry: Settled, now: number): OpenSends {
  const all = [...flights.settled.filter((s) => s.subject !== entry.subject), entry];
  const kept = all.filter((s) => s.at > now - REMEMBER_MS).slice(-REMEMBER_MAX);
  // By the entries themselves: a clock that went wrong leaves them out of order.
  const remembered = new Set(kept);
  const dropped = all.filter((s) => !remembered.has(s));
  const forgottenBefore = Math.max(flights.forgottenBefore, ...dropped.map((s) => s.at + CLOCK_TOLERANCE_MS));
  return { ...flights, settled: kept, forgottenBefore };
}
