/** How a run ends early, from inside a step. */

/** `skipped`: a cap. `refused`: the service or the input's own rule said no. `unresolved`: nobody could tell. `expired`: a deadline. */
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
