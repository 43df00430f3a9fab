/** Finds the project that a converted lead became, by name and time, without the names leaving the activities (S4). */

import type { Priority } from '@temporalio/common';
import type { AccountFacts } from '../../activities/account';
import type { LeadSeen } from '../../activities/leads';
import type { ListPlace } from '../../activities/list-pages';
import type { ProjectPage } from '../../activities/projects';
import { includesId } from '../../src/agent-api/id';
import { CLOCK_STEP_MS, CLOCKS_APART_MS } from '../../src/time/clocks';
import { control, reads, retryUntilAnswered } from './calls';
import type { Status } from './status';

/** Why a project may be there that is not found. Without a full stop. */
export const LIST_CUT =
  "The list of projects could not be read to its end: set undocumented.projectsList to the names of its parameters or, if the list is complete, its paging to 'none'";

export type FoundProject =
  | { kind: 'none'; problem?: string }
  | { kind: 'one'; id: string }
  | { kind: 'several'; ids: string[] };

/** The list's order is not shown, so all of it is read, up to this; beyond it a person is asked. */
const MAX_PAGES = 50;
const LONG = `The list of projects has more than ${MAX_PAGES} pages, and was read no further`;

/** How often the token may be replaced in the middle of a search before the search gives up. */
const MAX_SEARCHES = 3;

interface Matches {
  found: ProjectPage['matches'];
  /** Why the list was not read to its end. */
  problem?: string;
}

export interface Search {
  account: string;
  facts: AccountFacts;
  status: Status;
  place: Priority;
  subject: string;
  /** The service's own clock before the conversion was sent, milliseconds. */
  since: number;
}

/** @param look gives the lead's name keys, made with the token that is valid now */
export async function findProject(
  search: Search,
  seen: LeadSeen,
  look: () => Promise<LeadSeen>,
): Promise<FoundProject> {
  let { nameKeys, keyId } = seen;
  let matches: Matches | undefined;
  for (let searches = 0; matches === undefined && searches < MAX_SEARCHES; searches++) {
    matches = await matching(search, nameKeys, keyId);
    if (matches === undefined) ({ nameKeys, keyId } = await look());
  }
  const taken = await control.claimedRefs({ account: search.account, but: search.subject });
  const free = (matches?.found ?? []).filter(({ id }) => !includesId(taken, id));
  // Where the clocks agree, what was created after the look is it; else whatever could have been.
  const after = free.filter(({ createdAt }) => Date.parse(createdAt ?? '') >= search.since - CLOCK_STEP_MS);
  const ids = [...new Set((after.length > 0 ? after : free).map(({ id }) => id))];
  const [id] = ids;
  if (id === undefined) return { kind: 'none', ...(matches?.problem && { problem: matches.problem }) };
  return ids.length === 1 ? { kind: 'one', id } : { kind: 'several', ids };
}

/** Projects that could be the lead's own; undefined when the token was replaced meanwhile. */
async function matching(search: Search, nameKeys: string[], keyId: string): Promise<Matches | undefined> {
  const { account, facts, status, place, since } = search;
  const found: ProjectPage['matches'] = [];
  let isCut = false;
  let next: ListPlace | undefined = { offset: 0 };
  for (let pages = 0; next !== undefined && pages < MAX_PAGES; pages++) {
    const from: ListPlace = next;
    const page: ProjectPage = await retryUntilAnswered(status, facts, account, () =>
      reads(account, place, 'Look for the project').matchProjects({
        account,
        nameKeys,
        place: from,
        since: Number.isNaN(since) ? 0 : since - CLOCKS_APART_MS,
      }),
    );
    if (page.keyId !== keyId) return undefined;
    found.push(...page.matches);
    isCut ||= page.cut === true;
    next = page.next;
  }
  const problem = isCut ? LIST_CUT : next !== undefined ? LONG : undefined;
  return { found, ...(problem && { problem }) };
}
