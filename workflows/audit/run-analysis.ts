/** The analysis of an audit: its prerequisites, its start (one at a time), its end. */

import { patched, sleep } from '@temporalio/workflow';
import type { AnalysisSeen, Before } from '../../src/audits/analysis';
import type { LookOutcome } from '../../src/paying/attempt-plan';
import { auditSubject } from '../../src/paying/subject';
import { reasonInWords } from '../../src/runs/reason-words';
import { utcIn } from '../../src/time/utc';
import { type Outcome, type Purchase, payOnce } from '../paying/pay-once';
import { WHY } from '../shared/asker';
import { reads } from '../shared/calls';
import { Stop } from '../shared/stop';
import { type AuditRun, ofProject } from './audit-run';
import { awaitAudit, cameOfRun, type Started } from './await-audit';
import { awaitCurrent, awaitPrerequisites, mayLack } from './prerequisites';

/** A complete analysis. */
export interface Analysed {
  analysisId?: string;
  /** `existing`: it was complete before this run. */
  how: 'run' | 'existing';
  /** How often this run started one. */
  starts: number;
}

type Mode = AuditRun['input']['mode'];

const seen = (at: AuditRun, projectId: string): Promise<AnalysisSeen> =>
  ofProject(at, () =>
    reads(at.account, at.place, 'Look at the analysis').analysisSeen({ account: at.account, projectId }),
  );

const done = ({ id }: AnalysisSeen, how: Analysed['how'], starts: number): Analysed => ({
  ...(id && { analysisId: id }),
  how,
  starts,
});

/** The documents of an audit. */
interface Documents {
  /** This run has added some, or a person for it. */
  added: boolean;
  /** When the newest of the others came to be there, milliseconds; 0 where nothing tells. */
  newestFoundAt: number;
}

/**
 * Whether a document that was found is newer than the analysis, which does not cover it. Where a service keeps one analysis for
 * each project only the time of its last change moves: by the other one, each start would run another audit.
 */
const isBefore = ({ createdAt, updatedAt }: AnalysisSeen, { newestFoundAt }: Documents): boolean =>
  newestFoundAt > Date.parse(updatedAt ?? createdAt ?? '');

const BEGUN_BEFORE =
  'An audit that was running already was taken, and begun before the newest document was there; "again": true runs another.';

export async function analyse(at: AuditRun, projectId: string, documents: Documents): Promise<Analysed> {
  const { input, status, facts } = at;
  const first = await seen(at, projectId);
  if (
    first.state === 'complete' &&
    !documents.added &&
    !input.again &&
    !(isBefore(first, documents) && patched('auditsFoundLater'))
  ) {
    at.notes.push('An audit was complete already, and no document was added; "again": true runs another.');
    return done(first, 'existing', 0);
  }
  let atFirst: AnalysisSeen | undefined;
  for (let tries = 1, starts = 0; ; tries++) {
    // The async route asks for both; the synchronous one makes what is missing itself, as far as the document shows.
    if (input.mode === 'async') await awaitPrerequisites(at, projectId);
    status.step('auditing', `The audit of project ${projectId} is under way`);
    let before: Before | undefined;
    let running: AnalysisSeen | undefined;
    const started = await startAudit(at, projectId, async () => {
      const now = await seen(at, projectId);
      atFirst ??= now;
      before ??= { firstStart: atFirst, thisStart: now };
      running = now.state === 'running' ? now : undefined;
      // A running one will do, whoever started it; so will one that was completed since the first start.
      return running || cameOfRun(now, before) ? 'found' : 'notFound';
    });
    if (started.byUs) starts++;
    before ??= { firstStart: first, thisStart: first };
    let ended = await awaitAudit(at, projectId, { ...started, ...(running && { running }) }, before);
    if (ended.state !== 'complete' && tries >= input.maxStarts) {
      const last = await seen(at, projectId);
      if (last.state === 'complete' && cameOfRun(last, before)) ended = last;
    }
    if (ended.state === 'complete') {
      if (starts === 0 && isBefore(ended, documents)) at.notes.push(BEGUN_BEFORE);
      return done(ended, 'run', starts);
    }
    if (tries >= input.maxStarts)
      throw new Stop('failed', 'auditFailed', `The audit of project ${projectId} failed ${tries} times.`);
    const wait = (facts.timing.settlingMs / 5) * 2 ** tries;
    status.waits(
      `${ended.state === 'failed' ? 'The audit failed' : 'The audit did not begin'} (start ${tries} of ${input.maxStarts}); it is looked at again, and started again if need be, at ${utcIn(wait)}.`,
    );
    await sleep(wait);
  }
}

