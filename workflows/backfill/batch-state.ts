/** What a backfill knows: numbers and the window, however many items it has. Goes over when it continues as new. */
import { patched } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { Opened } from '../../activities/backfill';
import type { Prepared } from '../../activities/backfill-list';
import type { Item } from '../../src/batches/items';
import { type Counts, noCounts, OUTCOMES } from '../../src/batches/outcomes';
import { priceOf } from '../../src/batches/plan';
import type { Placed } from '../shared/place';
import type { ControlState } from './batch-controls';
import type { Common } from './common';
import type { Listing } from './source';

/** An item under way. Its input is in the storage. */
export interface Running extends Pick<Item, 'n' | 'id' | 'workflowId'>, Placed {
  line?: number | undefined;
  /** The run that is followed; absent where it is another's and only its ID is known. */
  runId?: string | undefined;
  /** Credits that it may yet cost. */
  price: number;
  /** When it was begun, milliseconds. */
  at: number;
  /** It was begun by somebody else, or by this batch before it was reset, and has ended. */
  theirs: boolean;
  /** The second of these. */
  own?: boolean;
  /** Its run is gone; a call of it may yet show. */
  lost?: boolean;
  /** It has failed before. */
  retry: boolean;
  /** Credits that those tries have told. */
  spent?: number;
}

/** What the next try of an item may yet cost, and what those before have told: runs from before this patch counted it again. */
export function nextTry(
  { input, spent: told = 0 }: Item,
  { operation, facts }: Common,
): { price: number; spent: number } {
  const spent = told > 0 && patched('countsPaymentsOnce') ? told : 0;
  return { price: Math.max(0, priceOf(operation, input, facts) - spent), spent };
}

/** A list that is worked off in order. */
export interface WorkList {
  name: string;
  size: number;
  /** Position of the next item to begin. */
  next: number;
}

export interface State {
  opened: Opened;
  prepared: Prepared;
  lists: WorkList[];
  running: Running[];
  counts: Counts;
  credits: number;
  /** Parts of the item ledger written so far. */
  parts: number;
  /** Items that waited for a person when it was last looked. */
  asking: number;
  /** How often people were told that one of them is needed. */
  told: number;
  /** When the first item was begun, milliseconds. */
  beganAt: number;
  /** No item is begun before this moment. */
  nextAt: number;
  /** How many items had ended at some moments, the oldest first. */
  samples: [at: number, ended: number][];
}

/** How soon it continues as new. */
export interface Renewal {
  /** After so many items. @default 600 */
  renewAfter?: number;
}

export const renewalOf = (given: Renewal | undefined): Renewal => {
  const { renewAfter } = given ?? {};
  return Number.isInteger(renewAfter) && Number(renewAfter) > 0 ? { renewAfter: Number(renewAfter) } : {};
};

/** Handed from run to run of the same backfill. */
export interface Before {
  /** Half of the source is listed. */
  listing?: { opened: Opened; listing: Listing; controls: ControlState };
  driving?: {
    state: State;
    controls: ControlState;
    /** As they were; they are asked for again. */
    facts: AccountFacts;
  };
}

export const begin = (opened: Opened, prepared: Prepared): State => ({
  ...{ opened, prepared, running: [] },
  lists: [{ name: 'items', size: prepared.needs.items, next: 0 }],
  counts: { ...noCounts(), quarantined: prepared.quarantined },
  ...{ credits: 0, parts: 0, asking: 0, told: 0, beganAt: Date.now(), nextAt: 0, samples: [] },
});

/** Items that have ended, without the rows that never became one. */
export const endedIn = ({ counts }: State): number =>
  OUTCOMES.reduce((sum, word) => sum + counts[word], 0) - counts.quarantined;

/** Failed items that a list has again, or that are under way again. */
export function againIn({ lists }: State, running: Iterable<Running>): number {
  const listed = lists.filter(({ name }) => name !== 'items').reduce((sum, { size, next }) => sum + size - next, 0);
  return listed + [...running].filter(({ retry }) => retry).length;
}

/**
 * Items that it does, by its limits as they stand: those that have ended or are under way are not taken back by a lower limit.
 * @param running absent: those that it takes over
 */
export function totalOf(state: State, maxItems: number | null, running: Iterable<Running> = state.running): number {
  const most = Math.min(state.lists[0]?.size ?? 0, maxItems ?? Number.POSITIVE_INFINITY);
  // One that is tried again has ended before.
  return Math.max(most, endedIn(state) + [...running].filter(({ retry }) => !retry).length);
}

const SAMPLE_EVERY_MS = 10_000;
const SAMPLES = 30;

/** Remembers how far it is, from which the rate is made: over the last minutes, not over a night on hold. */
export function sample(state: State): void {
  const now = Date.now();
  const last = state.samples.at(-1);
  if (last && now - last[0] < SAMPLE_EVERY_MS) return;
  state.samples.push([now, endedIn(state)]);
  if (state.samples.length > SAMPLES) state.samples.shift();
}

/** After a time in which nothing was begun: that says nothing of how fast it goes. */
export function sampleAnew(state: State): void {
  state.samples = [[Date.now(), endedIn(state)]];
}

/** Items that end in a minute, lately, and what is left at this rate, milliseconds. */
export function rateOf(state: State, left: number): { perMinute?: number; leftMs?: number } {
  const [at, ended] = state.samples[0] ?? [state.beganAt, 0];
  // Of less nobody can tell how fast it goes: what has waited for the end of a hold ends all at once.
  if (Date.now() - at < SAMPLE_EVERY_MS) return {};
  const minutes = (Date.now() - at) / 60_000;
  const perMinute = (endedIn(state) - ended) / minutes;
  if (!(minutes > 0) || !(perMinute > 0)) return {};
  return { perMinute: Math.round(perMinute * 10) / 10, leftMs: Math.round((Math.max(0, left) / perMinute) * 60_000) };
}
