/** Estimates of how long something takes, where it cannot begin yet. Pure. */

/** The sentence behind an estimate that was made while nothing went on. @param standstill why, without a full stop */
export const countedFrom = (standstill: string | undefined): string =>
  standstill === undefined ? '' : ` It cannot begin now, and the time counts from when it can: ${standstill}.`;
