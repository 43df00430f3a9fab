/**
 * One page of a list after the other, however the service counts them: by offsets, by page numbers, by cursors, by links,
 * or not at all. What comes back decides, never what was asked for: the names of the parameters are guesses.
 */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { Page } from '../src/agent-api/record';
import type { Capture, Lead, Project } from '../src/agent-api/records';
import { FailureType } from '../src/runs/failure-types';
import type { Storage } from '../src/storage';
import { inAccount } from '../src/storage/account-folder';
import { type InlineOrStored, keep, MAX_INLINE_BYTES } from '../src/storage/inline-or-stored';
import type { AccountRuntime } from './deps';
import { callList } from './list-form';
import { beyondRepeated, goesOn, isAgain, type ListPlace, type Onward } from './list-onward';
import { requeueAfter } from './requeue';

export type { ListPlace } from './list-onward';

interface Rows {
  'leads.list': Lead;
  'projects.list': Project;
  'captures.list': Capture;
}
type Listing = keyof Rows;

/** The settings of each list's parameters. */
const SETTINGS = {
  'leads.list': 'leadsList',
  'projects.list': 'projectsList',
  'captures.list': 'capturesList',
} as const;

export interface ListAsked {
  /** Never left out. */
  readonly filter: Readonly<Record<string, string | undefined>>;
  /** Can be done without. */
  readonly order?: Readonly<Record<string, string>>;
  /** Records of a page. */
  readonly limit: number;
}

export interface ListPage<T> extends Page<T>, Onward {
  /** The settings that would correct it. */
  mend: string;
  /** Optional parameters that the list refuses. */
  refused: string[];
  serverTime?: number;
}

/** What this process has found out of how a list counts. */
interface Counting {
  /** How the last further page was had. */
  by?: 'records' | 'number';
  /** No further page was ever had, and one was asked for in every way that we know: until then one way is enough. */
  pagelessUntil: number;
  /** Of pages that are asked for the numbers by which the one before came again; undefined: by the records before it. */
  readonly vain: Map<string, { readonly at: number; readonly pages: readonly (number | undefined)[] }>;
}

/** So long it is known: the next way may have to wait for its turn, or be tried by another process. */
const KNOWN_FOR_MS = 3_600_000;

const countings = new WeakMap<AccountRuntime, Map<Listing, Counting>>();
const AGAIN_MS = 100;

function countingOf(runtime: AccountRuntime, name: Listing): Counting {
  const all = countings.get(runtime) ?? new Map<Listing, Counting>();
  countings.set(runtime, all);
  const counting = all.get(name) ?? { pagelessUntil: 0, vain: new Map() };
  all.set(name, counting);
  for (const [key, { at }] of counting.vain) if (performance.now() - at > KNOWN_FOR_MS) counting.vain.delete(key);
  return counting;
}

/**
 * GET one page; where the same one comes again, further requests find out how the service counts.
 * @throws ApplicationFailure `waiting` before each of these: the queue counts one read of each task (S5)
 */
export async function readPage<N extends Listing>(
  runtime: AccountRuntime,
  name: N,
  asked: ListAsked,
  place: ListPlace,
): Promise<ListPage<Rows[N]>> {
  const setting = `undocumented.${SETTINGS[name]}`;
  const isPaged = runtime.account.undocumented.projectsList.paging === 'send' || name !== 'projects.list';
  const { cursor } = runtime.account.undocumented[SETTINGS[name]];
  const counting = countingOf(runtime, name);
  const key = JSON.stringify([asked.filter, place]);
  const vain = counting.vain.get(key)?.pages ?? [];
  const ways = waysTo(place, counting);
  const [way = place, ...others] = ways.filter(({ page }) => !vain.includes(page));
  const got = await getPage(runtime, name, asked, way, isPaged);
  counting.vain.delete(key);
  if (!isAgain(got, way)) {
    if (ways.length > 1) counting.by = way.page === undefined ? 'records' : 'number';
    return {
      ...got,
      ...goesOn(got, way, { limit: asked.limit, isPaged, cursor }),
      mend: mendOf(setting, way, got.refused),
    };
  }
  const mend = mendOf(setting, place, got.refused);
  const onward = beyondRepeated(got, way, cursor);
  if (onward) return { ...got, ...onward, mend };
  if (others.length > 0 && performance.now() > counting.pagelessUntil) {
    counting.vain.set(key, { at: performance.now(), pages: [...vain, way.page] });
    throw requeueAfter('it is found out how the list counts its pages', AGAIN_MS);
  }
  // Else it did get on before, and this is the end of this list alone.
  if (ways.length > 1 && counting.by === undefined) counting.pagelessUntil = performance.now() + KNOWN_FOR_MS;
  return { ...got, items: [], cut: place.sure ? 'more' : 'perhaps', mend };
}

