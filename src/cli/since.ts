/** The options `--since` and `--until`: of which time something is told. */
import { Since } from '../inputs/fields';
import { EXIT, Exit } from './exit';

/** Milliseconds since 1970. */
export interface Period {
  /** @default 0, the beginning */
  readonly since: number;
  /** The first moment that is not in it. @default infinity */
  readonly until: number;
}

export const ALL_TIME: Period = { since: 0, until: Number.POSITIVE_INFINITY };

export const isIn = ({ since, until }: Period, at: number): boolean => at >= since && at < until;

/** As the options give it. @throws Exit for what is no moment, and for an end before the beginning */
export function periodOf(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  now: number,
): Period {
  const period = {
    since: since === undefined ? ALL_TIME.since : startOf(since, now),
    until: until === undefined ? ALL_TIME.until : momentOf('--until', until, now),
  };
  if (period.until <= period.since) throw new Exit(EXIT.badInput, '--until: give a moment after that of --since');
  return period;
}

/** @returns milliseconds since 1970 @throws Exit for what is no moment before now */
export function startOf(text: string, now: number): number {
  const since = momentOf('--since', text, now);
  if (since >= now) throw new Exit(EXIT.badInput, '--since lies in the future; give a moment before now');
  return since;
}

function momentOf(option: string, text: string, now: number): number {
  const parsed = Since.safeParse(text);
  if (!parsed.success)
    throw new Exit(
      EXIT.badInput,
      `${option}: give a duration back from now such as 30d, a date such as 2026-01-31, or a date-time with its zone such as 2026-01-31T08:00:00Z`,
    );
  return 'at' in parsed.data ? parsed.data.at : now - parsed.data.agoMs;
}
