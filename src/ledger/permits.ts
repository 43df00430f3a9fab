/**
 * Permits of the limits that stand inside that of the writes (S5): so many notes in any hour, so many audits, however the
 * service counts its windows. An exact log keeps every window; a pace with a burst lets a few go at once and spreads the
 * rest, so that nobody's batch takes the whole window.
 */
import {
  admit,
  idle,
  type Limit,
  type Log,
  logAdmits,
  logEnter,
  logFits,
  type Pace,
  type PaceState,
} from '../agent-api/limiter';

/** How many go out at once after a quiet window. */
const BURST = 10;

export interface Permits {
  /** Moments at which some left or are promised to leave. */
  readonly log: Log;
  readonly pace: PaceState | null;
  /** A place in the log for each subject that was told when to come back. */
  readonly promised: Readonly<Record<string, number>>;
  /** The limit by which the last one was taken or promised. */
  readonly limit?: Limit;
}

export const noPermits: Permits = { log: [], pace: null, promised: {} };

/** The permit is taken, or there will be one at a later moment. */
export interface PermitAnswer {
  readonly at: 'now' | number;
  readonly permits: Permits;
}

/** A longer window counts as this one for what is not known of it, milliseconds. */
const LONGEST_UNKNOWN_MS = 86_400_000;

/** From when on all permits that count are known. @param lostUntil when the last that is not known left at the latest */
export const permitsKnownFrom = (lostUntil: number, { windowMs }: Limit): number =>
  lostUntil + Math.min(windowMs, LONGEST_UNKNOWN_MS) + 1;

/** How late, as a share of the window, who was promised a place may come for it and still find it. */
const GRACE = 0.01;
/** Of a short window the share is shorter than the look that comes before each try. */
const graceOf = ({ windowMs }: Limit, sendWindowMs: number): number => Math.max(windowMs * GRACE, sendWindowMs);

/**
 * Asks for the next place. Who is told a later moment keeps that place, and whoever comes after gets one behind it: a
 * hundred notes come back one by one instead of all together.
 * @param sendWindowMs how much later than its permit a request may leave
 */
export function takePermit(
  before: Permits,
  subject: string,
  now: number,
  limit: Limit,
  sendWindowMs: number,
): PermitAnswer {
  const permits = { ...before, limit };
  const graceMs = graceOf(limit, sendWindowMs);
  // Longer by all the time a request may be late, so that the limit holds for real departures too.
  const window = { max: limit.max, windowMs: limit.windowMs + graceMs + sendWindowMs };
  const promise = permits.promised[subject];
  if (promise !== undefined && promise > now) return { at: promise, permits };
  const kept = withoutLapsed(permits, now - graceMs);
  const { [subject]: mine, ...promised } = kept.promised;
  if (mine !== undefined) return { at: 'now', permits: { ...kept, promised } };
  // Who comes too late for a place of its own takes one that somebody else left, if there is one.
  if (promise !== undefined && logFits(kept.log, now, window))
    return { at: 'now', permits: { ...kept, log: logEnter(kept.log, now, now, window) } };
  const next = admit(kept.pace ?? idle, logAdmits(kept.log, now, window), paceOf(limit));
  const entered = { ...kept, log: logEnter(kept.log, next.at, now, window), pace: next.state };
  if (next.at <= now) return { at: 'now', permits: { ...entered, promised } };
  return { at: next.at, permits: { ...entered, promised: { ...promised, [subject]: next.at } } };
}

/**
 * A permit was not used: nothing has left. Its place is kept for the subject, which may come back for it, as one that was promised.
 * @param grantedAt when it was given
 * @param sendWindowMs the longest that anybody may have asked with
 */
export function permitUnused(
  permits: Permits,
  subject: string,
  grantedAt: number,
  limit: Limit,
  sendWindowMs: number,
): Permits {
  const countOf = (at: number, all: readonly number[]) => all.filter((one) => one === at).length;
  const promised = Object.values(permits.promised);
  // Its place is this one or a later one: of several the earliest, so that those which others have used count longer, not shorter.
  const place = permits.log.find(
    (at) => at >= grantedAt - graceOf(limit, sendWindowMs) && countOf(at, permits.log) > countOf(at, promised),
  );
  if (place === undefined || place > grantedAt) return permits;
  // The log keeps the limit; the pace must not keep others back for what has not left.
  const pace = permits.pace && { due: Math.max(grantedAt, permits.pace.due - limit.windowMs / limit.max) };
  return { ...permits, pace, promised: { ...permits.promised, [subject]: place } };
}

const paceOf = ({ max, windowMs }: Limit): Pace => ({ burst: Math.min(BURST, max), ratePerMs: max / windowMs });

/**
 * Without the places that are promised, or those later than a moment. Whoever was told of one asks once more then, or sooner.
 * @returns the same permits where there are none
 */
export function withoutPromises(permits: Permits, laterThan = Number.NEGATIVE_INFINITY): Permits {
  const kept = withoutPromised(permits, (at) => at > laterThan);
  return kept === permits ? permits : { ...kept, pace: null };
}

/**
 * By a clock that was set back: what has left did so before `latest`, and what is promised counts from another time.
 * @returns the same permits where nothing is later
 */
export function permitsAt(permits: Permits, latest: number): Permits {
  const departed = withoutPromises(permits);
  if (departed.log.every((at) => at <= latest)) return permits;
  // Where nothing was promised, the pace is that of the other clock, too.
  return { ...departed, pace: null, log: departed.log.map((at) => Math.min(at, latest)) };
}

/** Places that nobody came for are free again. */
const withoutLapsed = (permits: Permits, before: number): Permits => withoutPromised(permits, (at) => at < before);

function withoutPromised(permits: Permits, isGone: (at: number) => boolean): Permits {
  const all = Object.entries(permits.promised);
  const gone = all.filter(([, at]) => isGone(at)).map(([, at]) => at);
  if (gone.length === 0) return permits;
  const log = [...permits.log];
  for (const at of gone) {
    const place = log.indexOf(at);
    if (place >= 0) log.splice(place, 1);
  }
  return { ...permits, log, promised: Object.fromEntries(all.filter(([, at]) => !isGone(at))) };
}
