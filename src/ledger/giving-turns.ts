/** S5: the turns of all classes in a ledger's state. */
import type { RateClass } from '../agent-api/rate-class';
import type { LedgerState } from './state';
import { LATEST_MS, noTurns, type TurnAsked, type TurnUsed, takeTurn, turnUsed } from './turns';

/** For how long a class is parked, milliseconds. */
export const parkedMs = ({ parked }: Pick<LedgerState, 'parked'>, rateClass: RateClass, now: number): number =>
  Math.max(0, (parked[rateClass] ?? 0) - now);

/**
 * Asks for a turn of one class.
 * @param how.mindsParks nothing leaves while the class is parked
 * @returns after how many milliseconds to ask again; 0: now is its turn
 */
export function askTurn(
  state: LedgerState,
  rateClass: RateClass,
  asked: TurnAsked,
  now: number,
  { mindsParks = true } = {},
): { state: LedgerState; inMs: number } {
  const parked = mindsParks ? parkedMs(state, rateClass, now) : 0;
  // After a window at most: a person may have ended it by then, or the asker may hear that it is one, and say so (S7).
  if (parked > 0) return { state, inMs: Math.min(parked, asked.limit.windowMs) };
  // What a lost ledger has granted left by then at the latest, and counts for a window.
  const knownFrom = state.unknownTurnsUntil === undefined ? 0 : state.unknownTurnsUntil + asked.limit.windowMs;
  if (now <= knownFrom) return { state, inMs: knownFrom + 1 - now };
  const { at, turns } = takeTurn(state.turns?.[rateClass] ?? noTurns, now, asked);
  return {
    state: { ...state, turns: { ...state.turns, [rateClass]: turns } },
    inMs: at === 'now' ? 0 : at - now,
  };
}

/**
 * The turns of a run before. Its time was later than now where the server's clock was set back: no request leaves as late as that.
 * @returns the same state where none would
 */
export function withTurnsOf(state: LedgerState, now: number): LedgerState {
  const turns = Object.entries(state.turns ?? {});
  const latest = now + LATEST_MS;
  if (turns.every(([, { log }]) => log.every((at) => at <= latest))) return state;
  const clipped = turns.map(([rateClass, of]) => [
    rateClass,
    { ...of, log: of.log.map((at) => Math.min(at, latest)), told: Math.min(of.told, latest) },
  ]);
  return { ...state, turns: Object.fromEntries(clipped) };
}

/** Nobody asks for turns, or they may not count yet: old ones would look as if they did. */
export function withoutTurns(state: LedgerState): LedgerState {
  const { turns: _, ...rest } = state;
  return rest;
}

/** @param at when it was granted */
export function noteTurn(state: LedgerState, rateClass: RateClass, at: number, used: TurnUsed): LedgerState {
  const turns = state.turns?.[rateClass];
  return turns ? { ...state, turns: { ...state.turns, [rateClass]: turnUsed(turns, at, used) } } : state;
}
