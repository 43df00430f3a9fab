/**
 * The run's half of paying once (S2): what a run that wants one paid thing does next, as a pure function of what happened
 * so far. Convert, create and note use it alike; the ledger's half is in `open-sends.ts`.
 */

import { CLOCK_TOLERANCE_MS } from './open-sends';

/** What one try to send came back with. */
export type SendOutcome =
  /** Paid for. `ref` is missing when the reply could not be read: the money is spent all the same (S3). */
  | { kind: 'paid'; credits: number; ref?: string }
  /** Nobody knows, for a reason in our own words. Until `overAt` it may still happen. */
  | { kind: 'unknown'; overAt: number; why?: string }
  /** The service refused and nothing happened; a look explains why. */
  | { kind: 'refused'; reason: string; status?: number }
  /** The request never left: for a reason of the client's or one of `sendOnce`. */
  | { kind: 'notSent'; reason: string }
  /** 429: nothing happened; the whole class is parked. */
  | { kind: 'throttled'; retryAt: number }
  /** The ledger: another attempt may still have an effect; with `newBooks` it does not know of any, for it is new. */
  | { kind: 'open'; overAt: number; newBooks?: true }
  /** The ledger: it has happened already, whatever the look says. `ref` is missing where nobody knows what it became. */
  | { kind: 'done'; ref?: string }
  /** The ledger: the look is too old. */
  | { kind: 'stale' }
  /** The ledger or the service: the account is on hold. */
  | { kind: 'held' }
  /** The ledger: a cap stands in the way of so many credits; `until` when it ends by itself. */
  | { kind: 'capped'; cap: 'run' | 'day' | 'month' | 'floor'; credits?: number; until?: number }
  /** The run, or the one for which it was begun, is over or being cancelled: nothing was sent, and nothing is to be. */
  | { kind: 'withdrawn' };

/** What one try came back with, of a run that goes on. */
export type Sent = Exclude<SendOutcome, { kind: 'withdrawn' }>;

/** What a look came back with. */
export type LookOutcome = 'found' | 'notFound' | 'cannotTell';

export type AttemptEvent =
  | { type: 'looked'; askedAt: number; found: LookOutcome }
  | { type: 'sent'; outcome: Sent }
  | { type: 'decided'; decision: PersonDecision };

/** What a person may answer when the run cannot tell. */
export type PersonDecision = 'sendAgain' | 'itHappened' | 'giveUp';

export type Step =
  | { do: 'look'; notBefore: number; why: 'first' | 'stale' | 'settling' | 'explain' }
  /** `reason`: why the last try never left. */
  | { do: 'look'; notBefore: number; why: 'unsent'; reason: string }
  /** `again`: a person says so, who has looked. */
  | { do: 'send'; lookedAt: number; notBefore: number; again?: true }
  | { do: 'awaitHold' }
  | { do: 'awaitBudget'; cap: 'day' | 'month' | 'floor'; credits?: number; until?: number }
  | { do: 'ask'; why: 'cannotTell' | 'unknownTwice' | 'paidBefore' }
  | { do: 'end'; how: 'paid' | 'foundPaid' | 'alreadyDone' | 'overRunCap' | 'gaveUp'; credits?: number; ref?: string }
  | { do: 'end'; how: 'refused'; reason: string };

export interface AttemptPlan {
  readonly step: Step;
  /** Sends of this run whose outcome stayed unknown. */
  readonly unknowns: number;
  /** Why that of the last one did, in our own words. */
  readonly doubt?: string;
  /** While set, an attempt (ours or another run's) may still have an effect. */
  readonly overAt?: number;
  /** The open attempt is this run's own: then what a look finds was paid for by us. */
  readonly ours: boolean;
  /** Looks since the outcome became unknown, and tries since the service was last reached. */
  readonly looks: number;
  readonly failures: number;
  /** Tries in a row that the ledger refused since it took the look for too old. */
  readonly stales?: number;
  /** A refusal that the next look explains. */
  readonly refusal?: string;
  /** A person wants it sent, whatever a look cannot tell; holds for one attempt. */
  readonly insisted?: true;
}

/** One automatic resend; then a person decides. */
const MAX_UNKNOWN = 2;
const MAX_BACKOFF_MS = 600_000;
/** A look that is so much younger than what was settled is believed. */
const JUST_SETTLED_MS = CLOCK_TOLERANCE_MS + 500;

export const start = (now: number): AttemptPlan => ({
  step: { do: 'look', notBefore: now, why: 'first' },
  unknowns: 0,
  ours: false,
  looks: 0,
  failures: 0,
});

/** The next step. @param settlingMs sets the rhythm of the looks while it is open what became of a request. */
export function advance(plan: AttemptPlan, event: AttemptEvent, now: number, settlingMs: number): AttemptPlan {
  if (event.type === 'looked') return afterLook(plan, event, now, settlingMs);
  if (event.type === 'decided') return afterDecision(plan, event.decision, now);
  return afterSend(plan, event.outcome, now, settlingMs);
}