/** Starts one analysis unless a look finds one (S1, S2). */
async function startAudit(at: AuditRun, projectId: string, look: () => Promise<LookOutcome>): Promise<Started> {
  const { account, status, asker, input } = at;
  const since = Date.now();
  let refusals = 0;
  let isSent = false;
  let next = input.mode;
  let last = next;
  const start: Purchase = {
    subject: auditSubject(projectId),
    price: 0,
    run: at.run,
    summary: `Start the audit of project ${projectId}`,
    look,
    async send(calls, { lookedAt }) {
      // A job needs what the synchronous route does without. After a wait the look is too old.
      if (next !== input.mode && (await awaitPrerequisites(at, projectId))) return { kind: 'stale' };
      isSent = true;
      last = next;
      const call = { account, projectId, lookedAt };
      if (last === 'async') return calls.startAuditOnce(call);
      // What took too long once is not waited for a second time.
      next = 'async';
      const outcome = await calls.runAuditOnce(call);
      if (outcome.kind !== 'unknown') next = 'sync';
      return outcome;
    },
    ask: (why, doubt) =>
      asker.decide(`${WHY[why]}${doubt} Look whether an audit of project ${projectId} is running.`, 0),
  };
  for (;;) {
    const outcome = await payOnce(at, start, async (ended) => ended);
    status.goesOn();
    // What was there when it was looked for may be out of date.
    if (outcome.how === 'refused' && last === 'async' && mayLack(outcome.reason)) {
      if (await awaitPrerequisites(at, projectId)) continue;
      if (await awaitCurrent(at, projectId, outcome.reason, since, refusals++)) continue;
    }
    const jobId = jobOf(at, projectId, outcome, last);
    const isAnswered = outcome.how === 'done' && outcome.by === 'reply';
    return { ...(jobId && { jobId }), byUs: isSent, waitedFor: last === 'sync' && isAnswered };
  }
}

/** @param mode by which route it was sent. @returns the job, when the service named one */
function jobOf(at: AuditRun, projectId: string, outcome: Outcome, mode: Mode): string | undefined {
  switch (outcome.how) {
    case 'refused':
      throw refused(at, projectId, outcome.reason, mode);
    case 'cannotLook':
      throw outcome.error;
    case 'gaveUp':
    case 'overRunCap':
      throw new Stop(
        'unresolved',
        'nobodyDecided',
        `Whether the audit of project ${projectId} was started could not be found out.`,
      );
    case 'done':
      return outcome.ref;
  }
}

/** agent-api.md, "Errors": what a refusal of the audit means. */
function refused({ input }: AuditRun, projectId: string, reason: string, mode: Mode): Stop {
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
  if (reason === 'http404')
    return new Stop(
      'refused',
      reason,
      `There is no project ${projectId} for this account: ${reasonInWords(reason, 'project')}.`,
    );
  const why = reason === 'http405' ? aroundMissing(input.mode, mode) : CAUSES[mode];
  return new Stop(
    'refused',
    reason,
    `The service refused to start the audit of project ${projectId}: ${reasonInWords(reason, 'project')}; ${why}.`,
  );
}

/** What a refusal without a word of its own may come of. */
const CAUSES: Readonly<Record<Mode, string>> = {
  sync: 'the AI provider key of the service may be missing or revoked',
  async: 'a prerequisite may be out of date, or the AI provider key of the service missing or revoked',
};

/** What may do where the service does not have the call that was sent. */
function aroundMissing(asked: Mode, sent: Mode): string {
  if (asked !== sent) return 'the call that waits for the audit took too long';
  return `"mode": "${asked === 'async' ? 'sync' : 'async'}" may do`;
}
