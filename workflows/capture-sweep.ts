/** Finds captures that failed or are stuck, and has each extracted again once. */

import { sleep, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SweepPage, SweptCapture } from '../activities/capture-sweep';
import type { ListPlace } from '../activities/list-pages';
import type { Troubled } from '../src/captures/sweep';
import { CaptureSweepInput, type CaptureSweepJson } from '../src/inputs/capture-sweep';
import { concernsAccount } from '../src/ledger/account-failures';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { endedAs, outcomesInWords } from '../src/runs/reason-words';
import { summaries } from '../src/runs/summaries';
import type { InlineOrStored } from '../src/storage/inline-or-stored';
import { md } from '../src/text/md';
import { counted, grouped } from '../src/text/numbers';
import { utcIn } from '../src/time/utc';
import { sends } from './paying/sends';
import { awaitClearance, control, factsOf, fairnessKey, reads, retryUntilAnswered } from './shared/calls';
import { failureType } from './shared/failures';
import { allAnswered } from './shared/kept-acts';
import { readInput } from './shared/read-input';
import { identity, Status } from './shared/status';

// ---- Types

export interface CaptureSweepResult {
  dryRun: boolean;
  /** `stopped`: at a refusal that every further capture would meet too. `failed`: some were given up by this sweep. */
  ended: 'done' | 'planned' | 'stopped' | 'failed';
  /** Captures by what was done; they add up to `total`. */
  counts: Record<string, number>;
  /** Captures that failed or are stuck. */
  total: number;
  /** For each capture what was done; in storage when there are many. */
  captures: InlineOrStored<SweptCapture[]>;
  notes: string[];
}

/** Pages of one status that one sweep reads; what is behind them is left to the next. */
const MAX_PAGES = 50;
/** Beyond these waits and tries a capture is left to the next sweep. */
const MAX_TRIES = 5;

const UNLISTED =
  'Temporal lists no runs at the moment, so it is not known which captures a run of ingestCapture sees to: none was left to one.';

// ---- Workflow

/**
 * Safe to schedule every few minutes: the ledger lets one attempt for a capture out at a time, no two sweeps take the same
 * failure (the list must have been read after the last attempt), and by `judge` a capture that fails again and again is
 * tried at growing distances, and in the end no more. A capture in an open ingestCapture is left to that run.
 */
