/** The analysis of an audit: its prerequisites, its start (one at a time), its end. */
import { sleep } from '@temporalio/workflow';
import { type AnalysisSeen, type Before, isOurs } from '../../src/policy/analysis';
import type { LookOutcome } from '../../src/policy/course';
import { WHY } from '../shared/asker';
import { onceCalls, reads } from '../shared/calls';
import { waitUntil } from '../shared/deadline';
import { type Ending, payOnce } from '../shared/pay-once';
import { Stop } from '../shared/stop';
import { awaitAudit, type Started } from './await-audit';
import { type At, ofProject } from './step';

/** A complete analysis. */
export interface Analysed {
  analysisId?: string;
  /** `existing`: it was complete before this run. */
  how: 'run' | 'existing';
  /** How often this run started one. */
  starts: number;
}

const seen = (at: At, projectId: string): Promise<AnalysisSeen> =>
  ofProject(at, () =>
    reads(at.account, at.place, 'Look at the analysis').analysisSeen({ account: at.account, projectId }),
  );

const done = ({ id }: AnalysisSeen, how: Analysed['how'], starts: number): Analysed => ({
  ...(id && { analysisId: id }),
  how,
  starts,
});

export async function analyse(at: At, projectId: string, added: boolean): Promise<Analysed> {
  const { input, status, facts } = at;
  const first = await seen(at, projectId);
  if (first.state === 'complete' && !added && !input.again) {
    at.notes.push('An audit was complete already, and no document was added; "again": true runs another.');
    return done(first, 'existing', 0);
  }
  let atFirst: AnalysisSeen | undefined;
  for (let tries = 1, starts = 0; ; tries++) {
    // The async route asks for both; the synchronous one makes what is missing itself, as far as the document shows.
    if (input.mode === 'async') await awaitPrerequisites(at, projectId);
    status.step('auditing', `The audit of project ${projectId} is under way`);
    let before: Before | undefined;
    const started = await startAudit(at, projectId, async () => {
      const now = await seen(at, projectId);
      atFirst ??= now;
      before ??= { firstStart: atFirst, thisStart: now };
      // A running one will do, whoever started it; so will one that was completed since the first start.
      return now.state === 'running' || isOurs(now, before) ? 'found' : 'notFound';
    });
    if (started.byUs) starts++;
    before ??= { firstStart: first, thisStart: first };
    let ended = await awaitAudit(at, projectId, started, before);
    if (ended.state !== 'complete' && tries >= input.maxStarts) {
      const last = await seen(at, projectId);
      if (last.state === 'complete' && isOurs(last, before)) ended = last;
    }
    if (ended.state === 'complete') return done(ended, 'run', starts);
    if (tries >= input.maxStarts)
      throw new Stop('failed', 'auditFailed', `The audit of project ${projectId} failed ${tries} times.`);
    const wait = (facts.timing.settlingMs / 5) * 2 ** tries;
    status.waits(
      `${ended.state === 'failed' ? 'The audit failed' : 'The audit did not begin'} (start ${tries} of ${input.maxStarts}); it is looked at again, and started again if need be, in ${Math.ceil(wait / 1000)} s.`,
    );
    await sleep(wait);
  }
}

/** Waits for the project's document and interview analysis, or ends the run, as the input says. */
async function awaitPrerequisites(at: At, projectId: string): Promise<void> {
  const { account, facts, status, place, input } = at;
  const { hasAnalysis, hasInterviewAnalysis } = await ofProject(at, () =>
    reads(account, place, 'Look at the prerequisites').prerequisites({ account, projectId }),
  );
  if (hasAnalysis && hasInterviewAnalysis) return;
  const missing = [
    ...(hasAnalysis ? [] : ['document analysis']),
    ...(hasInterviewAnalysis ? [] : ['interview analysis']),
  ];
  const what = `Project ${projectId} has no ${missing.join(' and no ')} yet`;
  if (input.prerequisites === 'fail') throw new Stop('refused', 'prerequisitesMissing', `${what}.`);
  status.step('prerequisites', `Waiting for what the audit needs of project ${projectId}`);
  const ended = await waitUntil(
    ...([status, facts, account, Date.now() + input.prerequisitesDeadline] as const),
    `${what}. It goes on by itself when the web app shows ${missing.length > 1 ? 'both' : 'it'}; documents and interviews are added there.`,
    (left) => reads(account, place, 'Wait for the prerequisites', left).awaitPrerequisites({ account, projectId }),
    at.taken.freshUntil,
  );
  if (ended === 'late')
    throw new Stop('expired', 'prerequisitesMissing', `${what}, and the time to wait for it is over.`);
}

/** Starts one analysis unless a look finds one (S1, S2). */
async function startAudit(at: At, projectId: string, look: () => Promise<LookOutcome>): Promise<Started> {
  const { account, facts, status, place, asker, input } = at;
  let sends = 0;
  const ending = await payOnce(account, facts, status, {
    credits: 0,
    look,
    send(lookedAt) {
      const calls = onceCalls(account, facts, place, `Start the audit of project ${projectId}`);
      const call = { account, projectId, lookedAt };
      // What took too long once is not waited for a second time.
      return ++sends === 1 && input.mode === 'sync' ? calls.runAuditOnce(call) : calls.startAuditOnce(call);
    },
    ask: (why) => asker.decide(`${WHY[why]} Look whether an audit of project ${projectId} is running.`),
  });
  status.goesOn();
  const jobId = jobOf(at, projectId, ending);
  const waitedFor = input.mode === 'sync' && sends === 1 && ending.how === 'paid';
  return { ...(jobId && { jobId }), byUs: sends > 0, waitedFor };
}

/** @returns the job, when the service named one */
function jobOf(at: At, projectId: string, ending: Ending): string | undefined {
  switch (ending.how) {
    case 'refused':
      throw refused(at, projectId, ending.reason);
    case 'gaveUp':
    case 'overRunCap':
      throw new Stop(
        'unresolved',
        'nobodyDecided',
        `Whether the audit of project ${projectId} was started could not be found out.`,
      );
    default:
      return ending.ref;
  }
}

/** agent-api.md, "Errors": what a refusal of the audit means. */
function refused({ input }: At, projectId: string, reason: string): Stop {
  if (reason === 'http403')
    return new Stop(
      'refused',
      'analysisLimit',
      `The plan allows no further analysis of project ${projectId}, or none at all: see the plan in the web app.`,
    );
  if (reason.startsWith('planTooLow:'))
    return new Stop(
      'refused',
      reason,
      `The plan does not allow audits; it must be ${reason.slice('planTooLow:'.length)} or higher.`,
    );
  if (reason === 'http404') return new Stop('refused', reason, `There is no project ${projectId} for this account.`);
  const cause =
    input.mode === 'async'
      ? 'a prerequisite may be out of date, or the AI provider key of the service missing or revoked'
      : 'the AI provider key of the service may be missing or revoked';
  return new Stop(
    'refused',
    reason,
    `The service refused to start the audit of project ${projectId} (${reason}): ${cause}.`,
  );
}
