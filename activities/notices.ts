/** Tells people beside showing: the notifications that are configured. */
import { ApplicationFailure } from '@temporalio/common';
import type { Notice } from '../src/notify/message';
import { deliver } from '../src/notify/receiver';
import type { Deps } from './deps';

export function createNoticesActivities({ receiver, linkTo, log }: Deps) {
  return {
    /**
     * Tells the receiver, if there is one that wants this kind. Repeated by Temporal; the receiver knows a repetition by its
     * `webhook-id`. No call of the API.
     */
    async tell(notice: Notice): Promise<void> {
      if (!receiver?.kinds.includes(notice.kind)) return;
      await deliver(receiver, notice, linkTo(notice.workflowId, notice.runId)).catch((error: Error) => {
        log.warn({ err: error, kind: notice.kind }, 'a notification was not delivered; it is tried again');
        throw ApplicationFailure.retryable(error.message, 'NotDelivered');
      });
    },
  };
}
