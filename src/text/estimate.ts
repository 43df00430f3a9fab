/** Estimates of how long something takes, where it cannot begin yet. Pure. */

/** The sentence behind an estimate that was made while nothing went on. @param standstill why, without a full stop */
export const countedFrom = (standstill: string | undefined): string =>
  standstill === undefined
    ? ''
    : ` Nothing goes on as this is planned, and the time counts from the end of that: ${standstill}.`;
