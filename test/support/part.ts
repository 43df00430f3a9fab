/**
 * What of a suite a file runs. `stories`: all but most of its faults, for `npm test`. `faults`: the others, in the tier
 * `long`. `all`: both, in the tier `matrix`: the same faults, at a service of other shapes.
 */
export type Part = 'stories' | 'faults' | 'all';

/** Faults that differ most stand first in a suite's list: so many of them go with the stories. */
const WITH_STORIES = 3;

export const faultsOf = <T>(part: Part, faults: readonly T[]): T[] =>
  faults.slice(part === 'faults' ? WITH_STORIES : 0, part === 'stories' ? WITH_STORIES : undefined);
