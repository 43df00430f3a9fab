/** Which captures a sweep reprocesses. Pure; what earlier sweeps saw of a capture is handed in. */
import type { Capture } from '../agent-api/records';

/** Milliseconds. */
export interface SweepRules {
  /** How long a capture may stay in `pending` or `processing`. */
  readonly stuckAfter: number;
  /** How long after the first failure that was seen a capture that still fails is left to a person. */
  readonly giveUpAfter: number;
}

/** A capture that failed or is stuck. Moments are milliseconds by the service's own clock. */
export interface Troubled {
  readonly id: string;
  readonly status: string;
  /** Since when it is as it is; absent where the service does not say. */
  readonly changed?: number;
  /** When it was looked at. */
  readonly now: number;
}

/**
 * What sweeps remember of a capture: since when it fails, when they saw it last, when they saw it before they last had it
 * extracted again, and whether it was given up.
 */
export interface Remembered {
  readonly since: number;
  readonly seen: number;
  readonly triedAt?: number | undefined;
  readonly givenUp?: boolean | undefined;
}

/** `tooSoon`: at a later sweep. `givenUp`: never again by itself. `undated`: it does not say since when. */
export type SweepVerdict = 'due' | 'tooSoon' | 'givenUp' | 'undated';

/** Undefined for a capture that is neither failed nor stuck, or does not say. */
export function troubleOf(capture: Capture, now: number, stuckAfter: number): Troubled | undefined {
  const { id, status } = capture;
  if (!status) return undefined;
  const changed = Date.parse(capture.updatedAt ?? '');
  if (Number.isNaN(changed)) return status === 'failed' ? { id, status, now } : undefined;
  return status === 'failed' || now - changed >= stuckAfter ? { id, status, changed, now } : undefined;
}

/**
 * What to do with a capture, and what to remember of it. The first failure that is seen is due at once, however old the
 * capture is. After that it waits at least as long after a failure as it had been failing then, so the tries on one that
 * never succeeds come at distances that double, however often and by however many sweeps it is seen, and none but the first
 * comes after `giveUpAfter`. A try counts as a failure of its time where the service does not say when it failed again.
 */
export function judge(
  { status, changed, now }: Troubled,
  known: Remembered | undefined,
  { stuckAfter, giveUpAfter }: SweepRules,
): { verdict: SweepVerdict; remembered?: Remembered } {
  if (changed === undefined) return { verdict: 'undated' };
  // One that was well in between, and failed anew long after it was last seen, begins anew.
  const before = known && changed <= known.seen + stuckAfter ? known : undefined;
  const { since, triedAt } = before ?? { since: changed, triedAt: undefined };
  const lastFailed = Math.max(changed, triedAt ?? changed);
  const remembered = { since, seen: now, ...(triedAt !== undefined && { triedAt }) };
  // It is at work, and the service says of its time nothing new.
  if (status !== 'failed' && triedAt !== undefined && now - triedAt < stuckAfter)
    return { verdict: 'tooSoon', remembered };
  const failingFor = lastFailed - since;
  if (failingFor > 0 && now - since > giveUpAfter)
    return { verdict: 'givenUp', remembered: { ...remembered, givenUp: true } };
  // Of the first failure the service's clock may say that it is yet to come: it is read in whole seconds.
  const tooSoon = failingFor > 0 && now - lastFailed < failingFor;
  return { verdict: tooSoon ? 'tooSoon' : 'due', remembered };
}

/** It was extracted again after it was last seen. By the service's own clock, which is known for that moment. */
export const tried = (known: Remembered): Remembered => ({ ...known, triedAt: known.seen });

/** Whether something is worth remembering still: a capture that nobody saw for long is well, or gone. */
export const isRecent = ({ seen }: Remembered, now: number, { giveUpAfter }: SweepRules): boolean =>
  now - seen <= 2 * giveUpAfter;
