/** The project that a lead becomes: the lead's own run converts it. */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  ParentClosePolicy,
  patched,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { reasonInWords } from '../../src/runs/reason-words';
import { convertLeadId } from '../../src/runs/run-ids';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { md } from '../../src/text/md';
import { type ConvertLeadResult, convertLead } from '../convert-lead';
import { control } from '../shared/calls';
import { linkTo } from '../shared/links';
import { givePlace, hearPlaces, type Placed, takePlace } from '../shared/place';
import { BEGINS } from '../shared/status';
import { Stop } from '../shared/stop';
import { runKind } from '../shared/tell';
import { sawClosed } from '../shared/untold';
import { endsCancelled, gotSomething, WITHDRAWN } from '../shared/withdraw';
import { type AuditRun, take } from './audit-run';

/** How often another run's conversion of the lead is waited for. */
const MAX_FOLLOWED = 3;
const LONGEST_BETWEEN_LOOKS_MS = 4 * 3_600_000;

/** @returns its ID; what is known of it stands in `at.taken` from then on, also when this throws (S6) */
export async function convertToProject(at: AuditRun, leadId: string): Promise<string> {
  at.status.step('converting', `Converting lead ${leadId}`);
  at.status.figures(md`The run ${linkTo(convertLeadId(at.account, leadId))} says how far it is.`);
  const { outcome, reason, credits, paidBefore, projectId } = await conversionOf(at, leadId);
  at.status.figures();
  Object.assign(at.taken, { credits, ...(paidBefore && { paidBefore }) });
  if (credits > 0) gotSomething();
  if (projectId) return take(at, { projectId, how: outcome === 'converted' ? 'converted' : 'alreadyConverted' });
  if (outcome === 'converted' || outcome === 'alreadyConverted')
    throw new Stop(
      'unresolved',
      'projectNotFound',
      `Lead ${leadId} is converted, and which project it became could not be found out: start auditProject with its projectId.`,
    );
  throw new Stop(
    outcome,
    reason ?? outcome,
    `Lead ${leadId} was not converted: ${reason ? reasonInWords(reason, 'lead') : outcome}.`,
  );
}

async function conversionOf(at: AuditRun, leadId: string): Promise<ConvertLeadResult> {
  const { account, input, run } = at;
  const { priority, askPerson, personDeadline } = input;
  const workflowId = convertLeadId(account, leadId);
  // While the conversion only waits, so does this run.
  const conversion: Placed = {};
  hearPlaces(
    (id) => (id === workflowId ? conversion : undefined),
    () => (conversion.away ? givePlace() : takePlace()),
  );
  for (let tries = 1; ; tries++) {
    try {
      const child = await startChild(convertLead, {
        workflowId,
        args: [
          {
            account,
            leadId,
            run,
            priority,
            askPerson,
            personDeadline: `${Math.ceil(personDeadline / 1000)}s`,
            findProject: true,
          },
        ],
        // It may hold an unfinished payment: it outlives this run whatever becomes of it.
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: md`Convert lead ${leadId}`.source,
        staticDetails: md`Started by the audit ${linkTo(workflowInfo().workflowId)}.`.source,
        typedSearchAttributes: [
          { key: searchAttributeKeys.account, value: account },
          { key: searchAttributeKeys.leadId, value: leadId },
          // What a batch is behind, the batch tells of.
          { key: searchAttributeKeys.runKind, value: runKind() === 'backfill' ? 'backfill' : 'audit' },
          BEGINS,
        ],
      });
      const result = await watched(at, workflowId, () => child.result());
      takePlace();
      if (result.reason === WITHDRAWN && endsCancelled()) throw new CancelledFailure('its conversion was withdrawn');
      return result;
    } catch (error) {
      // The conversion was cancelled with this run, before anything was sent.
      if (CancellationScope.current().consideredCancelled) throw error;
      if (error instanceof WorkflowExecutionAlreadyStartedError && tries <= MAX_FOLLOWED)
        await watched(at, workflowId, () => control.awaitRun({ workflowId }));
      else if (error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError)
        throw new Stop(
          'unresolved',
          'conversionEnded',
          `The run ${workflowId} was ended from outside. Start this audit again: it finds out what became of the lead.`,
        );
      else throw error;
    }
  }
}

/** S7: a conversion whose workflow task fails cannot say so: who waits for it looks, ever more seldom, and does. */
async function watched<T>(
  { account, facts, status }: AuditRun,
  workflowId: string,
  work: () => Promise<T>,
): Promise<T> {
  // Runs of before only waited.
  if (!patched('watchesConversion')) return work();
  const watching = new CancellationScope();
  const watch = async () => {
    for (let wait = facts.timing.holdProbeMs; ; wait = Math.min(2 * wait, LONGEST_BETWEEN_LOOKS_MS)) {
      await sleep(wait);
      const { stuck, closed } = await control.clearance({ account, credits: 0, holdsOnly: true, others: [workflowId] });
      sawClosed(closed);
      if (stuck === undefined) status.goesOn();
      else status.waits(`The conversion stands still: ${stuck}`);
    }
  };
  // It ends with what it watches, and what it cannot find out takes nothing away.
  watching.run(watch).catch(() => undefined);
  try {
    return await work();
  } finally {
    watching.cancel();
    status.goesOn();
  }
}
