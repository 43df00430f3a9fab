/** Scores as a service sends them. Pure. */

/** 'outOfRange' instead of a guess at the scale: taking 850 for 100 would spend credits on it. */
export type Score = number | 'outOfRange' | undefined;

/** A score as the service may send it: a number or a string of one. Anything else is no score. */
export function readScore(value: unknown): Score {
  const score = typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof score !== 'number' || !Number.isFinite(score)) return undefined;
  return score >= 0 && score <= 100 ? score : 'outOfRange';
}
