/** An item whose run was terminated or failed. S6: whether it was paid for is asked, never assumed. */
import { patched } from '@temporalio/workflow';
import type { FollowedRun } from '../../activities/followed-run';
import type { Item } from '../../src/batches/items';
import type { Ended } from '../../src/batches/outcomes';
import { AuditProjectInput } from '../../src/inputs/audit-project';
import { leadSubject, projectSubject } from '../../src/paying/subject';
import { convertLeadId } from '../../src/runs/run-ids';
import { findOut, mindsLostRuns, untilSettled } from '../paying/lost-lead';
import { control } from '../shared/calls';
import type { Running } from './batch-state';
import type { Common } from './common';

/** Nobody can tell whether its run has paid: no failure, which would be tried again. */
const NOT_SETTLED: Ended = { outcome: 'waiting', reason: 'person: notSettled', credits: 0 };

export async function afterLostRun(
  { operation, facts, status, runKey, input: { account } }: Common,
  { id, workflowId, runId }: Running,
  input: Item['input'],
  reason: string,
): Promise<Ended> {
  if (operation === 'convertLead') {
    const { converted, isOpen, credits, projectId } = await findOut({ account, facts, status }, id);
    if (isOpen) return NOT_SETTLED;
    if (!converted) return { outcome: 'failed', reason, credits: 0 };
    return { outcome: credits > 0 ? 'done' : 'alreadyDone', reason, credits, ...(projectId && { ref: projectId }) };
  }
  const subject = await subjectOf(account, input);
  if (subject === undefined) return { outcome: 'failed', reason, credits: 0 };
  if (typeof input.leadId === 'string' && patched('followsLostConversion'))
    await conversionEnded(convertLeadId(account, input.leadId), { workflowId, runId });
  await untilSettled(account, subject);
  const { open, settled } = await control.subjectState({ account, subject });
  const credits = settled?.run === runKey ? settled.credits : 0;
  // The project is paid for and not audited: who ended the run knows whether it is to be gone on with.
  if (credits > 0) {
    // An earlier try of the item may have paid them, and told them.
    const before = patched('knowsLostPaid') && ({ paidBefore: true } as const);
    const ref = settled?.ref;
    return { outcome: 'waiting', reason: `person: ${reason}`, credits, ...(ref && { ref }), ...before };
  }
  if (open && mindsLostRuns()) return NOT_SETTLED;
  return { outcome: 'failed', reason, credits: 0 };
}

/** Waits for the conversion that the audit has begun: it sends nothing more, and hears out what it has sent. */
async function conversionEnded(workflowId: string, of: FollowedRun): Promise<void> {
  const child = await control.ownChild({ workflowId, of });
  if (child?.isRunning) await control.awaitRun({ workflowId, runId: child.runId });
}

/** What an audit may have paid for. */
async function subjectOf(account: string, raw: Item['input']): Promise<string | undefined> {
  const { success, data } = AuditProjectInput.safeParse(raw);
  if (!success) return undefined;
  if (data.leadId !== undefined) return leadSubject(data.leadId);
  if (!data.project) return undefined;
  return projectSubject(data.reference ?? (await control.referenceOf({ account, project: data.project })));
}
