/** Audits one project: from documents in the storage to a report that one can read. */

import { isCancellation, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { AuditDocument } from '../src/audits/uploadable';
import { AuditProjectInput, type AuditProjectJson, documentsIn } from '../src/inputs/audit-project';
import { accountIn } from '../src/inputs/fields';
import { endedAs, reasonInWords } from '../src/runs/reason-words';
import { summaries } from '../src/runs/summaries';
import { searchAttributeKeys } from '../src/temporal/search-attribute-keys';
import { linkToDocument } from '../src/text/links';
import { md } from '../src/text/md';
import { counted, grouped } from '../src/text/numbers';
import { type StoredResults, storeResults } from './audit/audit-results';
import { type AuditRun, type Taken, take } from './audit/audit-run';
import { convertToProject } from './audit/converted-lead';
import { type UploadedDocuments, uploadDocuments } from './audit/documents';
import { createProject } from './audit/new-project';
import { type Analysed, analyse } from './audit/run-analysis';
import { Asker } from './shared/asker';
import { control, factsOf, fairnessKey, runKey } from './shared/calls';
import { ProjectChoice } from './shared/choose-project';
import { failureSentence, failureType, isNotFound, refusalOf } from './shared/failures';
import { allAnswered } from './shared/kept-acts';
import { readInputWith } from './shared/read-input';
import type { Answered } from './shared/said';
import { creditsSpent, identity, Status } from './shared/status';
import { type EarlyEnd, Stop } from './shared/stop';
import { isWithdrawal, mayBeWithdrawn, WITHDRAWN } from './shared/withdraw';

// ---- Types

export interface AuditProjectResult {
  /** `audited`: there is a report. `skipped`: a cap. `refused`: the service or the input's own rule said no. */
  outcome: 'audited' | EarlyEnd;
  /** A stable code for every other outcome, and what it means. */
  reason?: string;
  sentence: string;
  projectId?: string;
  /** How the project came about. */
  project?: Taken['how'];
  /** Credits that this run spent, as booked. */
  credits: number;
  /** A look has found them paid: an earlier run with the same budget may have told them. */
  paidBefore?: true;
  documents?: UploadedDocuments;
  analysis?: Analysed;
  results?: StoredResults;
  /** What a person should know, one sentence each. */
  notes: string[];
  /** What people answered. */
  answers: Answered[];
}

// ---- Workflow

/** Each step is one call or one wait; nothing is sent twice, and what was done stays in the result however it ends. */
export async function auditProject(raw: AuditProjectJson): Promise<AuditProjectResult> {
  const status = new Status();
  mayBeWithdrawn();
  return audit(raw, status).catch((error) => {
    if (!isWithdrawal(error)) throw error;
    const sentence = 'Withdrawn by the run that began it, before anything was sent.';
    status.step('skipped', endedAs('skipped', sentence), creditsSpent(0));
    return { outcome: 'skipped', reason: WITHDRAWN, sentence, credits: 0, notes: [], answers: [] };
  });
}

async function audit(raw: AuditProjectJson, status: Status): Promise<AuditProjectResult> {
  status.step('looking', 'Checking the input and the documents');
  let documents: AuditDocument[] = [];
  const input = await readInputWith(AuditProjectInput, raw, 'auditProject', async () => {
    const checked = await control.checkDocuments({ account: accountIn(raw), documents: documentsIn(raw) });
    documents = checked.documents;
    return checked.problems;
  });
  const { account, leadId } = input;
  status.about(summaries.auditProject(input), account);
  const asker = new Asker(status, input, 'the call');
  const choice = new ProjectChoice(account, asker, 'this run');
  const result: AuditProjectResult = {
    ...{ outcome: 'audited', sentence: '', credits: 0 },
    notes: [],
    answers: asker.answers,
  };
  upsertSearchAttributes(identity(account, ...(leadId ? [{ key: searchAttributeKeys.leadId, value: leadId }] : [])));
  const run = input.run ?? { key: runKey(), maxCredits: input.maxCredits };
  const at: AuditRun = {
    ...{ account, input, status, asker, choice, run },
    taken: { credits: 0, freshUntil: 0 },
    facts: await factsOf(account),
    place: { priorityKey: input.priority, fairnessKey: fairnessKey(run.key) },
    notes: result.notes,
  };

  let told = '';
  try {
    const projectId = await takeProject(at);
    upsertSearchAttributes([{ key: searchAttributeKeys.projectId, value: projectId }, creditsSpent(at.taken.credits)]);
    result.documents = { uploaded: [], found: [], byPerson: [] };
    const newestFoundAt = await uploadDocuments(at, projectId, documents, result.documents);
    const { uploaded, byPerson } = result.documents;
    const added = uploaded.length + byPerson.length > 0;
    result.analysis = await analyse(at, projectId, { added, newestFoundAt });
    result.results = await storeResults(at, projectId, result.analysis.analysisId ?? workflowInfo().runId);
    told = `Project ${projectId} is audited: ${counted(result.results.opportunities, 'opportunity', 'opportunities')}.`;
    result.sentence = `${told} Report: ${result.results.report.url}`;
  } catch (error) {
    const stop = error instanceof Stop ? error : stopFor(error, at);
    if (stop === undefined) throw error;
    const { outcome, reason, sentence } = stop;
    Object.assign(result, { outcome, reason, sentence });
    told = endedAs(outcome, sentence);
  }
  const { projectId, how, credits: spent, paidBefore } = at.taken;
  const paid = { credits: spent, ...(paidBefore && { paidBefore }) };
  Object.assign(result, { ...(projectId && { projectId, project: how }), ...paid });
  status.step(result.outcome, told, creditsSpent(result.credits));
  status.figures(result.results && md`Report: ${linkToDocument(result.results.report.url, 'report.html')}`);
  await allAnswered();
  return result;
}

// ---- Helpers

/** S6: a failed call, or a cancellation, ends the run with what was done and paid for. @returns undefined for all else */
function stopFor(error: unknown, { taken: { projectId, credits, freshUntil } }: AuditRun): Stop | undefined {
  const reason = refusalOf(error);
  const next = projectId ? `start auditProject with projectId ${projectId}` : 'start this input again';
  if (isCancellation(error) && credits > 0)
    return new Stop(
      'unresolved',
      'cancelled',
      `Cancelled after ${grouped(credits)} credits were spent. To go on, ${next}.`,
    );
  if (reason !== undefined && projectId !== undefined && isNotFound(error))
    return freshUntil > 0
      ? new Stop(
          'unresolved',
          'projectNotShown',
          `The service gave this run project ${projectId}, and does not show it (${reason}): look in the web app, then ${next}.`,
        )
      : new Stop(
          'refused',
          reason,
          `There is no project ${projectId} for this account: ${reasonInWords(reason, 'project')}. Correct projectId.`,
        );
  if (reason !== undefined) return new Stop('refused', reason, failureSentence(error));
  const type = failureType(error);
  if (type === undefined || (projectId === undefined && credits === 0)) return undefined;
  return new Stop('failed', type, `${failureSentence(error)} Once that is mended, ${next}.`);
}

/** The given project, a new one, or the one that a lead becomes. @returns its ID; what is known of it stands in `at.taken` (S6) */
async function takeProject(at: AuditRun): Promise<string> {
  const { project, projectId, leadId, fresh } = at.input;
  if (project) return createProject(at, project);
  if (leadId) return convertToProject(at, leadId);
  if (!projectId) throw new TypeError('an input that was checked names a project');
  return take(at, { projectId, how: 'given', ...(!fresh && { freshUntil: 0 }) });
}
