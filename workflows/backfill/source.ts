/** From the source to the list: read once, before the first item is begun. */

import { workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { Opened } from '../../activities/backfill';
import type { Prepared } from '../../activities/backfill-list';
import type { Making } from '../../activities/backfill-source';
import type { ListPlace } from '../../activities/list-pages';
import type { BackfillInput } from '../../src/inputs/backfill';
import type { InlineOrStored } from '../../src/storage/inline-or-stored';
import { md } from '../../src/text/md';
import { counted } from '../../src/text/numbers';
import { fairnessKey, reads, retryUntilAnswered, streaming } from '../shared/calls';
import { type Listed, listLeads } from '../shared/list-leads';
import type { Status } from '../shared/status';

interface Preparing {
  input: BackfillInput;
  facts: AccountFacts;
  status: Status;
  opened: Opened;
}

/** What has been listed of a long source; goes over to the next run. */
export interface Listing {
  leads?: Listed;
  captures?: { pages: InlineOrStored<{ id: string }[]>[]; next?: ListPlace | undefined };
}

/** @returns what is listed so far when the history has become too long to go on in this run */
export async function prepare(
  at: Preparing,
  before: Listing = {},
): Promise<{ prepared: Prepared } | { listing: Listing }> {
  const { input, facts, status, opened } = at;
  const { account, dryRun } = input;
  const { leads, captures, file, defaults, redrive, earlier } = opened.source ?? { ...input, earlier: undefined };
  const making: Making = { account, folder: opened.folder, operation: opened.operation, defaults, dryRun };
  const made = streaming('Make the list of items');
  if (earlier) return { prepared: await made.itemsFromEarlier({ ...making, earlier, outcomes: redrive }) };
  if (file) return { prepared: await made.itemsFromFile({ ...making, file }) };
  if (captures) {
    const listed = await listCaptures(at, captures, before.captures ?? { pages: [], next: { offset: 0 } });
    if (listed.next !== undefined) return { listing: { captures: listed } };
    return { prepared: await made.itemsFromPages({ ...making, pages: listed.pages }) };
  }
  if (!leads) throw new TypeError('an input that was checked has a source');
  const listed = await listLeads({ account, ...leads }, facts, status, before.leads, input.priority);
  if (listed.next !== undefined) return { listing: { leads: listed } };
  const total = listed.isCounted && { total: listed.total };
  const prepared = await made.itemsFromPages({ ...making, pages: listed.pages, ...total });
  return { prepared: { ...prepared, notes: [...listed.notes, ...prepared.notes] } };
}

const MAX_EVENTS = 3_000;

async function listCaptures(
  { input, facts, status }: Preparing,
  filter: NonNullable<BackfillInput['captures']>,
  listed: NonNullable<Listing['captures']>,
): Promise<NonNullable<Listing['captures']>> {
  const { account, priority } = input;
  const ref = workflowInfo().firstExecutionRunId;
  const place = { priorityKey: priority, fairnessKey: fairnessKey(ref) };
  while (listed.next !== undefined && workflowInfo().historyLength < MAX_EVENTS) {
    const from: ListPlace = listed.next;
    const { page, next } = await retryUntilAnswered(status, facts, account, () =>
      reads(account, place, `List captures from ${from.offset}`).listCapturePage({ account, filter, place: from, ref }),
    );
    listed.pages.push(page);
    listed.next = next;
    status.figures(md`${counted(next?.offset ?? from.offset, 'capture')} listed`);
  }
  return listed;
}
