/**
 * S5: when requests of one class leave, over all processes. The queues of a Temporal server let through more or fewer than they
 * should where they have several partitions, after a restart, or where nobody may limit them: so whoever is about to send
 * asks here for its turn. An exact log of the latest possible departures keeps every window; a pace with a small burst
 * spreads the requests, and catches up after a stall.
 */
import {
  admit,
  idle,
  type Limit,
  type Log,
  logAdmits,
  logEnter,
  type Pace,
  type PaceState,
} from '../agent-api/limiter';

/** The share of a window that may leave at once after a stall or a quiet time. */
const BURST = 1 / 4;
/** A request leaves so many milliseconds after its turn at most, whoever asks: until then it takes the place of another. */
export const LATEST_MS = 60_000;
/** A call waits so long in its process, milliseconds; see `activities/turn.ts`. */
export const SOON_MS = 2_000;
/** Of each class; a higher limit is taken for this one, so that a log has a bounded length. */
const MOST = 5_000;

/** What a process asks with. */
export interface TurnAsked {
  readonly limit: Limit;
  /** The request leaves so many milliseconds after its turn at most, or not at all. */
  readonly withinMs: number;
}

/** What became of a turn. */
export interface TurnUsed extends TurnAsked {
  /** How long after the question the request left, milliseconds; absent where it did not. */
  readonly afterMs?: number | undefined;
}

export interface Turns {
  /** When each request left at the latest. */
  readonly log: Log;
  readonly pace: PaceState | null;
  /** The last moment at which somebody was told to come back. */
  readonly told: number;
  /** The longest window that anybody asked with, milliseconds: so long a departure is remembered, whoever asks next. */
  readonly keptMs: number;
}

export const noTurns: Turns = { log: [], pace: null, told: 0, keptMs: 0 };

/** The service counts arrivals, and one request is longer on its way than another: by this share of a window. */
const ON_THE_WAY = 1 / 200;

const counted = ({ max, windowMs }: Limit): Limit => ({
  max: Math.min(max, MOST),
  windowMs: windowMs * (1 + ON_THE_WAY),
});

/**
 * Whoever comes when there is room goes: a place that was kept for somebody would be lost, since a call that goes back to its
 * queue stands behind all others there.
 * @returns now, or when to ask again: not all at once
 */
export function takeTurn(
  { log, pace, told, keptMs }: Turns,
  now: number,
  { limit, withinMs }: TurnAsked,
): { readonly at: 'now' | number; readonly turns: Turns } {
  // Whatever somebody else asked with, nobody is kept for longer than a window of its own.
  const due = Math.min(pace?.due ?? idle.due, now + limit.windowMs);
  const paced = admit({ due }, now, paceOf(limit));
  // The one before may have left at its latest, and this one leaves at once.
  const next = Math.ceil(Math.max(paced.at, logAdmits(log, now, counted(limit))));
  if (next <= now) {
    const kept = { max: MOST, windowMs: Math.max(keptMs, counted(limit).windowMs) };
    const entered = logEnter(log, now + withinMs, now, kept).slice(-MOST);
    return { at: 'now', turns: { log: entered, pace: paced.state, told, keptMs: kept.windowMs } };
  }
  const isTold = told >= next && told < next + limit.windowMs;
  // Whoever need not go back to its queue waits for that very moment, some of them together: one of them has it.
  if (next - now <= SOON_MS)
    return { at: next, turns: { log, pace: pace && { due }, told: isTold ? told : next, keptMs } };
  const at = isTold ? Math.ceil(told + limit.windowMs / limit.max) : next;
  // Kept, so that it is its turn then: what is far away would be a window away each time.
  return { at, turns: { log, pace: pace && { due }, told: at, keptMs } };
}

/** The mean of what the limit lets through; the log has the last word. */
const paceOf = ({ max, windowMs }: Limit): Pace => ({
  burst: Math.max(1, Math.floor(max * BURST)),
  ratePerMs: max / windowMs,
});

/**
 * A turn of this moment was used, sooner than at its latest, or was not. What nobody tells stands at its latest.
 * @param at when it was granted
 */
export function turnUsed(turns: Turns, at: number, { limit: { max, windowMs }, withinMs, afterMs }: TurnUsed): Turns {
  const place = turns.log.indexOf(at + withinMs);
  if (place < 0) return turns;
  const others = turns.log.filter((_, n) => n !== place);
  // The question came before the grant, so the request left no later than so long after the grant.
  if (afterMs !== undefined)
    return { ...turns, log: [...others, at + Math.min(withinMs, Math.ceil(afterMs))].sort((a, b) => a - b) };
  return { ...turns, log: others, pace: turns.pace && { due: turns.pace.due - windowMs / max } };
}
