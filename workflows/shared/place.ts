/**
 * The place of a run among those that another one has under way at once. While a run only waits, until it is known what
 * became of its call or until a person answers, it sends nothing, and its place is another's.
 */

import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { z } from 'zod';
import { type Markdown, md } from '../../src/text/md';
import { grouped } from '../../src/text/numbers';

const PlaceSaid = z.object({
  /** Who says it. */
  workflowId: z.string().max(1_000),
  /** It only waits. */
  away: z.boolean(),
  /** Counts the run's messages: signals may overtake each other. */
  nth: z.int().positive(),
});
type PlaceSaid = z.output<typeof PlaceSaid>;

export const placeSignal = defineSignal<[PlaceSaid]>('place');

/** What one knows of the place of a run that it began. */
export interface Placed {
  away?: boolean;
  placeNth?: number;
}

/** The most that only wait, for each place; each is a run that the service or a person has to answer one day. */
const AWAY_FOR_EACH = 20;
const MOST_AWAY = 1_000;

/** How many places are taken. @param places how many there are */
export function taken(all: Iterable<Placed>, places: number): number {
  let [count, away] = [0, 0];
  for (const one of all) {
    count++;
    if (one.away) away++;
  }
  return count - Math.min(away, AWAY_FOR_EACH * places, MOST_AWAY);
}

/** For details: how many of those under way hold no place. */
export const onlyWait = (away: number): Markdown | undefined =>
  away === 0
    ? undefined
    : md`${grouped(away)} of them only wait, for the outcome of a call or for a person; others are begun meanwhile.`;

/** Hears the runs that this one began. @param find what is known of one of them; undefined: it is none */
export function hearPlaces(find: (workflowId: string) => Placed | undefined, changed: (one: Placed) => void): void {
  setHandler(
    placeSignal,
    (raw) => {
      const { data: said } = PlaceSaid.safeParse(raw);
      const known = said && find(said.workflowId);
      if (!known || said.nth <= (known.placeNth ?? 0)) return;
      known.away = said.away;
      known.placeNth = said.nth;
      changed(known);
    },
    {
      description:
        'Internal: sent by a run that this one began: whether it only waits, so that another may have its place.',
    },
  );
}

/** Of this run: it has its modules for itself. */
const own = { away: false, nth: 0 };

/** This run only waits from now on. */
export const givePlace = (): void => say(true);

/** It goes on, and is about to send. */
export const takePlace = (): void => say(false);

function say(away: boolean): void {
  const { parent, workflowId } = workflowInfo();
  if (!parent || away === own.away) return;
  Object.assign(own, { away, nth: own.nth + 1 });
  const said = { workflowId, away, nth: own.nth };
  // Without the run's own ID: it may have continued as new. One that has ended need not know.
  CancellationScope.nonCancellable(() => getExternalWorkflowHandle(parent.workflowId).signal(placeSignal, said)).catch(
    () => undefined,
  );
}
