/** S5: the permits of a ledger's state: of the limits that a call meets beside that of the writes. */
import type { Limit } from '../agent-api/limiter';
import type { Settlement } from '../paying/open-sends';
import { permitsKnownFrom, permitUnused } from './permits';
import type { LedgerState } from './state';
import type { TurnUsed } from './turns';

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
