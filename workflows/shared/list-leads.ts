/** Lists every lead once, page by page; the decisions are made where the leads are, in the activity (S4). */
import { workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadPageSeen } from '../../activities/lead-list';
import type { LeadPipelineInput } from '../../src/policy/inputs/lead-pipeline';
import { patiently, reads } from './calls';
import type { Status } from './status';

export interface Listed {
  pages: LeadPageSeen['decisions'][];
  /** What the service said last. */
  total: number;
  reads: number;
  notes: string[];
}

/** A list that grows while it is read is followed to its end, and no further than this. */
const MAX_PAGES = 2_000;

export async function listLeads(input: LeadPipelineInput, facts: AccountFacts, status: Status): Promise<Listed> {
  const { account } = input;
  const listed: Listed = { pages: [], total: 0, reads: 0, notes: [] };
  const now = Date.now();
  const place = { priorityKey: 3, fairnessKey: workflowInfo().firstExecutionRunId };
  for (let offset: number | undefined = 0; offset !== undefined && listed.reads < MAX_PAGES; ) {
    const from: number = offset;
    const page: LeadPageSeen = await patiently(status, facts, account, () =>
      reads(account, place, `List leads from ${from}`).decidePage({
        account,
        input,
        offset: from,
        now,
        ref: workflowInfo().runId,
      }),
    );
    listed.pages.push(page.decisions);
    listed.total = page.total;
    listed.reads++;
    for (const note of page.notes) if (!listed.notes.includes(note)) listed.notes.push(note);
    status.figures(`${Math.min(page.end, page.total)} of ${page.total} leads listed`);
    offset = page.next;
  }
  return listed;
}
