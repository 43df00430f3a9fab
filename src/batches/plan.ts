/** What a backfill would call, cost and take at the limits. Pure. */
import { perClass, queueClassOf, type RateClass, rateClasses } from '../agent-api/rate-class';
import type { Operation } from '../inputs/backfill';
import { PAID, type PaidKind, type Prices, paidKinds } from '../paying/once-only';
import { countedFrom } from '../text/estimate';
import { counted, grouped } from '../text/numbers';
import { formatDuration } from '../time/duration';

/** Items of a list by what they need. */
export interface Needs {
  items: number;
  /** Items that convert a lead, create a project, submit a note. */
  conversions: number;
  creations: number;
  notes: number;
  /** Documents to upload, in all, and items that have some. */
  documents: number;
  documented: number;
}

export const noNeeds = (): Needs => ({
  ...{ items: 0, conversions: 0, creations: 0, notes: 0, documents: 0, documented: 0 },
});

/** Adds what an item with this input needs. */
export function addNeeds(needs: Needs, operation: Operation, input: Readonly<Record<string, unknown>>): void {
  needs.items++;
  const audit = operation === 'auditProject';
  if (operation === 'convertLead' || (audit && input.leadId !== undefined)) needs.conversions++;
  if (audit && input.project !== undefined) needs.creations++;
  if (operation === 'ingestCapture' && input.captureId === undefined) needs.notes++;
  if (audit && Array.isArray(input.documents)) {
    needs.documents += input.documents.length;
    if (input.documents.length > 0) needs.documented++;
  }
}

/** Credits that an item costs if it is not done already. */
export function priceOf(operation: Operation, input: Readonly<Record<string, unknown>>, prices: Prices): number {
  const needs = noNeeds();
  addNeeds(needs, operation, input);
  return costOf(needs, prices);
}

/** Which of the needs are calls that cost. */
const COUNTED = { lead: 'conversions', project: 'creations' } as const satisfies Record<PaidKind, keyof Needs>;

const costOf = (needs: Needs, prices: Prices): number =>
  paidKinds.reduce((sum, kind) => sum + needs[COUNTED[kind]] * prices[PAID[kind].price], 0);

export interface PlanLimits extends Prices {
  readonly limits: Readonly<Record<RateClass, { readonly max: number; readonly windowMs: number }>>;
  readonly itemsPerMinute?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxCredits: number;
  /** Why nothing goes on at the moment, in our own words without a full stop; absent when it does. */
  readonly standstill?: string | undefined;
}

/** One kind of call. */
export interface PlannedCall {
  /** In words. */
  what: string;
  rateClass: RateClass;
  calls: number;
  credits: number;
}

export interface BackfillPlan {
  /** Items that would be begun, and those that the caps leave. */
  items: number;
  overMaxItems: number;
  overMaxCredits: number;
  /** At least; what is done already takes fewer. */
  steps: PlannedCall[];
  calls: Record<RateClass, number>;
  credits: number;
  /** At the limits, when nothing else uses the token. Milliseconds. */
  durationMs: number;
  /** One sentence for a person. */
  text: string;
}

/** Looks at a job's state, by how long an audit usually takes; a guess. */
const POLLS = 10;

/** The analysis before, at, and after its start, the prerequisites, and eight parts of the result. */
const AUDIT_READS = 12;

/** Where caps leave items out, the others are taken to be of the same mixture. */
export function planBackfill(operation: Operation, needs: Needs, limits: PlanLimits): BackfillPlan {
  const wanted = Math.min(needs.items, limits.maxItems ?? needs.items);
  const price = needs.items === 0 ? 0 : costOf(needs, limits) / needs.items;
  const items = price === 0 ? wanted : Math.min(wanted, Math.floor(limits.maxCredits / price));
  const share = (n: number) => (needs.items === 0 ? 0 : Math.round((n * items) / needs.items));
  const steps = stepsOf(operation, items, share, needs, limits).filter(({ calls }) => calls > 0);
  const calls = perClass(() => 0);
  for (const step of steps) {
    calls[step.rateClass] += step.calls;
    // A note leaves through the writes, and takes an hourly permit as well.
    const queue = queueClassOf(step.rateClass);
    if (queue !== step.rateClass) calls[queue] += step.calls;
  }
  const credits = steps.reduce((sum, step) => sum + step.credits, 0);
  const times = rateClasses.map((name) => (calls[name] / limits.limits[name].max) * limits.limits[name].windowMs);
  const paced = limits.itemsPerMinute === undefined ? 0 : (items / limits.itemsPerMinute) * 60_000;
  const durationMs = Math.ceil(Math.max(paced, ...times));
  return {
    ...{ items, overMaxItems: needs.items - wanted, overMaxCredits: wanted - items, steps, calls, credits, durationMs },
    text: sentence(items, steps, credits, durationMs) + (items === 0 ? '' : countedFrom(limits.standstill)),
  };
}

function stepsOf(
  operation: Operation,
  items: number,
  share: (n: number) => number,
  needs: Needs,
  { convertPrice, createPrice }: Prices,
): PlannedCall[] {
  const step = (what: string, rateClass: RateClass, calls: number, price = 0): PlannedCall => ({
    ...{ what, rateClass, calls },
    credits: calls * price,
  });
  const conversions = share(needs.conversions);
  const convert = [
    step('look at the lead', 'reads', conversions),
    step('convert the lead', 'writes', conversions, convertPrice),
  ];
  switch (operation) {
    case 'convertLead':
      return convert;
    case 'auditProject':
      return [
        ...convert,
        step('look for the project in the list', 'reads', share(needs.creations)),
        step('create the project', 'writes', share(needs.creations), createPrice),
        step('upload a document', 'writes', share(needs.documents)),
        step('look at the documents', 'reads', 2 * share(needs.documented)),
        step('look at the analysis, its prerequisites and results', 'reads', AUDIT_READS * items),
        step('start the audit', 'audits', items),
        step('look at the job', 'polls', POLLS * items),
      ];
    case 'ingestCapture':
      return [
        step('look for the note in the list', 'reads', share(needs.notes)),
        step('submit the note', 'notes', share(needs.notes)),
        step('wait for the capture and store it', 'reads', 2 * items),
      ];
    case 'reprocessCapture':
      return [
        step('look at the capture, wait for it and store it', 'reads', 4 * items),
        step('extract the capture again', 'writes', items),
      ];
  }
}

function sentence(items: number, steps: readonly PlannedCall[], credits: number, durationMs: number): string {
  if (items === 0) return 'Nothing to do: no items, no calls, no credits.';
  const list = steps.map(({ what, rateClass, calls }) => `${grouped(calls)} × ${what} (${rateClass})`).join(', ');
  const about = durationMs < 1_000 ? '' : 'about ';
  return `${counted(items, 'item')} for ${grouped(credits)} credits: ${list}; ${about}${formatDuration(durationMs)} at the limits of the API.`;
}
