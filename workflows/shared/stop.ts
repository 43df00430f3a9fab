/** How a run ends early, from inside a step. */

/**
 * `skipped`: a cap. `refused`: by the service or the input's own rule. `unresolved`: nobody could tell.
 * `expired`: a deadline. `failed`: the service's work, or a call.
 */
export type EarlyEnd = 'skipped' | 'refused' | 'unresolved' | 'expired' | 'failed';

/** Ends the run; no failure: what was done and paid for stays in the result (S6). */
export class Stop extends Error {
  override readonly name = 'Stop';
  constructor(
    readonly outcome: EarlyEnd,
    /** A stable code. */
    readonly reason: string,
    /** What it means and what to do next, for a person. */
    readonly sentence: string,
  ) {
    super(sentence);
  }
}
