/**
 * What decides whether a call may leave, in a few words. The ledger writes it into its memo, which the Temporal server tells
 * without a worker: a query would be answered by one, and whoever has just lost the ledger's worker would wait for that.
 */
import { z } from 'zod';
import { budgetInForce } from './budget';
import { LONGEST_PARK_MS } from './holds';
import type { LedgerStatus } from './messages';
import { HOLD_KINDS, type LedgerState } from './state';

/** Its name in the ledger's memo. */
export const PASSAGE = 'passage';

const ms = z.number().nonnegative();

/** Whoever starts a ledger by hand may write into its memo what they like. */
const Passage = z.object({
  /** Which run of the ledger says it: a memo passes on to the run that continues one, and who starts a run may write one. */
  of: z.string(),
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
});
export type Passage = Readonly<z.output<typeof Passage>>;

/** @param of the run ID of the ledger */
export function passageOf(state: LedgerState, of: string, now: number): Passage {
  const { holds, parked, parksEndedAt, turns, timeZone } = state;
  return {
    ...{ of, at: now },
    holds: holds.map(({ kind, stopsAll }) => ({ kind, ...(stopsAll && { stopsAll }) })),
    parked: Object.fromEntries(Object.entries(parked).filter(([, until]) => until > now)),
    ...(parksEndedAt !== undefined && { parksEndedAt }),
    ...(turns && { takesTurns: true }),
    balanceFloor: budgetInForce(state, now).balanceFloor,
    timeZone,
  };
}

/** Of a ledger that answers, and tells nothing in its memo. */
export function passageFrom(status: LedgerStatus): Passage {
  const { configuredAt = 0, holds, parked, parksEndedAt, takesTurns, budget } = status;
  const { balanceFloor, timeZone } = budget;
  return { of: '', at: configuredAt, holds, parked, parksEndedAt, takesTurns, balanceFloor, timeZone };
}

/** Whether both say the same, whenever they say it. */
export const isSamePassage = ({ at: _, ...one }: Passage, { at: __, ...other }: Passage): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * What a run of the ledger has told.
 * @returns undefined where it has told nothing: it is one of an earlier version, or does not know yet what is in its books
 */
export function passageIn({ memo, runId }: Described): Passage | undefined {
  const { data } = Passage.safeParse(memo?.[PASSAGE]);
  if (data?.of !== runId) return undefined;
  // Nothing is parked for longer, whatever a message has said.
  const latest = data.at + LONGEST_PARK_MS;
  return Object.values(data.parked).every((until) => until <= latest) ? data : undefined;
}

/** As the Temporal server describes a run. */
interface Described {
  readonly memo?: Readonly<Record<string, unknown>> | undefined;
  readonly runId: string;
}
