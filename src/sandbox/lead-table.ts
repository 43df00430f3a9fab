import type { Lead, SurveyStatus } from './rows';
import { Table } from './table';

/** agent-api.md, "GET /api/lead-generation/leads": the sort fields and the record's field behind each. */
const SORT_FIELDS = {
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  client_name: 'clientName',
  business_name: 'businessName',
  ai_readiness_score: 'aiReadinessScore',
  composite_score: 'compositeScore',
} as const satisfies Record<string, keyof Lead>;
export type LeadSort = keyof typeof SORT_FIELDS;
export const LEAD_SORTS = Object.keys(SORT_FIELDS);
export const isLeadSort = (value: string): value is LeadSort => Object.hasOwn(SORT_FIELDS, value);

export interface LeadOrder {
  view: 'active' | 'archived' | 'all';
  sort: LeadSort;
  direction: 'asc' | 'desc';
  surveyLink?: string | undefined;
}

/**
 * Leads, listed in a live order: what is updated moves, so offsets move with it. Orders are kept until a change could
 * alter them, because sorting 100,000 leads for each of 200 pages takes longer than everything else together.
 */
export class LeadTable extends Table<Lead> {
  private readonly orders = new Map<string, { order: LeadOrder; leads: Lead[] }>();

  override add(lead: Lead): Lead {
    this.orders.clear();
    return super.add(lead);
  }

  setStatus(lead: Lead, surveyStatus: SurveyStatus, at: string): void {
    const moves = (lead.surveyStatus === 'archived') !== (surveyStatus === 'archived');
    lead.surveyStatus = surveyStatus;
    lead.updatedAt = at;
    for (const [key, { order }] of this.orders)
      if (order.sort === 'updated_at' || (moves && order.view !== 'all')) this.orders.delete(key);
  }

  ordered(userId: string, order: LeadOrder): readonly Lead[] {
    const key = JSON.stringify([userId, order.view, order.sort, order.direction, order.surveyLink]);
    const kept = this.orders.get(key);
    if (kept !== undefined) return kept.leads;
    const leads = this.all(userId)
      .filter((lead) => order.view === 'all' || (lead.surveyStatus === 'archived') === (order.view === 'archived'))
      .filter((lead) => order.surveyLink === undefined || lead.staticSlugId === order.surveyLink)
      .sort(comparison(order));
    this.orders.set(key, { order, leads });
    return leads;
  }
}

/** By the field, missing values last, equal values by ID. */
function comparison({ sort, direction }: LeadOrder): (one: Lead, two: Lead) => number {
  const field = SORT_FIELDS[sort];
  const sign = direction === 'asc' ? 1 : -1;
  return (one, two) => {
    const [left, right] = [one[field] ?? null, two[field] ?? null];
    if (left !== right) {
      if (left === null) return 1;
      if (right === null) return -1;
      return left < right ? -sign : sign;
    }
    return one.id < two.id ? -1 : 1;
  };
}
