/**
 * S3: what is left of the credits, from readings of a balance that may lag behind. A reading shows the balance at some
 * moment of the settling time before it was asked for. What was booked since that time began may be in it or not, and
 * is assumed not to be. So a reading may also be older than one that was asked for earlier, and the lowest counts until
 * another is surely newer. At least what counts is therefore left, except for what others spent within that time.
 */
import type { Funds, LedgerState, Reading } from './state';

/**
 * A balance was read. It is compared with the books only when nothing in it can be in doubt: then whatever differs from
 * our own bookings was spent elsewhere, or topped up.
 */
export function noteReading(
  state: LedgerState,
  amount: number,
  askedAt: number,
  now: number,
): Pick<LedgerState, 'funds' | 'elsewhere'> {
  const { patientUntil = 0 } = state;
  const surely = askedAt - state.timing.settlingMs;
  const recent = state.bookings.filter(({ at }) => at > surely);
  // Credits given back to the books are not seen sooner: they only correct what was booked too much.
  const unseen = recent.reduce((sum, { credits }) => sum + Math.max(0, credits), 0);
  const { readings = [], expected, comparedAt = Number.NEGATIVE_INFINITY } = state.funds ?? {};
  const reading: Reading = { at: now, least: amount - unseen, most: amount };
  const others = readings.filter(({ at }) => at > surely);
  const underWay = Object.values(state.flights.open).some(({ credits }) => credits > 0);
  const doubts = [
    ...recent.map(({ at }) => at),
    ...(underWay ? [now] : []),
    // A reading that may be older than the last one that was compared.
    ...(comparedAt > surely ? [comparedAt] : []),
    // What only a lost ledger granted may still be paid.
    ...(state.uncompared && askedAt < patientUntil ? [patientUntil] : []),
  ];
  const compared = doubts.length === 0;
  const lower = others.filter(({ least }) => least < reading.least).map(({ at }) => at);
  const doubtAt = Math.max(...doubts, ...lower);
  const books = compared ? { expected: amount, comparedAt: now } : { expected, comparedAt: state.funds?.comparedAt };
  return {
    elsewhere: state.elsewhere + (compared ? (expected ?? amount) - amount : 0),
    funds: {
      readings: [...others, reading],
      askedAt,
      amount,
      ...books,
      doubtAt: Number.isFinite(doubtAt) ? doubtAt : undefined,
    },
  };
}

/** Credits were booked. */
export function bookOff(funds: Funds, credits: number, at: number): Funds {
  const off = ({ least, most, ...reading }: Reading): Reading => ({
    ...reading,
    least: least - Math.max(0, credits),
    most: most - credits,
  });
  return {
    ...funds,
    readings: funds.readings.map(off),
    doubtAt: at,
    ...(funds.expected !== undefined && { expected: funds.expected - credits }),
  };
}

/** What is surely left; undefined until the balance was read. */
export function leastFunds({ funds, patientUntil = 0 }: LedgerState): number | undefined {
  // Nobody knows what was booked in a ledger that was lost: a reading may lag behind that.
  const known = funds?.readings.some(({ at }) => at >= patientUntil);
  return funds && known ? Math.min(...funds.readings.map(({ least }) => least)) : undefined;
}

/** The balance for people: by the books, unless the latest reading shows that it is something else. */
export function balance({ funds }: LedgerState): number | undefined {
  const latest = funds?.readings.at(-1);
  if (!funds || !latest) return undefined;
  return Math.min(latest.most, Math.max(latest.least, funds.expected ?? latest.least));
}

/** Whether the balance was ever read. */
export const isRead = ({ funds }: LedgerState): boolean => funds !== undefined && funds.readings.length > 0;

/** When the next reading is sure to tell more; never, when there is nothing more to find in it. */
export const nextReading = ({ funds, timing }: LedgerState): number =>
  funds?.doubtAt === undefined ? Number.POSITIVE_INFINITY : funds.doubtAt + timing.settlingMs + 1;
