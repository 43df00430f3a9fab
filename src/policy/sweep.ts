/** Which captures a sweep reprocesses. Pure, and without a memory: what a capture says of itself is enough. */
import type { Capture } from '../agent-api/records';

/** Milliseconds. */
export interface SweepRules {
  /** How long a capture may stay in `pending` or `processing`. */
  readonly stuckAfter: number;
  /** The age at which a capture that still fails is left to a person. */
  readonly giveUpAfter: number;
}

/** `tooSoon`: at a later sweep. `givenUp`: never again by itself. `undated`: it does not say since when. */
export type SweepVerdict = 'due' | 'tooSoon' | 'givenUp' | 'undated';

/**
 * What to do with a capture; undefined for one that is neither failed nor stuck. A capture waits at least as long after a
 * failure as it was old when it failed, so the tries on one that never succeeds come at 1, 2, 4, 8… times its first age,
 * however often and by however many sweeps it is seen, and none comes after `giveUpAfter`.
 * @param now by the service's own clock
 */
export function verdictOn(capture: Capture, now: number, rules: SweepRules): SweepVerdict | undefined {
  const created = Date.parse(capture.createdAt ?? capture.capturedAt ?? '');
  const changed = Date.parse(capture.updatedAt ?? '');
  const failed = capture.status === 'failed';
  if (Number.isNaN(created) || Number.isNaN(changed)) return failed ? 'undated' : undefined;
  const since = now - changed;
  if (!failed && since < rules.stuckAfter) return undefined;
  const age = changed - created;
  if (age > rules.giveUpAfter) return 'givenUp';
  return since < age ? 'tooSoon' : 'due';
}
