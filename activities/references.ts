/**
 * Finding a project by the reference in its description (S2). The list's order, its paging and how much of a description
 * it shows are not shown, so all pages are read, and projects of the same name are asked themselves.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isSameId } from '../src/agent-api/id';
import type { Project } from '../src/agent-api/records';
import { CLOCKS_APART_MS } from '../src/policy/clocks';
import type { LookOutcome } from '../src/policy/course';
import { isSameName } from '../src/policy/identity';
import { carries, MAX_ASKED } from '../src/policy/reference';
import type { Storage } from '../src/storage';
import { callRoute } from './call';
import type { AccountRuntime } from './deps';
import { callList } from './list-form';
import { readRecord } from './record';

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

/** Of a project that was to be created: from when on it may be there, under which name, and which one it is. */
export const ProjectRecord = z.object({
  since: z.number(),
  clientName: z.string(),
  projectId: z.string().optional(),
});
export type ProjectRecord = z.output<typeof ProjectRecord>;

/** References differ in upper and lower case, which the names of files need not. */
export const recordRef = (account: string, reference: string): string =>
  `projects-made/${account}/${createHash('sha256').update(reference).digest('hex').slice(0, 24)}.json`;

/** What one page says of a reference. */
export interface Sighting {
  /** The project that carries it. */
  found?: string;
  /**
   * Projects of the same name of which the list does not say so, which proves nothing: it may shorten descriptions or leave
   * them out. `due`: created since the first look, as the one that is sought; `older`: before it.
   */
  due: string[];
  older: string[];
}

export function sightingIn(items: readonly Project[], reference: string, record: ProjectRecord): Sighting {
  const found = items.find(({ description }) => carries(description, reference))?.id;
  // A list without names says nothing of names; one that shows descriptions may do without.
  const alike = items.filter(({ clientName, description }) =>
    clientName ? isSameName(clientName, record.clientName) : !description,
  );
  const isOlder = ({ createdAt }: Project) => Date.parse(createdAt ?? '') < record.since - CLOCKS_APART_MS;
  const idsOf = (projects: Project[]) => projects.map(({ id }) => id);
  return {
    ...(found && { found }),
    due: idsOf(alike.filter((project) => !isOlder(project))),
    older: idsOf(alike.filter(isOlder)),
  };
}

/** GET one project: whether it carries the reference. */
export async function carriesReference(runtime: AccountRuntime, id: string, reference: string): Promise<boolean> {
  return carries((await callRoute(runtime, 'projects.get', { id })).value.description, reference);
}

/** For the ledger, which knows only the reference: whether a project carries it. */
export async function lookForReference(
  runtime: AccountRuntime,
  storage: Storage,
  reference: string,
): Promise<LookOutcome> {
  const record = await readRecord(storage, recordRef(runtime.account.name, reference), ProjectRecord);
  // Who sends keeps a record before; without it nobody knows the name.
  if (record === undefined) return 'cannotTell';
  if (record.projectId !== undefined) return 'found';
  const due: string[] = [];
  let place: ListPlace | undefined = { offset: 0 };
  for (let pages = 0; place !== undefined; pages++) {
    if (pages === MAX_PAGES) return 'cannotTell';
    const list: ProjectList = await listProjects(runtime, place);
    const seen = sightingIn(list.items, reference, record);
    if (seen.found) return 'found';
    if (list.cut) return 'cannotTell';
    due.push(...seen.due);
    place = list.next;
  }
  if (due.length > MAX_ASKED) return 'cannotTell';
  for (const id of due) if (await carriesReference(runtime, id, reference)) return 'found';
  return 'notFound';
}
