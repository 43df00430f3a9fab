/** What somebody who approves a pipeline reads: what is spent, for which leads and why these, and what is left after it. Pure. */
import type { LeadPipelineInput } from '../inputs/lead-pipeline';
import { bullets, code, type Markdown, md, paragraphs, sentence } from '../text/md';
import { counted, grouped } from '../text/numbers';
import type { NearMiss, NearMisses } from './near-misses';
import { reasonText } from './scoring';
import type { LeadDecision } from './selection';
import type { Thresholds } from './shown-lead';

/** What somebody may have left to a default. */
export type Defaulted = 'maxConversions' | 'maxCredits' | 'minReadiness';

export interface ApprovalPage {
  /** What the plan costs and takes, one sentence. */
  readonly outline: string;
  /** How many are converted, as the limits stand. */
  readonly chosen: number;
  /** Leads that meet all rules; absent where an earlier version chose. */
  readonly eligible?: number | undefined;
  /** The first of those chosen. */
  readonly preview: readonly LeadDecision[];
  readonly order: LeadPipelineInput['order'];
  /** Leads that their scores alone keep out; absent where an earlier version chose. */
  readonly below?: NearMisses | undefined;
  /** What may still be spent, a line each. */
  readonly left: readonly string[];
  readonly thresholds: Thresholds;
  /** Credits of one conversion. */
  readonly price: number;
  readonly limits: { readonly maxConversions: number; readonly maxCredits: number };
  /** Limits and thresholds that the input does not name. */
  readonly byDefault: readonly Defaulted[];
}

const FIRST: Readonly<Record<ApprovalPage['order'], string>> = {
  score: 'the highest score first',
  oldest: 'the oldest first',
  newest: 'the newest first',
};

export function approvalPage(page: ApprovalPage): Markdown {
  const { outline, chosen, left, order, below } = page;
  const preview = page.preview.slice(0, chosen);
  const more = chosen - preview.length;
  const leads = preview.map((lead) => leadLine(lead, page));
  return paragraphs([
    sentence(outline),
    choice(page),
    bullets(
      md`To be converted, ${FIRST[order]}:`,
      leads.length > 0 && more > 0 ? [...leads, md`and ${grouped(more)} more`] : leads,
    ),
    below && describeBelow(below, page.byDefault),
    whatIsLeft(left),
  ]);
}

/** What may still be spent. */
export const whatIsLeft = (left: readonly string[]): Markdown | undefined =>
  bullets(md`What may be spent now:`, left.map(sentence));

/** What a lead is compared with, and what it costs. */
export type Compared = Pick<ApprovalPage, 'thresholds' | 'price' | 'byDefault'>;

/** '**Acme Ltd**: meets all rules: score 71, …' */
export function leadLine(lead: LeadDecision, compared: Compared): Markdown {
  const what = md`${factsOf(lead, compared)}, lead ${code(lead.id)}`;
  return lead.name === undefined ? what : md`**${lead.name}**: ${what}`;
}

/** The same as plain text. */
export const leadText = (lead: LeadDecision, compared: Compared): string =>
  `${lead.name === undefined ? '' : `${quoted(lead.name)}, `}lead ${lead.id}: ${factsOf(lead, compared)}`;

/** 'meets all rules: score 71, readiness 64 (at least 60, the default), 1,000 credits' */
function factsOf(
  { score, readiness, composite, reasons }: LeadDecision,
  { thresholds, price, byDefault }: Compared,
): string {
  const { minReadiness, minComposite, minScore } = thresholds;
  // A threshold of 0 asks for nothing.
  const than = (what: string, is: number, least = 0, isDefault = false) =>
    `${what} ${is}${least === 0 ? '' : ` (at least ${least}${isDefault ? ', the default' : ''})`}`;
  const facts = [
    ...(score === null ? [] : [than('score', score, minScore)]),
    readiness === undefined
      ? 'no readiness score'
      : than('readiness', readiness, minReadiness, byDefault.includes('minReadiness')),
    ...(composite === undefined ? [] : [than('composite', composite, minComposite)]),
    `${grouped(price)} credits`,
  ];
  return `${reasons.map((reason) => reasonText(reason) ?? reason).join(', ')}: ${facts.join(', ')}`;
}

/** Why these, where a limit leaves others. */
function choice({ chosen, eligible = chosen, price, limits, byDefault }: ApprovalPage): Markdown | undefined {
  if (eligible <= chosen) return undefined;
  const those = md`${grouped(chosen)} of the ${counted(eligible, 'lead')} that ${eligible === 1 ? 'meets' : 'meet'} all rules`;
  const affordable = price > 0 ? Math.floor(limits.maxCredits / price) : Number.POSITIVE_INFINITY;
  const limit = affordable < limits.maxConversions ? 'maxCredits' : 'maxConversions';
  if (Math.min(affordable, limits.maxConversions) > chosen)
    return md`${those}, by the limits of before: this run has chosen no others, and another may.`;
  return md`${those}, by the ${byDefault.includes(limit) ? 'default limit' : 'limit'} ${code(limit)} (${grouped(limits[limit])}).`;
}

/** Who is left by a threshold, and by how much. */
function describeBelow({ count, nearest }: NearMisses, byDefault: readonly Defaulted[]): Markdown | undefined {
  const missed = ({ id, misses }: NearMiss) => {
    const by = misses.map(({ what, is, least, short }) => {
      const isDefault = what === 'readiness' && byDefault.includes('minReadiness');
      return `${what} ${is} of at least ${least}${isDefault ? ' (the default)' : ''}, ${short} too low`;
    });
    return md`lead ${code(id)}: ${by.join('; ')}`;
  };
  const more = count - nearest.length;
  return bullets(
    md`Left out only for a score below its threshold: ${counted(count, 'lead')}${more > 0 ? '. The nearest:' : ':'}`,
    nearest.map(missed),
  );
}

/** Somebody else's words, which must not read as ours. */
const quoted = (name: string): string => `“${name.replace(/[“”"]/g, '')}”`;

/** Named in a notification. */
const MOST_NAMED = 3;

/** '5 conversions for 5,000 credits (“Acme Ltd”, “Beta” and 3 more)' */
export function describeChoice(chosen: number, credits: number, preview: readonly LeadDecision[]): string {
  const names = preview.slice(0, Math.min(chosen, MOST_NAMED)).flatMap(({ name }) => name ?? []);
  const more = chosen - names.length;
  const named =
    names.length === 0 ? '' : ` (${names.map(quoted).join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''})`;
  return `${counted(chosen, 'conversion')} for ${grouped(credits)} credits${named}`;
}

/** The first few leads, for a notification: a line each. */
export const leadTexts = ({ preview, chosen, ...compared }: ApprovalPage): string[] =>
  preview.slice(0, Math.min(chosen, MOST_NAMED)).map((lead) => leadText(lead, compared));
