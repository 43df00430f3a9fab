/**
 * Finding a project by the reference in its description (S2). The list's order, its paging and whether it shows
 * descriptions are not shown, so all pages are read, and a project of the same name without a description is asked itself.
 */
import { isSameId } from '../src/agent-api/id';
import type { Project } from '../src/agent-api/records';
import type { LookOutcome } from '../src/policy/course';
import { carries } from '../src/policy/reference';
import type { AccountRuntime } from './deps';
import { callList } from './list-form';

const PAGE = 100;
/** Beyond so many pages nobody can tell. */
const MAX_PAGES = 100;
/** Page sizes that services have: a list of just so many that does not go on may be the first page of a longer one. */
const USUAL_SIZES = [10, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 1_000];

/** A place in the list, as the page before it tells. */
export interface ListPlace {
  /** Records before it. */
  offset: number;
  /** Its number, where the service counts pages. */
  page?: number;
  /** The first record of the list: who meets it again is at the beginning again. */
  first?: string;
}

/** One page of the project list. */
export interface ProjectList {
  items: Project[];
  /** The next page; absent when this was the last that can be had. */
  next?: ListPlace;
  /** The list may go on, and its next page cannot be had: what is not found may be there all the same. */
  cut?: boolean;
  serverTime?: number;
}

/** GET one page of the project list. */
export async function listProjects(runtime: AccountRuntime, { offset, page, first }: ListPlace): Promise<ProjectList> {
  const paging = runtime.account.unshown.projectsList.paging === 'send' ? [{ limit: PAGE, offset, page }] : [];
  const { value: list, serverTime } = await callList(runtime, 'projects.list', {}, paging);
  const { items, total } = list;
  const time = serverTime !== undefined && { serverTime };
  const mayGoOn = (seen: number, least: number) =>
    total !== undefined ? seen < total : seen - offset >= least || USUAL_SIZES.includes(seen);
  // The parameters have other names here: the same page came again.
  if (first !== undefined && items.some(({ id }) => isSameId(id, first)))
    return { items: [], cut: mayGoOn(offset, PAGE), ...time };
  const end = (list.offset ?? offset) + items.length;
  if (items.length === 0 || !mayGoOn(end, list.limit ?? PAGE)) return { items, ...time };
  const next: ListPlace = {
    offset: end,
    ...(list.page !== undefined && list.offset === undefined && { page: list.page + 1 }),
    first: first ?? items[0]?.id ?? '',
  };
  return { items, next, ...time };
}

/** For the ledger, which knows only the reference: whether a project carries it. */
export async function lookForReference(runtime: AccountRuntime, reference: string): Promise<LookOutcome> {
  let place: ListPlace | undefined = { offset: 0 };
  let certain = true;
  for (let pages = 0; place !== undefined && pages < MAX_PAGES; pages++) {
    const list: ProjectList = await listProjects(runtime, place);
    if (list.items.some(({ description }) => carries(description, reference))) return 'found';
    if (list.cut || list.items.some(({ description }) => description === undefined)) certain = false;
    place = list.next;
  }
  return certain && place === undefined ? 'notFound' : 'cannotTell';
}
