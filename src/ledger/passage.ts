/**
 * What decides whether a call may leave, in a few words. The ledger writes it into its memo, which the Temporal server tells
 * without a worker: a query would be answered by one, and whoever has just lost the ledger's worker would wait for that.
 */
import { z } from 'zod';
import { budgetInForce } from './budget';
import type { LedgerStatus } from './messages';
import { HOLD_KINDS, type LedgerState } from './state';

/** Its name in the ledger's memo. */
export const PASSAGE = 'passage';

const ms = z.number().nonnegative();

/** Whoever starts a ledger by hand may write into its memo what they like. */
const Passage = z.object({
  /** When it was told, by the server's clock; milliseconds since 1970. */
  at: ms,
  /** Without the words of people: a memo is shown wherever runs are listed (S4). */
  holds: z.array(z.object({ kind: z.enum(HOLD_KINDS), stopsAll: z.literal(true).optional() })).readonly(),
  /** Classes that a 429 has parked, until when. */
  parked: z.record(z.string(), ms).readonly(),
  /** When a person last ended all parks. */
  parksEndedAt: ms.optional(),
  /** S5: the ledger gives each write its turn. */
  takesTurns: z.literal(true).optional(),
  /** Credits that must remain on the balance. */
  balanceFloor: ms,
  /** In which its days begin. */
  timeZone: z.string(),
  /** Since when the account works for another user; this ledger is an earlier one's. */
  restingSince: ms.optional(),
});
export type Passage = Readonly<z.output<typeof Passage>>;

export function passageOf(state: LedgerState, now: number): Passage {
  const { holds, parked, parksEndedAt, turns, timeZone, restingSince } = state;
  return {
    at: now,
    holds: holds.map(({ kind, stopsAll }) => ({ kind, ...(stopsAll && { stopsAll }) })),
    parked,
    ...(parksEndedAt !== undefined && { parksEndedAt }),
    ...(turns && { takesTurns: true }),
    balanceFloor: budgetInForce(state, now).balanceFloor,
    timeZone,
    ...(restingSince !== undefined && { restingSince }),
  };
}

/** Of a ledger that answers, and tells nothing in its memo. */
export function passageFrom(status: LedgerStatus): Passage {
  const { configuredAt = 0, holds, parked, parksEndedAt, takesTurns, budget, restingSince } = status;
  const { balanceFloor, timeZone } = budget;
  return { at: configuredAt, holds, parked, parksEndedAt, takesTurns, balanceFloor, timeZone, restingSince };
}

/** Whether both say the same, whenever they say it. */
export const isSamePassage = ({ at: _, ...one }: Passage, { at: __, ...other }: Passage): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * What a run of the ledger has told.
 * @param startedAt a memo passes on to the run that continues one: what was told before this one began, another run has said
 * @returns undefined where it has told nothing: it is one of an earlier version, or does not know yet what is in its books
 */
export function passageIn(memo: Readonly<Record<string, unknown>> | undefined, startedAt: Date): Passage | undefined {
  const { data } = Passage.safeParse(memo?.[PASSAGE]);
  return data && data.at >= startedAt.getTime() ? data : undefined;
}
