/** How a ledger's books begin: anew, from what the ledger before it knew, or from what an earlier version wrote. */
import { noOpenSends } from '../paying/open-sends';
import { adjustmentsOf } from './book';
import { configure, toConfigured } from './budget';
import { toCompare } from './explaining';
import { restored } from './rereading';
import type { Before, Budget, LedgerStart, LedgerState } from './state';

/** A ledger that takes the place of another, by the configuration of the worker that it asked. */
export function reopen({ state, lost, books, unread }: Before, start: LedgerStart, now: number): LedgerState {
  if (unread !== undefined) {
    const opened = reopen({ state, lost: false }, start, now);
    const isBlank = state === undefined;
    return { ...patient(opened, now), unread: { why: unread, triedAt: now, isLost: lost || !isBlank, isBlank } };
  }
  if (books) {
    const taken = restored(reopen({ state, lost: false }, start, now), books, { at: now, open: {} }, now);
    return state ? patient(taken, now) : toCompare(patient(taken, now), books, now);
  }
  if (!state) return openLedger(start, now, lost);
  const configured = configure(whole(state, now), start, now);
  return lost ? patient(configured, now) : configured;
}

/** Books of an earlier version lack what has come since. */
export function whole(state: LedgerState & { readonly budget?: Budget }, now: number): LedgerState {
  const { account, timing, budget, adjusted = adjustmentsOf(state) } = state;
  const known = { ...state, ...(Object.keys(adjusted).length > 0 && { adjusted }) };
  return state.workers || !budget ? known : { ...openLedger({ account, timing, budget }, now, false), ...known };
}

/** A new ledger. @param lost it replaces one of which nothing is left */
export function openLedger(start: LedgerStart, now: number, lost: boolean): LedgerState {
  const { account, timing, budget } = start;
  const empty: LedgerState = {
    account,
    timing,
    workers: [toConfigured(start, now)],
    set: {},
    timeZone: budget.timeZone,
    prices: {},
    flights: noOpenSends(),
    days: {},
    runs: {},
    bookings: [],
    holds: [],
    elsewhere: 0,
    parked: {},
    permits: {},
  };
  return lost ? patient(empty, now) : empty;
}

/**
 * Books that lack what a lost ledger granted: it waits until any of that is surely over, and then believes only looks that
 * were asked for after that.
 */
function patient(state: LedgerState, now: number): LedgerState {
  const { sendWindowMs, paidTimeoutMs, settlingMs } = state.timing;
  const patientUntil = now + sendWindowMs + paidTimeoutMs + settlingMs;
  const forgottenBefore = Math.max(state.flights.forgottenBefore, patientUntil);
  return {
    ...state,
    flights: { ...state.flights, forgottenBefore },
    patientUntil,
    unknownTurnsUntil: now + sendWindowMs,
  };
}
