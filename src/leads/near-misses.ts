/** Leads that their scores alone keep from being chosen: a lower threshold would let them in. Pure. */
import type { LeadDecision } from './selection';
import type { Thresholds } from './shown-lead';

/** How many there are, and those that fall short by the least. */
export interface NearMisses {
  readonly count: number;
  readonly nearest: readonly NearMiss[];
}

export interface NearMiss {
  readonly id: string;
  /** Each threshold that it misses. */
  readonly misses: readonly Miss[];
}

export interface Miss {
  readonly what: 'readiness' | 'composite' | 'score';
  readonly is: number;
  readonly least: number;
  readonly short: number;
}

/** So many a person reads. */
const SHOWN = 3;

const THRESHOLDS = {
  belowReadiness: ['readiness', 'minReadiness'],
  belowComposite: ['composite', 'minComposite'],
  belowScore: ['score', 'minScore'],
} as const;
const isThreshold = (code: string): code is keyof typeof THRESHOLDS => Object.hasOwn(THRESHOLDS, code);

/** @returns undefined where a score is not known */
function missesOf({ reasons, ...lead }: LeadDecision, thresholds: Thresholds): Miss[] | undefined {
  const misses = reasons.map((code): Miss | undefined => {
    if (!isThreshold(code)) return undefined;
    const [what, threshold] = THRESHOLDS[code];
    const [is, least] = [lead[what], thresholds[threshold]];
    return is == null || least === undefined
      ? undefined
      : { what, is, least, short: Math.round((least - is) * 100) / 100 };
  });
  const known = misses.filter((miss) => miss !== undefined);
  return known.length === misses.length && known.length > 0 ? known : undefined;
}

export function nearMisses(leads: readonly LeadDecision[], thresholds: Thresholds): NearMisses {
  const missed = leads.flatMap((lead) => {
    const misses = lead.decision === 'skip' ? missesOf(lead, thresholds) : undefined;
    return misses === undefined ? [] : [{ id: lead.id, misses }];
  });
  const gap = ({ misses }: NearMiss) => misses.reduce((sum, { short }) => sum + short, 0);
  const nearest = missed.toSorted((a, b) => gap(a) - gap(b) || (a.id < b.id ? -1 : 1)).slice(0, SHOWN);
  return { count: missed.length, nearest };
}
