/**
 * Finding a project by the reference in its description (S2). The list's order, its paging and whether it shows
 * descriptions are not shown, so all pages are read, and a project of the same name without a description is asked itself.
 */
import type { Project } from '../src/agent-api/records';
import type { LookOutcome } from '../src/policy/course';
import { carries } from '../src/policy/reference';
import type { AccountRuntime } from './deps';
import { callList } from './list-form';

const PAGE = 100;
/** Beyond so many pages nobody can tell. */
const MAX_PAGES = 100;

/** One page of the project list. */
export interface ProjectList {
  items: Project[];
  /** Offset of the next page; absent when this was the last. */
  next?: number;
  serverTime?: number;
}

/** GET one page of the project list. */
export async function listProjects(runtime: AccountRuntime, offset: number): Promise<ProjectList> {
  const paging = runtime.account.unshown.projectsList.paging === 'send' ? [{ limit: PAGE, offset }] : [];
  const { value: page, serverTime } = await callList(runtime, 'projects.list', {}, paging);
  const end = (page.offset ?? offset) + page.items.length;
  const more =
    page.items.length > 0 && (page.total !== undefined ? end < page.total : page.items.length >= (page.limit ?? PAGE));
  return { items: page.items, ...(more && { next: end }), ...(serverTime !== undefined && { serverTime }) };
}

/** For the ledger, which knows only the reference: whether a project carries it. */
export async function lookForReference(runtime: AccountRuntime, reference: string): Promise<LookOutcome> {
  let offset: number | undefined = 0;
  let certain = true;
  for (let pages = 0; offset !== undefined && pages < MAX_PAGES; pages++) {
    const page: ProjectList = await listProjects(runtime, offset);
    if (page.items.some(({ description }) => carries(description, reference))) return 'found';
    if (page.items.some(({ description }) => description === undefined)) certain = false;
    offset = page.next;
  }
  return certain && offset === undefined ? 'notFound' : 'cannotTell';
}
