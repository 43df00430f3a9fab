/** How much of the document's write limit was used. */
import { LIMITS } from '../../src/agent-api/routes';
import type { Stats } from './sandbox';

/** The first ones after idle come a second early; the steady part begins behind them. */
export const WARM_UP = 3;
/** Between two writes at the limit. */
const GAP_MS = LIMITS.writes.windowMs / LIMITS.writes.max;

/**
 * Share of the limit that was used in the steady part, per cent. Each payment is one write.
 * @param until what came later does not count, and a standstill before it does; default: to the last payment
 */
export function shareOfLimit({ payments }: Pick<Stats, 'payments'>, until = Number.POSITIVE_INFINITY): number {
  const times = payments
    .map(({ at }) => Date.parse(at))
    .filter((at) => at <= until)
    .sort((a, b) => a - b)
    .slice(WARM_UP);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const end = Number.isFinite(until) ? Math.max(last, until - 2 * GAP_MS) : last;
  return (100 * (times.length - 1)) / ((end - first) / GAP_MS);
}
