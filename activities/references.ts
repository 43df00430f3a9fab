/**
 * Finding a project by the reference in its description (S2). The list's order, its paging and how much of a description
 * it shows are not shown, so all pages are read, and projects of the same name are asked themselves.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { includesId } from '../src/agent-api/id';
import type { Project } from '../src/agent-api/records';
import { asText } from '../src/agent-api/shape';
import { MAX_ASKED, markIn } from '../src/audits/reference';
import type { LookOutcome } from '../src/paying/attempt-plan';
import { projectSubject } from '../src/paying/subject';
import type { Storage } from '../src/storage';
import { readIfThere } from '../src/storage/stored-json';
import { isLikeName } from '../src/text/name-keys';
import { likeness } from '../src/text/plain-text';
import { CLOCK_STEP_MS, CLOCKS_APART_MS } from '../src/time/clocks';
import { callRoute } from './call';
import { type AccountRuntime, ledgerFor } from './deps';
import { Sending } from './kept-record';
import { type ListPlace, readPage } from './list-pages';

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

/** Of a project that is to be created: what it is known by, and what became of that. */
export const ProjectRecord = Sending.extend({
  clientName: z.string(),
  /** As it was given, without the mark. */
  description: z.string().optional(),
  projectId: z.string().optional(),
  /** When the newest project of any name was created that was there before it was sent, by the clock of the records. */
  newest: z.number().optional(),
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
   * Projects that may be the one that is sought, though nothing that is shown of them says so: a service may shorten a
   * description, strip it of the mark, or show none. `due`: there since it was sent, if it was; `older`: from before;
   * `strange`: created since, under another name, which the service may have changed.
   */
  due: string[];
  older: string[];
  strange: string[];
}

/** Where earlier projects are known by ID, a time counts as older only beyond what clocks and zones can explain. */
const SURELY_OLDER_MS = 26 * 3_600_000;

/** The client's name, as the document has it; a list may show it as the project's own. */
export const nameOf = ({ clientName, name }: Project): string | undefined => clientName ?? asText(name);

export function sightingIn(items: readonly Project[], reference: string, record: ProjectRecord): Sighting {
  const found = items.find(({ description }) => markIn(description, reference) === 'ours')?.id;
  const { since, sent, before } = record;
  const isBefore = ({ id }: Project) => includesId(before ?? [], id);
  const apart = before ? SURELY_OLDER_MS : CLOCKS_APART_MS;
  const isOlder = (project: Project) => Date.parse(project.createdAt ?? '') < since - apart || isBefore(project);
  const unmarked = items.filter(({ description }) => markIn(description, reference) !== 'others');
  // A list without names says nothing of names; one that shows descriptions may do without.
  const isAlike = (project: Project) => {
    const name = nameOf(project);
    return name ? isLikeName(name, record.clientName) : !project.description;
  };
  const youngest = record.newest === undefined ? since - CLOCKS_APART_MS : record.newest - CLOCK_STEP_MS;
  const isStrange = (project: Project) =>
    !isAlike(project) &&
    !isBefore(project) &&
    Date.parse(project.createdAt ?? '') >= youngest &&
    likeness(project.description, record.description ?? '') !== 'other';
  const idsOf = (those: (project: Project) => boolean) => unmarked.filter(those).map(({ id }) => id);
  return {
    ...(found && { found }),
    due: idsOf((project) => isAlike(project) && !isOlder(project)),
    older: idsOf((project) => isAlike(project) && isOlder(project)),
    strange: sent ? idsOf(isStrange) : [],
  };
}

/** When the newest of these was created; undefined where no time is shown. */
export function newestOf(items: readonly Project[]): number | undefined {
  const times = items.map(({ createdAt }) => Date.parse(createdAt ?? '')).filter((time) => !Number.isNaN(time));
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Those of a page that are as young as what is created next may seem to be. */
export function youngIn(items: readonly Project[]): { id: string; at: number }[] {
  const youngest = (newestOf(items) ?? Number.POSITIVE_INFINITY) - CLOCK_STEP_MS;
  const all = items.map(({ id, createdAt }) => ({ id, at: Date.parse(createdAt ?? '') }));
  return all.filter(({ at }) => at >= youngest);
}

/** What a project's own record says of a reference: its mark, somebody else's, or nothing that proves either. */
export type MarkSeen = ReturnType<typeof markIn>;

/** GET one project. */
export async function markSeen(
  runtime: AccountRuntime,
  id: string,
  reference: string,
  record: ProjectRecord,
): Promise<MarkSeen> {
  const { value } = await callRoute(runtime, 'projects.get', { id });
  const { found, due, strange } = sightingIn([{ ...value, id }], reference, record);
  return found ? 'ours' : due.length + strange.length > 0 ? 'unreadable' : 'others';
}

/** For the ledger, which knows only the reference: whether a project carries it. */
export async function lookForReference(
  runtime: AccountRuntime,
  storage: Storage,
  reference: string,
): Promise<LookOutcome> {
  const record = await readIfThere(storage, recordRef(runtime.account.name, reference), ProjectRecord);
  // Who sends keeps a record before; without it nobody knows the name.
  if (record === undefined) return 'cannotTell';
  if (record.projectId !== undefined) return 'found';
  const [due, strange]: [string[], string[]] = [[], []];
  let place: ListPlace | undefined = { offset: 0 };
  for (let pages = 0; place !== undefined; pages++) {
    if (pages === MAX_PAGES) return 'cannotTell';
    const list: ProjectList = await listProjects(runtime, place);
    const seen = sightingIn(list.items, reference, record);
    if (seen.found) return 'found';
    if (list.cut) return 'cannotTell';
    due.push(...seen.due);
    strange.push(...seen.strange);
    place = list.next;
  }
  const claimed = await (await ledgerFor(runtime)).claims(projectSubject(reference));
  const free = [...due, ...strange].filter((id) => !includesId(claimed, id));
  let isCertain = !record.taken && free.length <= MAX_ASKED;
  for (const id of free.slice(0, MAX_ASKED)) {
    const mark = await markSeen(runtime, id, reference, record);
    if (mark === 'ours') return 'found';
    isCertain &&= mark === 'others';
  }
  return isCertain ? 'notFound' : 'cannotTell';
}