/** @throws ApplicationFailure `WrongGuess` where the list goes on and its next page cannot be had; nothing was begun */
export function requireWhole(
  what: string,
  { offset }: ListPlace,
  { cut, mend }: Pick<ListPage<unknown>, 'cut' | 'mend'>,
): void {
  if (cut === 'more')
    throw ApplicationFailure.nonRetryable(
      `the list of ${what} goes on after ${offset}, and its next page cannot be had: set ${mend} to the name of the parameter there`,
      FailureType.wrongGuess,
    );
}

/**
 * What a run goes on with of a page: inline only where it is the only one, for all pages go into one call, and into the
 * next run where the run continues as new.
 * @param of.ref names the run's folder
 */
export function keepPage<T>(
  storage: Storage,
  of: { account: string; ref: string; place: ListPlace; following: ListPlace | undefined },
  rows: T[],
): Promise<InlineOrStored<T[]>> {
  const { account, ref, place, following } = of;
  // Another attempt may find another page.
  const name = `runs/${ref}/pages/${String(place.offset).padStart(9, '0')}-${randomUUID()}`;
  const isOnly = place.offset === 0 && following === undefined;
  return keep(storage, inAccount(account, name), rows, isOnly ? MAX_INLINE_BYTES : 0);
}

/**
 * Without a word of the service's, its records are counted, then its pages, from 0 and from 1: first as the list counted last.
 * S2: from 1 never sooner than from 0, where that number is the third page's.
 */
function waysTo(place: ListPlace, { by }: Counting): ListPlace[] {
  const isKnown = place.next !== undefined || place.page !== undefined || place.before !== undefined;
  if (place.offset === 0 || isKnown) return [place];
  const pages = [1, 2].map((page) => ({ ...place, page }));
  return by === 'number' ? [...pages, place] : [place, ...pages];
}

async function getPage<N extends Listing>(
  runtime: AccountRuntime,
  name: N,
  { filter, order, limit }: ListAsked,
  { offset, page, next }: ListPlace,
  isPaged: boolean,
): Promise<Omit<ListPage<Rows[N]>, 'mend'>> {
  const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const where = page !== undefined ? { page } : offset > 0 ? { offset } : {};
  // A link has the paging in it already.
  const paging = !isPaged || (next !== undefined && isLink(next)) ? {} : { limit, ...(next === undefined && where) };
  const ordered = next !== undefined && isLink(next) ? {} : order;
  const { value, serverTime, refused } = await callList(
    runtime,
    name as Listing,
    { query, ...(next !== undefined && { next }) },
    { ...paging, ...ordered },
  );
  const time = serverTime !== undefined && { serverTime };
  return { ...(value as Page<Rows[N]>), refused, ...time };
}

/** A cursor alone is one parameter; a link has all that its page needs. */
const isLink = (next: string) => next.startsWith('&');

function mendOf(setting: string, { next, page }: ListPlace, refused: readonly string[]): string {
  const which = next !== undefined ? 'cursor' : page !== undefined ? 'page' : 'offset';
  return `${setting}.${which}${refused.includes('limit') ? ` (it refuses ${setting}.limit, too)` : ''}`;
}
