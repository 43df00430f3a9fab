/** From what was decided about each listed lead to the list of those to convert, every lead accounted for (S6). Pure. */
import { idKey } from '../agent-api/id';
import type { LeadPipelineInput } from '../inputs/lead-pipeline';
import type { Decision, ReasonCode } from './scoring';
import type { ShownLead } from './shown-lead';

/** One page of the lead list, decided. */
export interface DecidedPage {
  readonly decisions: readonly Decision[];
  /** How many leads the server said there are, when it listed this page. */
  readonly total?: number;
}

/** What limits a selection. */
export interface SelectionLimits extends Pick<LeadPipelineInput, 'order' | 'maxConversions' | 'maxCredits'> {
  /** Credits that one conversion costs; 0 where conversions are free. */
  readonly price: number;
}

/** How one lead ends. */
export interface LeadDecision extends ShownLead {
  readonly id: string;
  readonly decision: 'convert' | 'skip';
  readonly score: number | null;
  readonly reasons: readonly ReasonCode[];
}

/** A selection. */
export interface Selection {
  /** Every lead once: those to convert first, in the order in which to convert them. */
  readonly leads: readonly LeadDecision[];
  readonly conversions: number;
  /** Leads that meet all rules. */
  readonly eligible: number;
  /** Credits that the conversions cost at the given price. */
  readonly credits: number;
  /** Leads by their first reason, those to convert under `meetsAll`; adds up to the number of leads. */
  readonly counts: Readonly<Partial<Record<ReasonCode, number>>>;
  readonly seen: {
    readonly leads: number;
    /** Leads that were listed more than once count once for each repetition. */
    readonly repeated: number;
    /** What the server said last; null when it never did. */
    readonly total: number | null;
  };
  /** What a person should know of the list itself, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Chooses the leads to convert.
 * @throws {RangeError} for a price that is no number of at least 0
 */
export function select(pages: readonly DecidedPage[], limits: SelectionLimits): Selection {
  const { order, maxConversions, maxCredits, price } = limits;
  if (!(price >= 0)) throw new RangeError('the price of a conversion must be a number of at least 0');
  const { decisions, repeated, changed } = unique(pages);
  const candidates = decisions.filter(({ decision }) => decision === 'candidate').sort(ORDERS[order]);
  const affordable = price > 0 ? Math.floor(maxCredits / price) : Number.POSITIVE_INFINITY;
  const wanted = Math.min(candidates.length, maxConversions);
  const conversions = Math.max(0, Math.min(wanted, affordable));
  const over: ReasonCode = affordable < maxConversions ? 'overMaxCredits' : 'overMaxConversions';
  const leads = [
    ...candidates.map(
      (lead, i): LeadDecision =>
        i < conversions ? asDecided(lead, 'convert') : { ...asDecided(lead, 'skip'), reasons: [over] },
    ),
    ...decisions.filter(({ decision }) => decision === 'skip').map((lead) => asDecided(lead, 'skip')),
  ];
  const totals = pages.flatMap(({ total }) => total ?? []);
  return {
    leads,
    conversions,
    eligible: candidates.length,
    credits: conversions * price,
    counts: count(leads),
    seen: { leads: leads.length, repeated, total: totals.at(-1) ?? null },
    notes: [
      ...listNotes(leads.length, { repeated, changed, totals }),
      ...(conversions < wanted && over === 'overMaxCredits'
        ? [`maxCredits (${maxCredits}) pays for ${conversions} of ${wanted} conversions.`]
        : []),
    ],
  };
}

/** Without what only ordering needs. */
const asDecided = ({ createdAt: _, ...lead }: Decision, decision: LeadDecision['decision']): LeadDecision => ({
  ...lead,
  decision,
});

/**
 * Each lead once. Offsets move while a list is read, so a lead can be seen twice and differently: then the first
 * sighting counts, but a skip beats a candidate, since what may have been converted meanwhile is not paid for.
 */
function unique(pages: readonly DecidedPage[]): { decisions: Decision[]; repeated: number; changed: number } {
  const byId = new Map<string, Decision>();
  let listed = 0;
  let changed = 0;
  for (const { decisions } of pages)
    for (const decision of decisions) {
      listed += 1;
      const before = byId.get(idKey(decision.id));
      if (before && before.decision !== decision.decision) changed += 1;
      if (!before || (before.decision === 'candidate' && decision.decision === 'skip'))
        byId.set(idKey(decision.id), decision);
    }
  return { decisions: [...byId.values()], repeated: listed - byId.size, changed };
}

type Compare = (a: Decision, b: Decision) => number;

/** By code unit, not by locale: the same on every machine. */
const byId: Compare = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
/** What is unknown comes last in either direction. */
const by =
  (key: 'score' | 'createdAt', direction: 1 | -1): Compare =>
  (a, b) => {
    const x = a[key];
    const y = b[key];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x - y) * direction;
  };
const highest = by('score', -1);
const earliest = by('createdAt', 1);
const latest = by('createdAt', -1);
const ORDERS: Readonly<Record<LeadPipelineInput['order'], Compare>> = {
  score: (a, b) => highest(a, b) || earliest(a, b) || byId(a, b),
  oldest: (a, b) => earliest(a, b) || byId(a, b),
  newest: (a, b) => latest(a, b) || byId(a, b),
};

function count(leads: readonly LeadDecision[]): Partial<Record<ReasonCode, number>> {
  const counts: Partial<Record<ReasonCode, number>> = {};
  for (const { reasons } of leads) {
    const [reason] = reasons;
    if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

const several = (n: number) => (n === 1 ? '1 lead was' : `${n} leads were`);

/**
 * What a person should know of a list that was read page by page.
 * @param leads different ones
 */
export function listNotes(
  leads: number,
  { repeated, changed = 0, totals }: { repeated: number; changed?: number; totals: readonly number[] },
): string[] {
  const [first, last] = [totals[0], totals.at(-1)];
  const found: string[] = [];
  if (first !== undefined && last !== undefined && first !== last)
    found.push(`The list changed while it was read: the server counted ${first}, then ${last}.`);
  if (repeated > 0) found.push(`${several(repeated)} listed more than once and counted once.`);
  if (changed > 0) found.push(`${several(changed)} seen with different answers and skipped.`);
  if (last !== undefined && leads < last)
    found.push(`${several(last - leads)} not seen, of ${last} that the server counts; another run looks again.`);
  if (last !== undefined && leads > last)
    found.push(`${several(leads - last)} seen beyond the ${last} that the server counts.`);
  return found;
}
