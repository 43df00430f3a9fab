/** Notifications of a run: told in the background, and never in its way. */
import { workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities';
import type { Asked, Notice } from '../../src/notify/message';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { onControlQueue } from './control-queue';

/** How long a run that has nothing else to do waits for its notification to leave. */
export const TELL_WITHIN_MS = 300_000;

/** @param withinMs for how long it is tried; what cannot be told by then is in the Web UI all the same */
export async function tell(
  notice: Omit<Notice, 'workflowId' | 'runId' | 'workflowType'>,
  withinMs = 24 * 3_600_000,
): Promise<void> {
  const { workflowId, runId, workflowType } = workflowInfo();
  const activities = onControlQueue<Activities>({
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: withinMs,
    retry: { initialInterval: '5 seconds', maximumInterval: '1 hour' },
    allowEagerDispatch: false,
    summary: 'Notify',
  });
  await activities.tell({ ...notice, workflowId, runId, workflowType }).catch(() => undefined);
}

/** What started this run: `person`, `schedule`, `pipeline`, `backfill`… */
export const runKind = (): string | undefined =>
  workflowInfo().typedSearchAttributes.get(searchAttributeKeys.runKind) ?? undefined;

/**
 * A person is needed. Runs of a batch, and those that they start, leave it to the batch, whose digest tells of all of them.
 * @param asked what is to be decided, and how it is answered
 */
export function tellPersonNeeded(account: string, what: string, nth: number, asked: Asked): void {
  if (runKind() !== 'backfill') void tell({ kind: 'personNeeded', account, what, nth, ...asked });
}
