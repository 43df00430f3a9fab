/** What can be done to the activities of a run. */
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { handleOf, type Perform } from './act';
import type { World } from './world';

interface At {
  namespace: string;
  execution: { workflowId: string };
  id: string;
  identity: string;
}

/** @param change what is done to each that is pending; one that has just ended is left */
const toPending =
  (change: (service: World['service'], at: At) => Promise<unknown>): Perform =>
  async (world, target) => {
    const { raw } = await handleOf(world, target).describe();
    const pending = raw.pendingActivities ?? [];
    const at = { namespace: world.namespace, execution: { workflowId: target.workflowId }, identity: 'case' };
    for (const { activityId } of pending)
      await change(world.service, { ...at, id: activityId ?? '' }).catch(() => undefined);
    return pending.length === 0 ? { none: true } : undefined;
  };

export const resetActivities = toPending((service, at) => service.resetActivity(at));

const pauseThem = toPending((service, at) => service.pauseActivity({ ...at, reason: 'case' }));
const unpauseThem = toPending((service, at) => service.unpauseActivity(at));

export const pauseActivities: Perform = async (world, target) => {
  if ((await pauseThem(world, target))?.none) return { none: true };
  return { undo: () => unpauseThem(world, target).catch(() => undefined) };
};

/** One second for each try, and no second one. */
export const hurryActivities = toPending((service, at) =>
  service.updateActivityOptions({
    ...at,
    activityOptions: { startToCloseTimeout: msToTs('1 second'), retryPolicy: { maximumAttempts: 1 } },
    updateMask: { paths: ['start_to_close_timeout', 'retry_policy.maximum_attempts'] },
  }),
);

/** By `temporal activity complete`. */
export const completeWith = (result: unknown) =>
  toPending((service, { execution: { workflowId }, id, ...at }) =>
    service.respondActivityTaskCompletedById({
      ...{ ...at, workflowId, activityId: id },
      result: { payloads: [defaultPayloadConverter.toPayload(result)] },
    }),
  );

/** By `temporal activity fail`. */
export const failActivities = toPending((service, { execution: { workflowId }, id, ...at }) =>
  service.respondActivityTaskFailedById({
    ...{ ...at, workflowId, activityId: id },
    failure: { message: 'case', applicationFailureInfo: { type: '', nonRetryable: true } },
  }),
);