function afterLook(
  plan: AttemptPlan,
  look: { askedAt: number; found: LookOutcome },
  now: number,
  settlingMs: number,
): AttemptPlan {
  // A run with a send of unknown outcome pays for what it finds, even if that may be somebody else's: the safe side.
  if (look.found === 'found') return end(plan, plan.ours || plan.unknowns > 0 ? 'foundPaid' : 'alreadyDone');
  // While it may still happen nothing is sent anyway: another look may tell, and nobody need be asked.
  if (plan.overAt !== undefined && look.askedAt <= plan.overAt) return lookLater(plan, plan.overAt, now, settlingMs);
  if (look.found === 'cannotTell' && !plan.insisted) return { ...plan, step: { do: 'ask', why: 'cannotTell' } };
  if (plan.refusal !== undefined) {
    const { refusal, ...rest } = plan;
    // An earlier send of ours may be what the service refuses to repeat, and the look may lag behind.
    if (plan.unknowns > 0) return { ...rest, step: { do: 'ask', why: 'cannotTell' } };
    return { ...plan, step: { do: 'end', how: 'refused', reason: refusal } };
  }
  if (plan.unknowns >= MAX_UNKNOWN) return { ...settled(plan), step: { do: 'ask', why: 'unknownTwice' } };
  const again = plan.insisted && { again: true as const };
  return { ...settled(plan), step: { do: 'send', lookedAt: look.askedAt, notBefore: now, ...again } };
}

function afterSend(plan: AttemptPlan, outcome: Sent, now: number, settlingMs: number): AttemptPlan {
  const { stales = 0, ...others } = plan;
  const reached = { ...others, failures: 0 };
  switch (outcome.kind) {
    case 'paid':
      return {
        ...reached,
        step: { do: 'end', how: 'paid', credits: outcome.credits, ...(outcome.ref && { ref: outcome.ref }) },
      };
    case 'unknown': {
      const { insisted: _, doubt: __, ...rest } = reached;
      const unknowns = plan.unknowns + 1;
      const doubt = outcome.why !== undefined && { doubt: outcome.why };
      return look({ ...rest, ...doubt, unknowns, overAt: outcome.overAt, ours: true, looks: 0 }, now, 'settling');
    }
    case 'open':
      return look({ ...reached, overAt: outcome.overAt, looks: 0 }, now, 'settling');
    case 'refused':
      return look({ ...reached, refusal: outcome.reason }, now, 'explain');
    case 'done':
      if (outcome.ref === undefined) return { ...reached, step: { do: 'ask', why: 'paidBefore' } };
      return { ...reached, step: { do: 'end', how: 'alreadyDone', ref: outcome.ref } };
    case 'stale': {
      // The first look was old; the second may have come just when another run had settled it; else a clock was set back.
      const waitMs = [0, JUST_SETTLED_MS][stales] ?? backoff(stales - 1, settlingMs);
      return { ...reached, stales: stales + 1, step: { do: 'look', notBefore: now + waitMs, why: 'stale' } };
    }
    case 'throttled': {
      // Never sooner than the service says; later when it says so again and again.
      const again = plan.failures === 0 ? 0 : backoff(plan.failures, settlingMs);
      const notBefore = Math.max(outcome.retryAt, now + again);
      return { ...others, failures: plan.failures + 1, step: { do: 'look', notBefore, why: 'stale' } };
    }
    case 'notSent': {
      const notBefore = now + backoff(plan.failures, settlingMs);
      const step = { do: 'look', notBefore, why: 'unsent', reason: outcome.reason } as const;
      return { ...others, failures: plan.failures + 1, step };
    }
    case 'held':
      return { ...reached, step: { do: 'awaitHold' } };
    case 'capped': {
      const { cap, credits, until } = outcome;
      if (cap === 'run') return end(reached, 'overRunCap');
      return { ...reached, step: { do: 'awaitBudget', cap, ...(credits && { credits }), ...(until && { until }) } };
    }
  }
}

function afterDecision(plan: AttemptPlan, decision: PersonDecision, now: number): AttemptPlan {
  if (decision === 'giveUp') return end(plan, 'gaveUp');
  if (decision === 'itHappened') return end(plan, plan.unknowns > 0 ? 'foundPaid' : 'alreadyDone');
  return look({ ...plan, unknowns: Math.min(plan.unknowns, MAX_UNKNOWN - 1), insisted: true }, now, 'first');
}

/** After a hold or a cap has gone: look again, since the wait may have been long. */
export const resume = (plan: AttemptPlan, now: number): AttemptPlan => look(plan, now, 'stale');

const backoff = (failures: number, settlingMs: number): number =>
  Math.min(MAX_BACKOFF_MS, (settlingMs / 60) * 2 ** Math.min(failures, 10));

const look = (plan: AttemptPlan, now: number, why: 'first' | 'stale' | 'settling' | 'explain'): AttemptPlan => ({
  ...plan,
  step: { do: 'look', notBefore: now, why },
});

const end = (plan: AttemptPlan, how: 'foundPaid' | 'alreadyDone' | 'overRunCap' | 'gaveUp'): AttemptPlan => ({
  ...plan,
  step: { do: 'end', how },
});

function settled(plan: AttemptPlan): AttemptPlan {
  const { overAt: _, ...rest } = plan;
  return { ...rest, ours: false, looks: 0 };
}

/** Looks that may end the wait early come soon first, then thrice as late each time; the last one settles it. */
function lookLater(plan: AttemptPlan, overAt: number, now: number, settlingMs: number): AttemptPlan {
  const next = now + (settlingMs / 60) * 3 ** plan.looks;
  return {
    ...plan,
    looks: plan.looks + 1,
    step: { do: 'look', notBefore: Math.min(next, Math.max(overAt + 1, now)), why: 'settling' },
  };
}
