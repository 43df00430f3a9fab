/**
 * Finding a project by the reference in its description (S2). The list's order, its paging and how much of a description
 * it shows are not shown, so all pages are read, and projects of the same name are asked themselves.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Project } from '../src/agent-api/records';
import { CLOCKS_APART_MS } from '../src/policy/clocks';
import type { LookOutcome } from '../src/policy/course';
import { isSameName } from '../src/policy/identity';
import { carries, MAX_ASKED } from '../src/policy/reference';
import type { Storage } from '../src/storage';
import { callRoute } from './call';
import type { AccountRuntime } from './deps';
import { type ListPlace, readPage } from './list-pages';
import { readRecord } from './record';

const PAGE = 100;
/** Beyond so many pages nobody can tell. */
const MAX_PAGES = 100;
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
export async function listProjects(runtime: AccountRuntime, place: ListPlace): Promise<ProjectList> {
  const { items, following, cut, serverTime } = await readPage(
    runtime,
    'projects.list',
    { filter: {}, limit: PAGE },
    place,
  );
  return {
    items,
    ...(following && { next: following }),
    ...(cut && { cut: true }),
    ...(serverTime !== undefined && { serverTime }),
  };
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
