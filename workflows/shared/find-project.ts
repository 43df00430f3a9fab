/** Finds the project that a converted lead became, by name and time, without the names leaving the activities (S4). */
import type { Priority } from '@temporalio/common';
import type { AccountFacts } from '../../activities/account';
import { control, patiently, reads } from './calls';
import type { Status } from './status';

export type FoundProject = { kind: 'none' } | { kind: 'one'; id: string } | { kind: 'several'; ids: string[] };

/** The list's order is not shown, so all of it is read, up to this; beyond it a person is asked. */
const MAX_PAGES = 50;
/** The `Date` header has whole seconds. */
const CLOCK_STEP_MS = 2_000;

/** @param since the service's own clock before the conversion was sent, milliseconds */
export async function findProject(
  account: string,
  facts: AccountFacts,
  status: Status,
  place: Priority,
  nameKeys: string[],
  since: number,
  subject: string,
): Promise<FoundProject> {
  const matches: string[] = [];
  let offset: number | undefined = 0;
  for (let pages = 0; offset !== undefined && pages < MAX_PAGES; pages++) {
    const from: number = offset;
    const page: { matches: { id: string }[]; next?: number } = await patiently(status, facts, account, () =>
      reads(account, place, 'Look for the project').matchProjects({
        account,
        nameKeys,
        offset: from,
        since: Number.isNaN(since) ? 0 : since - CLOCK_STEP_MS,
      }),
    );
    matches.push(...page.matches.map(({ id }) => id));
    offset = page.next;
  }
  const taken = await control.claimedRefs({ account, but: subject });
  const ids = [...new Set(matches)].filter((id) => !taken.includes(id));
  const [id] = ids;
  if (id === undefined) return { kind: 'none' };
  return ids.length === 1 ? { kind: 'one', id } : { kind: 'several', ids };
}
