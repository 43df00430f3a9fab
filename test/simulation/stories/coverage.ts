/** What a long simulation has to have met: what never happened was not tested. */

import { FAULTS } from '../../../src/sandbox/options';
import { DONE_BEFORE } from '../engine/commands';
import { MISHAPS } from '../engine/mishaps';
import { shownBy } from '../engine/proto';
import type { Run } from '../engine/run';
import { STORAGE_TROUBLES } from '../worker/storage';
import { ACTS, type Begun } from './plan';
import { SHAPES } from './shapes';

/** By then each must have happened. */
const ENOUGH_STORIES = 2_000;
const TYPES: readonly Begun['type'][] = ['leadPipeline', 'convertLead', 'backfill', 'auditProject', 'ingestCapture'];
/** What people do to runs of any type. */
const TO_RUNS = ['cancel', 'terminate', 'startAgain', 'resetActivity', 'resetRun'] as const;

export const RETRIES = ['retryFailed', 'an audit that was paid for, failed, and tried again'] as const;
/** A run still waits for the budget of the day before when the next one begins. */
export const AT_MIDNIGHT = 'a wait for the budget at midnight';

/** A step of a run that somebody has failed. */
export const FAILED_BY_HAND = 'failed by hand';

/** An act, and the state in which it met a run: `cancel convertLead/asking`. */
export const meeting = (act: string, run: Run): string =>
  `${act} ${run.type}/${shownBy(run.searchAttributes.Stage) ?? ''}`;

/** @returns what did not happen in so many stories, and should have */
export function neverMet(stories: number, happened: ReadonlyMap<string, number>): string[] {
  if (stories < ENOUGH_STORIES) return [];
  const single = [
    ...[...Object.keys(MISHAPS), ...ACTS, ...SHAPES, ...RETRIES, DONE_BEFORE, AT_MIDNIGHT, FAILED_BY_HAND],
    ...[...FAULTS.map((fault) => `fault ${fault}`), ...STORAGE_TROUBLES.map((trouble) => `storage ${trouble}`)],
  ];
  const pairs = TO_RUNS.flatMap((act) => TYPES.map((type) => `${act} ${type}`));
  const met = [...happened.keys()];
  return [
    ...single.filter((what) => !happened.has(what)),
    ...pairs.filter((pair) => !met.some((what) => what.startsWith(`${pair}/`))),
  ];
}
