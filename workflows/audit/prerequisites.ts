/** What an audit needs beforehand: the analyses of the project's documents and interviews, and both of them up to date. */

import { patched, sleep } from '@temporalio/workflow';
import { utc, utcIn } from '../../src/time/utc';
import { reads } from '../shared/calls';
import { waitUntil } from '../shared/deadline';
import { Stop } from '../shared/stop';
import { type AuditRun, ofProject } from './audit-run';

/**
 * Waits for the project's document and interview analysis, or ends the run, as the input says.
 * @returns whether one was missing
 */
export async function awaitPrerequisites(at: AuditRun, projectId: string): Promise<boolean> {
  const { account, facts, status, place, input } = at;
  const since = Date.now();
  const { hasAnalysis, hasInterviewAnalysis } = await ofProject(at, () =>
    reads(account, place, 'Look at the prerequisites').prerequisites({ account, projectId }),
  );
  if (hasAnalysis && hasInterviewAnalysis) return false;
  const missing = [
    ...(hasAnalysis ? [] : ['document analysis']),
    ...(hasInterviewAnalysis ? [] : ['interview analysis']),
  ];
  const what = `Project ${projectId} has no ${missing.join(' and no ')} yet`;
  if (input.prerequisites === 'fail') throw new Stop('refused', 'prerequisitesMissing', `${what}.`);
  const patience = { ...place, priorityKey: Math.min(5, input.priority + 1) };
  status.step('prerequisites', `Waiting for what the audit needs of project ${projectId}`);
  const ended = await waitUntil(
    ...([status, facts, account, since + input.prerequisitesDeadline] as const),
    `${what}. It goes on by itself when the web app shows ${missing.length > 1 ? 'both' : 'it'}; documents and interviews are added there.`,
    (left) =>
      reads(account, patience, 'Wait for the prerequisites', left).awaitPrerequisites({ account, projectId, since }),
    at.taken.freshUntil,
  );
  if (ended === 'late')
    throw new Stop('expired', 'prerequisitesMissing', `${what}, and the time to wait for it is over.`);
  return true;
}

/** Refusals that can mean a missing prerequisite: their status and code are not shown. */
const MAY_LACK = /^(?!http403$|planTooLow:|PAT_)/;

/** Whether the refusal of a start can mean a missing prerequisite. A call that the service does not have comes to it with none. */
export const mayLack = (reason: string): boolean =>
  MAY_LACK.test(reason) && !(reason === 'http405' && patched('refusesMissingCall'));

/** A 404 can also mean that the service has no asynchronous audits. */
const orNoCall = ({ input }: AuditRun, reason: string): string =>
  reason === 'http404' && input.mode === 'async' ? ' Or the service has no such call: "mode": "sync" may do then.' : '';

/**
 * The service shows both analyses and still refuses to start: they may be out of date. A 404 means that too, where the
 * project itself is there.
 * @returns whether to start again; false: the refusal stands as it is
 */
export async function awaitCurrent(at: AuditRun, projectId: string, reason: string, since: number, refusals: number) {
  const { account, facts, status, place, input } = at;
  if (reason === 'http404') {
    const look = reads(account, place, `Look whether project ${projectId} is there`);
    if (!(await ofProject(at, () => look.isProject({ account, projectId })))) return false;
    if (input.prerequisites === 'fail')
      throw new Stop(
        'refused',
        'prerequisitesMissing',
        `The service knows project ${projectId}, but has no analyses of it that an audit could start from (${reason}).${orNoCall(at, reason)}`,
      );
  }
  if (input.prerequisites === 'fail') return false;
  const { settlingMs } = facts.timing;
  const wait = Math.min(12 * settlingMs, (settlingMs / 5) * 2 ** Math.min(refusals, 10));
  const until = since + input.prerequisitesDeadline;
  if (Date.now() + wait > until)
    throw new Stop(
      'expired',
      'prerequisitesMissing',
      `The service went on refusing to start the audit of project ${projectId} (${reason}), and the time to wait is over.${orNoCall(at, reason)}`,
    );
  status.waits(
    `The service refuses to start the audit of project ${projectId} (${reason}), though it shows both analyses: they may be out of date, or its AI provider key missing or revoked.${orNoCall(at, reason)} It is tried again at ${utcIn(wait)}, until ${utc(until)} UTC at the latest; "prerequisites": "fail" would end it here.`,
  );
  await sleep(wait);
  return true;
}
