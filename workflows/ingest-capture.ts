/** Takes one note, or one capture that is there already, to its extracted items. */

import { isCancellation, patched, upsertSearchAttributes } from '@temporalio/workflow';
import type { CaptureStored, ItemCounts } from '../activities/captures';
import { accountIn } from '../src/inputs/fields';
import { IngestCaptureInput, type IngestCaptureJson, noteFileIn } from '../src/inputs/ingest-capture';
import { endedAs, outcomeInWords } from '../src/runs/reason-words';
import { summaries } from '../src/runs/summaries';
import { searchAttributeKeys } from '../src/temporal/search-attribute-keys';
import { counted } from '../src/text/numbers';
import type { Ingested, Ingestion } from './capture/ingestion';
import { processCapture } from './capture/process';
import { submitNote } from './capture/submit-note';
import { Asker } from './shared/asker';
import { control, factsOf, notShownUntil, ownFairnessKey, runKey } from './shared/calls';
import { failureSentence, refusalOf } from './shared/failures';
import { allAnswered } from './shared/kept-acts';
import { readInputWith } from './shared/read-input';
import type { Answered } from './shared/said';
import { identity, Status } from './shared/status';
import { type EarlyEnd, Stop } from './shared/stop';
import { isWithdrawal, mayBeWithdrawn, WITHDRAWN } from './shared/withdraw';

// ---- Types

export interface IngestCaptureResult {
  captureId?: string;
  /**
   * `processed` by the service; `accepted` by a person; `failed`: extraction, again and again; `refused` by the service;
   * `unresolved`: nobody could tell or a person gave up; `expired`: a deadline.
   */
  outcome: 'processed' | 'accepted' | EarlyEnd;
  /** A stable code for all but the first two. */
  reason?: string;
  sentence: string;
  /** Whether this run submitted the note; false where it was there already, or a person entered it. */
  submitted: boolean;
  items: ItemCounts;
  /** References of what was stored. */
  files?: CaptureStored['files'];
  /** How often this run had the capture extracted again. */
  reprocesses: number;
  /** What people answered. */
  answers: Answered[];
}

// ---- Workflow

/** The note's text is read by activities where it stands; in the history beyond the input there are only hashes (S4). */
export async function ingestCapture(raw: IngestCaptureJson): Promise<IngestCaptureResult> {
  const status = new Status();
  mayBeWithdrawn();
  return ingest(raw, status).catch((error) => {
    if (!isWithdrawal(error)) throw error;
    const sentence = 'Withdrawn by the run that began it, before anything was sent.';
    status.step('skipped', endedAs('skipped', sentence));
    const items = { byType: {}, total: 0 };
    return { outcome: 'skipped', reason: WITHDRAWN, sentence, submitted: false, items, reprocesses: 0, answers: [] };
  });
}

async function ingest(raw: IngestCaptureJson, status: Status): Promise<IngestCaptureResult> {
  status.step('looking', 'Checking the input');
  const input = await readInputWith(IngestCaptureInput, raw, 'ingestCapture', async () => {
    const noteFile = noteFileIn(raw);
    return noteFile === undefined ? [] : control.checkNoteFile({ account: accountIn(raw), noteFile });
  });
  const { account, projectId } = input;
  status.about(summaries.ingestCapture(input), account);
  upsertSearchAttributes(
    identity(account, ...(projectId ? [{ key: searchAttributeKeys.projectId, value: projectId }] : [])),
  );
  const run = runKey();
  const soFar: Ingested = { submitted: false, freshUntil: 0, reprocesses: 0 };
  const asker = new Asker(status, input, 'the note or its extraction');
  const at: Ingestion = {
    ...{ account, input, status, asker, run, soFar },
    facts: await factsOf(account),
    place: { priorityKey: input.priority, fairnessKey: ownFairnessKey() },
  };
  const end = await follow(at).catch((error): Stop => {
    if (error instanceof Stop) return error;
    // What was submitted stays in the result (S6).
    if (isCancellation(error) && soFar.submitted)
      return new Stop(
        'unresolved',
        'cancelled',
        'Cancelled after the note was submitted; its items are not waited for.',
      );
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    return new Stop('refused', reason, failureSentence(error));
  });
  status.step(end.outcome, end instanceof Stop ? endedAs(end.outcome, end.sentence) : end.sentence);
  await allAnswered();
  const { captureId, submitted, reprocesses, stored } = soFar;
  return {
    ...(captureId && { captureId }),
    outcome: end.outcome,
    ...('reason' in end && { reason: end.reason }),
    sentence: end.sentence,
    submitted,
    items: stored?.items ?? { byType: {}, total: 0 },
    ...(stored && { files: stored.files }),
    reprocesses,
    answers: asker.answers,
  };
}

// ---- Helpers

async function follow(at: Ingestion): Promise<Pick<IngestCaptureResult, 'outcome' | 'sentence'>> {
  const { input, status, facts, soFar } = at;
  if (input.captureId === undefined) status.step('looking', 'Looking whether the note is there already');
  const submitted = input.captureId === undefined ? await submitNote(at) : undefined;
  if (submitted) soFar.freshUntil = notShownUntil(facts);
  let captureId = submitted?.captureId ?? input.captureId ?? '';
  for (let search = submitted?.search; ; search = undefined) {
    soFar.captureId = captureId;
    upsertSearchAttributes([{ key: searchAttributeKeys.captureId, value: captureId }]);
    try {
      const outcome = await processCapture(at, captureId);
      const total = soFar.stored?.items.total ?? 0;
      return { outcome, sentence: `Capture ${captureId} is ${outcomeInWords(outcome)}: ${counted(total, 'item')}.` };
    } catch (error) {
      const isUnseen = error instanceof Stop && error.reason === 'captureNotShown' && soFar.stored === undefined;
      if (search === undefined || !isUnseen || !patched('looksPastUnshown')) throw error;
      status.step('looking', `The service does not show capture ${captureId}: looking for the note itself`);
      const other = await search.lookPast(captureId).catch((refused) => {
        throw refusalOf(refused) === undefined ? refused : error;
      });
      if (other === undefined) throw error;
      captureId = other;
    }
  }
}
