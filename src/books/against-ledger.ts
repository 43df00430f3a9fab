/**
 * The books beside what the ledger knows (S8). Nothing in the storage vouches for the last entry: what became of a call, or that
 * one was about to be sent, the ledger has heard as well, and for a while remembers it.
 */
import { compared, hasLater, type LedgerStart, type LedgerState, momentsOf, sumSince, WORDS } from '../ledger';
import type { Settled } from '../paying/open-sends';
import { grouped } from '../text/numbers';
import { DAY_MS, dayOf } from '../time/day';
import { utc } from '../time/utc';
import type { Standing } from './standing';

/** How far back sums are compared, and of how many days the sums since their beginning are told. */
const COMPARED_MS = 30 * DAY_MS;
const COMPARED_DAYS = 3;
/** What the ledger has granted is in the books, or given up, after this; milliseconds. */
const WRITTEN_WITHIN_MS = 60_000;

/**
 * What the books come to, as the ledger compares it with its own sums; undefined where there are none.
 * @param timeZone the ledger's
 */
export function bookedBy(standing: Standing, now: number, timeZone: string): LedgerStart['booked'] {
  const { seq, said } = standing;
  if (seq === 0) return undefined;
  const sums = Object.fromEntries(standing.daysIn(timeZone));
  const since: Record<string, number> = {};
  for (let n = 0; n < COMPARED_DAYS; n++) {
    const from = dayOf(now - COMPARED_MS + n * DAY_MS, timeZone);
    since[from] = sumSince(from, sums);
  }
  const [[from = '', credits = 0] = []] = Object.entries(since);
  return { from, credits, timeZone, since, reserved: standing.reserved(now), said: momentsOf(said) };
}

/**
 * What the ledger knows and the books lack, a sentence for each.
 * @param state asked for before the books were read
 */
export function lackingIn(standing: Standing, state: LedgerState, now: number): string[] {
  return [
    ...state.flights.settled.flatMap((settled) => describePaid(standing, settled)),
    ...Object.entries(state.flights.open).flatMap(([subject, { attempt, credits, grantedAt }]) =>
      credits === 0 || grantedAt > now - WRITTEN_WITHIN_MS || standing.sends.open[subject]?.attempt === attempt
        ? []
        : [
            `the ledger has a call for ${subject} under way since ${utc(grantedAt)} UTC, of which the books know nothing`,
          ],
    ),
    ...(hasLater(state.keptSaid ?? {}, momentsOf(standing.said), WORDS)
      ? ['hold or limits, as people have set them, were in the books once and are not there any more']
      : []),
    ...lackingSum(standing, state, now),
  ];
}

/** What stays reserved in the books though the ledger holds nothing for it: nobody is left who looks it up. A sentence for each. */
export function leftReserved(standing: Standing, { flights }: LedgerState, now: number): string[] {
  return standing
    .leftAt(now)
    .flatMap(([subject, { attempt, credits, overAt }]) =>
      credits === 0 || flights.open[subject]?.attempt === attempt
        ? []
        : `${grouped(credits)} credits stay reserved for ${subject}, which was over at ${utc(overAt)} UTC, and nobody has told what became of it: if it was not paid, send 'clear' to the ledger`,
    );
}

function describePaid({ sends }: Standing, { subject, attempt, credits, at, byLook }: Settled): string[] {
  if (credits === 0 || at <= sends.forgottenBefore) return [];
  const paid = `by the ledger ${grouped(credits)} credits were paid for ${subject}, booked at ${utc(at)} UTC`;
  const written = sends.settled.find((one) => one.subject === subject && one.attempt === attempt);
  if (!written)
    return [
      sends.open[subject]?.attempt === attempt
        ? `${paid}; in the books what became of it is missing`
        : `${paid}; the books know nothing of it`,
    ];
  const isExact = !byLook && !written.byLook;
  const isLike = isExact ? written.credits === credits : written.credits >= credits;
  return isLike ? [] : [`${paid}; by the books it was ${grouped(written.credits)}`];
}

/** As the ledger itself compares them, which puts the account on hold for it. */
function lackingSum(standing: Standing, state: LedgerState, now: number): string[] {
  const { account, timing, timeZone } = state;
  const booked = bookedBy(standing, now, timeZone);
  const budget = { perDay: null, balanceFloor: 0, timeZone };
  const free = { ...state, holds: state.holds.filter(({ kind }) => kind !== 'books') };
  const { holds } = compared(free, { account, timing, budget, ...(booked && { booked }) }, now);
  return holds.flatMap(({ kind, reason }) => (kind === 'books' ? [reason] : []));
}
