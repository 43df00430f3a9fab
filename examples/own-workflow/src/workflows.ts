import { executeChild, ParentClosePolicy, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { leadPipeline } from 'audit-runner/workflows';
import type * as activities from './activities.js';

const { notify } = proxyActivities<typeof activities>({ startToCloseTimeout: '30s' });

/** What the run takes; everything has a default. */
export interface BestLead {
  createdSince?: string;
  minReadiness?: number;
}

/** Converts the best of the week's leads, and then tells people. */
export async function bestLead({ createdSince = '7d', minReadiness = 60 }: BestLead = {}): Promise<string> {
  // audit-runner's own worker does this: caps, the look before paying and the books are as in any other run.
  const { ended, credits, plan, decisions } = await executeChild<typeof leadPipeline>('leadPipeline', {
    taskQueue: 'audit-runner',
    workflowId: `lead-pipeline.${workflowInfo().workflowId}`,
    args: [{ createdSince, scoring: { minReadiness }, maxConversions: 1, maxCredits: 1_000 }],
    // If this run is ended by hand, the pipeline is asked to end in good order rather than terminated.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
  // A long list is in the storage, which workflows do not read: then the page of the pipeline's run names the lead.
  const verdicts = 'inline' in decisions ? decisions.inline : [];
  const best = verdicts.find(({ outcome }) => outcome === 'converted');
  const text = best
    ? `Best lead of the week: ${best.id}, score ${best.score}, now project ${best.projectId ?? '(see its run)'}`
    : ended === 'done' && plan.conversions === 0
      ? 'Best lead of the week: no lead of the week qualified'
      : `Best lead of the week: the pipeline ended as ${ended} and spent ${credits} credits; see its run`;
  await notify(text);
  return text;
}
