/** What spent credits are summed up by, and the options that say so. */
import { InvalidArgumentError } from 'commander';

/** `person`: on whose word was paid. */
export const SUMMED_BY = ['day', 'month', 'run', 'subject', 'person'] as const;
export type SummedBy = (typeof SUMMED_BY)[number];

export const SUMMED_BY_HELP = 'how it is summed up; person: on whose word was paid';
export const SINCE_HELP = 'from when on: back from now such as 30d, a date, or 2026-01-31T08:00:00Z';
export const LIMIT_HELP =
  'at most so many sums: of days and months the last, else the largest (default: 50, of days and months all)';

/** Most sums or acts that are told at once. */
const MOST = 10_000;

export function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1) throw new InvalidArgumentError('not a whole number from 1 on');
  return value;
}

/** A limit, which has an upper bound: the rest is what `books export` is for. */
export function limit(text: string): number {
  const value = count(text);
  if (value > MOST) throw new InvalidArgumentError(`more than ${MOST}: \`books export\` gives all`);
  return value;
}
