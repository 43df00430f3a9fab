/** S5: the permits of a ledger's state: of the limits that a call meets beside that of the writes. */
import { isSameLimit, type Limit } from '../agent-api/limiter';
import type { Settlement } from '../paying/open-sends';
import { type Permits, permitsAt, permitsKnownFrom, permitUnused, withoutPromises } from './permits';
import type { LedgerState } from './state';
import { LATEST_MS, type TurnUsed } from './turns';

/** The call needs a permit of a limit of its own as well: a note, the start of an audit. */
export interface OwnPermit {
  readonly rateClass: string;
  readonly limit?: Limit;
}

/** Until when nobody knows whether it may have the permit that it needs, since a lost ledger may have given it away. */
export function unknownPermit(
  { patientUntil, unknownTurnsUntil }: LedgerState,
  { own }: { readonly own?: OwnPermit | undefined },
  now: number,
): number | undefined {
  // There was none before a ledger that is not patient.
  if (!own?.limit || patientUntil === undefined || unknownTurnsUntil === undefined) return undefined;
  const knownFrom = permitsKnownFrom(unknownTurnsUntil, own.limit);
  return now < knownFrom ? knownFrom : undefined;
}

/** What became of a call that may have had a permit. */
interface Ended {
  readonly subject: string;
  readonly settlement: Settlement;
  readonly turn?: TurnUsed | undefined;
  readonly own?: OwnPermit | undefined;
}

/** Whether its permit was not used: nothing has left. */
export const isUnused = ({ own, turn, settlement }: Ended): boolean =>
  own?.limit !== undefined && settlement.kind === 'notPaid' && turn !== undefined && turn.afterMs === undefined;

/** What has not left has used no permit. @param grantedAt when it was given */
export function withUnused(state: LedgerState, ended: Ended, grantedAt: number): LedgerState {
  const { subject, own, turn } = ended;
  const permits = own && state.permits[own.rateClass];
  if (!isUnused(ended) || !permits || !own.limit || !turn) return state;
  const sendWindowMs = Math.max(state.timing.sendWindowMs, turn.withinMs);
  const kept = permitUnused(permits, subject, grantedAt, own.limit, sendWindowMs);
  return { ...state, permits: { ...state.permits, [own.rateClass]: kept } };
}

/** @returns the same state where none of its permits changes */
function changed(state: LedgerState, change: (permits: Permits, rateClass: string) => Permits): LedgerState {
  const all = Object.entries(state.permits).map(([rateClass, of]) => [rateClass, of, change(of, rateClass)] as const);
  if (all.every(([, before, after]) => before === after)) return state;
  return { ...state, permits: Object.fromEntries(all.map(([rateClass, , after]) => [rateClass, after])) };
}

/**
 * Another limit was a mistake, or is one: what it has promised is too much for a stricter one; by any other, what is promised for
 * later than its window, which may be days ahead.
 */
export const promisedBy = (state: LedgerState, own: OwnPermit | undefined, now: number): LedgerState =>
  changed(state, (permits, rateClass) => {
    if (own?.rateClass !== rateClass || !own.limit || !permits.limit) return permits;
    const { max, windowMs } = own.limit;
    if (isSameLimit(own.limit, permits.limit)) return permits;
    const isStricter = max < permits.limit.max || windowMs > permits.limit.windowMs;
    return withoutPromises(permits, isStricter ? undefined : now + windowMs);
  });

/** A person ends what calls wait for: what is promised may belong to runs that have ended. */
export const promisedToNobody = (state: LedgerState): LedgerState =>
  changed(state, (permits) => withoutPromises(permits));

/** The permits of a run before, whose time was later than now where the server's clock was set back. */
export const permitsOfBefore = (state: LedgerState, now: number): LedgerState =>
  changed(state, (permits) => permitsAt(permits, now + LATEST_MS));