export async function captureSweep(raw?: CaptureSweepJson): Promise<CaptureSweepResult> {
  const status = new Status();
  const input = readInput(CaptureSweepInput, raw, 'captureSweep');
  const { account, dryRun, maxReprocesses, priority } = input;
  status.about(summaries.captureSweep(input), account);
  upsertSearchAttributes(identity(account));
  status.step('looking', 'Looking for captures that failed or are stuck');
  const facts = await factsOf(account);
  const { firstExecutionRunId: ref } = workflowInfo();
  const place = { priorityKey: priority, fairnessKey: fairnessKey(ref) };
  const notes: string[] = [];
  // Before the list is read: a capture that another run sends for later than this is not sent for here (S1).
  const lookedAt = Date.now();
  const { stuckAfter, giveUpAfter } = input;
  const troubled = await list();
  const found = await control.judgeSweep({ account, found: troubled, rules: { stuckAfter, giveUpAfter }, dryRun });

  const due = found.filter(({ verdict }) => verdict === 'due').map(({ id }) => id);
  const seenTo = due.length > 0 ? await control.capturesInRuns({ account, captureIds: due, orUnknown: true }) : [];
  if (seenTo === undefined) notes.push(UNLISTED);
  const inRuns = seenTo ?? [];
  const chosen = dryRun ? [] : due.filter((id) => !inRuns.includes(id)).slice(0, maxReprocesses);
  const done = new Map<string, Pick<SweptCapture, 'outcome' | 'reason'>>();
  for (const id of inRuns) done.set(id, { outcome: 'inAnotherRun' });
  let stopped = false;
  if (chosen.length > 0) status.step('reprocessing', `Extracting ${counted(chosen.length, 'capture')} again`);
  for (const [i, id] of chosen.entries()) {
    if (stopped) break;
    status.figures(md`${grouped(i)} of ${grouped(chosen.length)} captures sent for`);
    const swept = await reprocess(id);
    done.set(id, swept);
    stopped = swept.outcome === 'refused' && swept.reason !== undefined && concernsAccount(swept.reason);
  }

  const captures = found.map(({ id, status: was, verdict }): SweptCapture => {
    return { id, status: was, ...(done.get(id) ?? { outcome: verdict }) };
  });
  const counts: Record<string, number> = {};
  for (const { outcome } of captures) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const givenUp = found.filter(({ newlyGivenUp }) => newlyGivenUp).length;
  if (givenUp > 0)
    notes.push(
      `${counted(givenUp, 'capture')} that still ${givenUp === 1 ? 'fails is' : 'fail are'} left to a person from now on: look in the web app.`,
    );
  const ended = dryRun ? 'planned' : stopped ? 'stopped' : givenUp > 0 ? 'failed' : 'done';
  const kept = await control.keepSweep({ captures, ref, account, isPlan: dryRun });
  status.figures();
  status.step(ended, endedAs(ended, outcomesInWords(counts) || 'no capture failed or is stuck'));
  await allAnswered();
  return { dryRun, ended, counts, total: captures.length, captures: kept, notes };

  /** All pages before the first is sent for: offsets move when captures change. */
  async function list(): Promise<Troubled[]> {
    const all = new Map<string, Troubled>();
    const unclear = new Set<string>();
    const { statuses, projectId } = input;
    for (const wanted of statuses) {
      let next: ListPlace | undefined = { offset: 0 };
      for (let pages = 0; next !== undefined && pages < MAX_PAGES; pages++) {
        const from: ListPlace = next;
        const page: SweepPage = await retryUntilAnswered(status, facts, account, () =>
          reads(account, place, `List captures in ${wanted} from ${from.offset}`).sweepPage({
            ...{ account, status: wanted, projectId, place: from, stuckAfter },
          }),
        );
        for (const capture of page.found) all.set(capture.id, capture);
        for (const id of page.unclear ?? []) unclear.add(id);
        if (page.cut)
          notes.push(
            `The list of captures in ${wanted} may go on after ${from.offset}: set ${page.cut} to the name of the parameter there.`,
          );
        next = page.next;
      }
      if (next !== undefined)
        notes.push(`There are more than ${next.offset} captures in ${wanted}; the next sweep goes on.`);
    }
    if (unclear.size > 0)
      notes.push(
        `Left out, statusUnknown: ${counted(unclear.size, 'capture')} of which the list does not say whether they failed.`,
      );
    return [...all.values()];
  }

  /** One attempt; what it does not settle is for the next sweep, which sees what became of it. */
  async function reprocess(captureId: string): Promise<Pick<SweptCapture, 'outcome' | 'reason'>> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const outcome = await sends(account, facts, place, `Extract capture ${captureId} again`)
        .reprocessOnce({ account, captureId, lookedAt })
        .catch((error): SendOutcome | { kind: 'lost'; reason: string } => {
          if (failureType(error) === undefined) throw error;
          return { kind: 'lost', reason: failureType(error) ?? '' };
        });
      switch (outcome.kind) {
        case 'paid':
          return { outcome: 'reprocessed' };
        case 'open':
          // What the list showed before does not count for new books: the next sweep reads it again.
          if (outcome.newBooks) return { outcome: 'failed', reason: 'newBooks' };
          return { outcome: 'inAnotherRun' };
        case 'stale':
          return { outcome: 'inAnotherRun' };
        case 'unknown':
          return { outcome: 'unknown' };
        case 'refused':
          return { outcome: 'refused', reason: outcome.reason };
        case 'held':
          await awaitClearance(status, account);
          break;
        case 'throttled': {
          const wait = Math.max(0, outcome.retryAt - Date.now());
          status.waits(`The service asked to wait (429); it goes on at ${utcIn(wait)}.`);
          await sleep(wait);
          break;
        }
        default:
          return { outcome: 'failed', reason: 'reason' in outcome ? outcome.reason : outcome.kind };
      }
    }
    return { outcome: 'failed', reason: 'busy' };
  }
}
