/** A backfill before its items are listed. */
import type { Opening } from '../../activities/backfill';
import { perClass } from '../../src/agent-api/rate-class';
import { noCounts } from '../../src/batches/outcomes';
import type { BackfillPlan } from '../../src/batches/plan';
import type { BackfillInput } from '../../src/inputs/backfill';
import type { Answered } from '../shared/said';
import type { BackfillResult } from './batch-messages';

export const NOTHING_DONE = {
  ...{ done: 0, total: 0, counts: noCounts(), credits: 0 },
  ...{ underWay: [] as string[], underWayCount: 0, away: 0, asking: 0, paused: false },
};

export const NOTHING_PLANNED: BackfillPlan = {
  ...{ items: 0, overMaxItems: 0, overMaxCredits: 0, steps: [], credits: 0, durationMs: 0 },
  calls: perClass(() => 0),
  text: 'Nothing is listed yet.',
};

export const UNLISTED = 'It ended before its items were listed; start it again.';

export const openingOf = (input: BackfillInput): Opening => {
  const { account, operation, redriveOf, redrive, leads, captures, file, defaults } = input;
  return { account, operation, redriveOf, redrive, leads, captures, file, defaults };
};

/** The result of one that a person stopped then. */
export const unlisted = (
  ended: BackfillResult['ended'],
  { operation, dryRun }: BackfillInput,
  answers: Answered[],
): BackfillResult => ({
  ...{ dryRun, ended, counts: noCounts(), items: 0, reasons: {}, credits: 0, plan: NOTHING_PLANNED },
  ...{ perMinute: 0, durationMs: 0, files: { folder: '', quarantine: '' }, left: {}, notes: [UNLISTED], answers },
  ...(operation && { operation }),
});
