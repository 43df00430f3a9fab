/** Waits for the end of an audit that was started: by its job, and by the analysis that it becomes. */
import { patched } from '@temporalio/workflow';
import type { JobCall, JobEnd } from '../../activities/audits';
import {
  type AnalysisSeen,
  type Before,
  isOurs,
  isOursAfterRunning,
  isRewritten,
  isSameRow,
  mayBeRewritten,
} from '../../src/audits/analysis';
import { notShownUntil, polls, reads, untilNextLook } from '../shared/calls';
import { waitUntil } from '../shared/deadline';
import { refusalOf } from '../shared/failures';
import { Stop } from '../shared/stop';
import type { AuditRun } from './audit-run';

/** An audit that is under way, or may be over already. */
export interface Started {
  /** Its job, when the service named one. */
  jobId?: string;
  /** This run sent a start, and did not only find one. */
  byUs: boolean;
  /** The service said that it is complete: the synchronous route answers only then. */
  waitedFor: boolean;
  /** A look found it running. */
  running?: AnalysisSeen;
}

/** Of a service that keeps one analysis for each project, with its ID and its time. */
const ONE_ROW = 'knowsOneRow';

/** Whether an analysis came of the run's starts, also where it stands in the place of the one before. */
export function cameOfRun(now: AnalysisSeen, before: Before): boolean | undefined {
  const ours = isOurs(now, before);
  return !ours && isRewritten(now, before) && patched(ONE_ROW) ? true : ours;
}

/**
 * @param before what is never taken for the new analysis
 * @returns `complete`, or `failed`; `none` when no analysis came of the start in the time in which it would have shown
 */
export async function awaitAudit(
  at: AuditRun,
  projectId: string,
  { jobId, waitedFor, running }: Started,
  before: Before,
): Promise<AnalysisSeen> {
  const { account, facts, status, place, input } = at;
  const deadlineAt = Date.now() + input.auditDeadline;
  const why = 'The service works on the audit; it is asked again and again.';
  const job = jobId === undefined ? undefined : await awaitJob(at, { projectId, jobId, before }, deadlineAt, why);
  if (job === 'late') throw late(projectId);
  if (job === 'failed') return { state: 'failed' };
  const complete = waitedFor || job === 'complete';
  // The start was accepted: what does not show, or not as it should, proves nothing before this.
  const settledAt = notShownUntil(facts);
  const isSame = (seen: AnalysisSeen | undefined) => seen !== undefined && isSameRow(seen, before.firstStart);
  let ran = isSame(running);
  let asks = !complete && !ran && isOver(before.firstStart) && patched(ONE_ROW);
  for (let looks = 0; ; looks++) {
    const now = await waitUntil(status, facts, account, deadlineAt, why, (left) =>
      reads(account, place, 'Wait for the analysis', left).awaitAnalysis({
        ...{ account, projectId, ...(asks && { tellsRunning: true }) },
      }),
    );
    if (now === 'late') throw late(projectId);
    if (now.state === 'running') {
      ran = isSame(now);
      asks = false;
      continue;
    }
    const ours = cameOfRun(now, before);
    if (ours && (now.state === 'complete' || !complete)) return now;
    const what = `The service does not show the new analysis of project ${projectId} yet; it is looked at`;
    if (await untilNextLook(status, facts, what, looks, settledAt)) continue;
    // A copy that lags behind would show the one before until now.
    if (ran && isOursAfterRunning(now, before) && patched(ONE_ROW)) return now;
    if (complete && mayBeRewritten(now, before) && patched(ONE_ROW)) {
      at.notes.push(SAME_ROW);
      return now;
    }
    return settled(projectId, now, ours, complete);
  }
}

const isOver = ({ state }: AnalysisSeen): boolean => state === 'complete' || state === 'failed';

const SAME_ROW =
  'The service said that the audit was complete, and shows its analysis with the ID or the time of the one before: look in the web app whether the report is of the new one.';

/** @returns `lost` when nobody knows the job, or it cannot be read: then the analysis itself tells */
async function awaitJob(
  at: AuditRun,
  job: Pick<JobCall, 'projectId' | 'jobId' | 'before'>,
  deadlineAt: number,
  why: string,
) {
  const { account, facts, status, place } = at;
  const priority = { ...place, fairnessKey: job.jobId.slice(0, 36) };
  let unclear: string | undefined;
  try {
    for (;;) {
      const told =
        unclear === undefined
          ? why
          : `The job says '${unclear}', a word that audit-runner does not know; the analysis itself is looked for as well. If the word means that the job has ended, name it in undocumented.job.complete or undocumented.job.failed.`;
      const end: JobEnd | 'late' = await waitUntil(
        ...([status, facts, account, deadlineAt, told] as const),
        (left) => polls(account, priority, 'Wait for the audit', left).awaitJob({ account, ...job, unclear }),
        notShownUntil(facts),
      );
      if (end === 'late') return end;
      if (end.state !== 'unclear') return end.state;
      unclear = end.word;
    }
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return 'lost';
  }
}

/** What it is when it has not become what it should in time. */
function settled(projectId: string, now: AnalysisSeen, ours: boolean | undefined, complete: boolean): AnalysisSeen {
  // Where the service shows neither ID nor time of an analysis, this is all that it tells.
  if (ours === undefined || (ours && now.state === 'failed')) return now;
  if (!complete) return { state: 'none' };
  throw new Stop(
    'unresolved',
    'analysisNotShown',
    `The audit of project ${projectId} is complete, but the service does not show its analysis: look in the web app, and once the analysis is there, start auditProject with this projectId, without "again".`,
  );
}

const late = (projectId: string) =>
  new Stop('expired', 'auditDeadline', `The audit of project ${projectId} did not end in time.`);
