/** What somebody who approves a batch reads: what it does and costs, which items, and what is left after it. Pure. */
import { type Compared, leadLine, leadText, whatIsLeft } from '../leads/approval-page';
import { reasonText } from '../leads/scoring';
import type { LeadDecision } from '../leads/selection';
import { reasonInWords } from '../runs/reason-words';
import { bullets, code, type Markdown, md, paragraphs, sentence } from '../text/md';
import { counted, grouped } from '../text/numbers';
import type { BackfillPlan } from './plan';

/** An item as it is shown: of a lead that was listed also what was decided. */
export interface ShownItem {
  readonly id: string;
  /** Its line in the source file. */
  readonly line?: number;
  readonly lead?: Omit<LeadDecision, 'id' | 'decision'>;
}

export interface BatchPage {
  readonly plan: BackfillPlan;
  /** All items of the list. */
  readonly listed: number;
  /** The first of them. */
  readonly first: readonly ShownItem[];
  /** What the source has beyond them, by why it was left out. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Rows that could not become an item. */
  readonly quarantined: number;
  /** What a person should know of the source, one sentence each. */
  readonly notes: readonly string[];
  readonly limits: { readonly maxItems: number | null; readonly maxCredits: number };
  /** The input does not name `maxCredits`. */
  readonly isDefaultBudget: boolean;
  /** What leads are compared with. */
  readonly compared: Compared;
  /** What may still be spent, a line each. */
  readonly left: readonly string[];
}

export function batchPage(page: BatchPage): Markdown {
  const { plan, first, leftOut, quarantined, left, compared } = page;
  const shown = first.slice(0, plan.items).map((item) => itemLine(item, compared));
  const more = plan.items - shown.length;
  const out = Object.entries(leftOut).map(([reason, count]) => md`${grouped(count)}: ${whyOut(reason)}`);
  return paragraphs([
    sentence(`Plan: ${plan.text}`),
    choice(page),
    bullets(
      md`To be done, in this order:`,
      shown.length > 0 && more > 0 ? [...shown, md`and ${grouped(more)} more`] : shown,
    ),
    bullets(md`Left out of the list:`, quarantined > 0 ? [...out, md`${grouped(quarantined)}: ${QUARANTINED}`] : out),
    bullets(md`About the list:`, page.notes.map(sentence)),
    whatIsLeft(left),
  ]);
}

const QUARANTINED = 'the row cannot be used; see the quarantine in the storage';

const whyOut = (code: string): string => reasonText(code) ?? reasonInWords(code);

/** Which limit leaves others. */
function choice({ plan, listed, limits, isDefaultBudget }: BatchPage): Markdown | undefined {
  const { items, overMaxItems, overMaxCredits } = plan;
  const those = md`${grouped(items)} of the ${counted(listed, 'item')} in the list`;
  if (overMaxCredits > 0)
    return md`${those}, by the ${isDefaultBudget ? 'default limit' : 'limit'} ${code('maxCredits')} (${grouped(limits.maxCredits)}).`;
  return overMaxItems > 0 && limits.maxItems !== null
    ? md`${those}, by the limit ${code('maxItems')} (${grouped(limits.maxItems)}).`
    : undefined;
}

const decisionOf = ({ id, lead }: ShownItem): LeadDecision | undefined => lead && { ...lead, id, decision: 'convert' };

function itemLine(item: ShownItem, compared: Compared): Markdown {
  const lead = decisionOf(item);
  if (lead) return leadLine(lead, compared);
  return item.line === undefined ? code(item.id) : md`${code(item.id)}, line ${item.line} of the file`;
}

/** Shown in a notification. */
const MOST_TOLD = 3;

/** The first few items as plain text, a line each. */
export const itemTexts = ({ plan, first, compared }: BatchPage): string[] =>
  first.slice(0, Math.min(plan.items, MOST_TOLD)).map((item) => {
    const lead = decisionOf(item);
    return lead ? leadText(lead, compared) : item.id;
  });
