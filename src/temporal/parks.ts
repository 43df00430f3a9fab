/** S5: the service's pauses (429), as this process hears of them from the ledger and tells of them. */
import { ApplicationFailure } from '@temporalio/common';
import type { Gate } from '../agent-api/gate';
import { type RateClass, rateClasses } from '../agent-api/rate-class';
import { parkedMs } from '../ledger';
import type { Passage } from '../ledger/passage';
import { FailureType } from '../runs/failure-types';

/** A longer pause is told to the workflow, which says so (S7): of what Temporal repeats by itself nobody sees why. */
export const SAY_PARKED_MS = 5_000;

/** How long the class is parked in this process, milliseconds; the gate keeps moments of this machine's clock. */
export const parkedIn = (gate: Gate, rateClass: RateClass): number => {
  const until = gate.parkedUntil(rateClass);
  return until === undefined ? 0 : Math.max(0, until - Date.now());
};

/**
 * What the ledger has parked is parked in this process, which may not hear from it next time, and what a person has ended
 * there ends here, too.
 * @param now the ledger's time
 */
export function heedParks(gate: Gate, heard: Pick<Passage, 'parked' | 'parksEndedAt'>, now: number): void {
  if (!gate.parksEnded(heard.parksEndedAt ?? 0)) return;
  for (const rateClass of rateClasses) {
    const forMs = parkedMs(heard, rateClass, now);
    if (forMs > 0) gate.park(rateClass, Date.now() + forMs);
  }
}

/** A pause that the run says and waits for; a duration, since the machine of the workflow may have another time. */
export const parkedFailure = (rateClass: RateClass, forMs: number): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`The service asked to wait (429): ${rateClass}`, FailureType.parked, forMs);

/** @returns undefined for any other failure */
export function pauseOf(error: unknown): number | undefined {
  if (!(error instanceof ApplicationFailure) || error.type !== FailureType.parked) return undefined;
  const [forMs] = error.details ?? [];
  return typeof forMs === 'number' ? forMs : 0;
}
