/** Lists every lead once, page by page; the decisions are made where the leads are, in the activity (S4). */

import { workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadPageSeen } from '../../activities/lead-list';
import type { ListPlace } from '../../activities/list-pages';
import type { LeadPipelineInput } from '../../src/inputs/lead-pipeline';
import type { Rules } from '../../src/leads/scoring';
import type { InlineOrStored } from '../../src/storage/inline-or-stored';
import { md } from '../../src/text/md';
import { grouped } from '../../src/text/numbers';
import { control, reads, retryUntilAnswered } from './calls';
import type { Status } from './status';

/** What has been listed so far; goes over to the next run when the list is long. */
export interface Listed {
  pages: LeadPageSeen['decisions'][];
  /** What the service said last. */
  total: number;
  /** It did say so. */
  isCounted?: true | undefined;
  reads: number;
  notes: string[];
  /** The next page; absent when all are listed. */
  next?: ListPlace | undefined;
  /** The moment that `createdSince` counts from, and the rules: the same for all leads. */
  now: number;
  rules: InlineOrStored<Rules>;
}

/** A list that grows while it is read is followed to its end, and no further than this. */
const MAX_PAGES = 5_000;

/** Ends a list that goes on after the last page that is read, and says so. */
export function endAt(listed: Listed, maxPages = MAX_PAGES): Listed {
  if (listed.reads < maxPages || listed.next === undefined) return listed;
  const { next: _, ...ended } = listed;
  const note = `The list goes on after ${grouped(maxPages)} pages; what comes then was not read, and is not in these numbers.`;
  return { ...ended, notes: [...listed.notes, note] };
}

/** Leaves room for the conversions in the same history. */
const MAX_EVENTS = 1_400;

/** Which leads are listed, and by which rules each is decided on. */
export type LeadFilter = Pick<
  LeadPipelineInput,
  'account' | 'view' | 'surveyLink' | 'surveyStatus' | 'createdSince' | 'scoring'
>;

/** @returns with `next` set when the history has become too long to go on in this run */
export async function listLeads(
  input: LeadFilter,
  facts: AccountFacts,
  status: Status,
  before?: Listed,
  priorityKey = 3,
): Promise<Listed> {
  const { account, view, surveyLink, surveyStatus, createdSince, scoring } = input;
  const ref = workflowInfo().firstExecutionRunId;
  const listed: Listed = before ?? {
    ...{ pages: [], total: 0, reads: 0, notes: [], next: { offset: 0 }, now: Date.now() },
    rules: await control.keepRules({ account, rules: { surveyStatus, createdSince, scoring }, ref }),
  };
  const priority = { priorityKey, fairnessKey: ref };
  while (listed.next !== undefined && listed.reads < MAX_PAGES && workflowInfo().historyLength < MAX_EVENTS) {
    const place: ListPlace = listed.next;
    const { rules, now } = listed;
    const page: LeadPageSeen = await retryUntilAnswered(status, facts, account, () =>
      reads(account, priority, `List leads, from number ${place.offset + 1} on`).decidePage({
        ...{ account, view, surveyLink, rules, place, now, ref },
      }),
    );
    listed.pages.push(page.decisions);
    listed.total = page.total;
    listed.isCounted = page.isCounted;
    listed.reads++;
    for (const note of page.notes) if (!listed.notes.includes(note)) listed.notes.push(note);
    status.figures(md`${grouped(Math.min(page.end, page.total))} of ${grouped(page.total)} leads listed`);
    listed.next = page.next;
  }
  return endAt(listed);
}
