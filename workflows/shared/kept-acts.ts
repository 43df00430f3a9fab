/**
 * What people say to a run, and it takes, is kept in the books of its account (S8), with what Temporal knows of who said it.
 * They are answered at once; a run that comes to its end well waits until it is written, or has been tried for a minute.
 */
import type { UpdateInput, WorkflowInboundCallsInterceptor } from '@temporalio/workflow';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  patched,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities';
import { INTERNAL_UPDATES } from '../../src/ledger/messages';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { type Answered, lastAnswered } from './said';
import { ownStatus } from './status';

const books = proxyActivities<Activities>({
  taskQueue: WORKFLOW_QUEUE,
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 ms', maximumInterval: '10 seconds' },
  allowEagerDispatch: false,
  summary: 'What a person said, for the books',
});

/** Of this run: acts that are not written yet. It has its modules for itself. */
let unwritten = 0;

export const hasUnwritten = (): boolean => unwritten > 0;

/** Every message is answered and written down: the condition for continuing as new, or for ending. */
export const allHandled = (): boolean => allHandlersFinished() && !hasUnwritten();

/** The last wait before a result: who said something is answered, and a cancellation now takes no result away (S6). */
export const allAnswered = (): Promise<void> => CancellationScope.nonCancellable(() => condition(allHandled));

export const keepsActs: WorkflowInboundCallsInterceptor = {
  handleUpdate(input, next) {
    const before = lastAnswered();
    const answer = next(input);
    // Handlers note what was said before they wait for anything.
    const noted = lastAnswered();
    if (!INTERNAL_UPDATES.has(input.name) && patched('keepsActs'))
      answer.then(
        () => keep(input, noted === before ? undefined : noted),
        () => undefined,
      );
    return answer;
  },
};

/** @param noted what the run's page and result say of it */
function keep({ name, updateId, args: [said] }: UpdateInput, noted: Answered | undefined): void {
  // By now: with the start of a run comes a message before the run has said whose it is.
  const account = workflowInfo().typedSearchAttributes.get(searchAttributeKeys.account);
  if (account === undefined) return;
  unwritten++;
  const written = () => {
    unwritten--;
  };
  CancellationScope.nonCancellable(() => books.keepAct({ account, update: name, id: updateId, said, when: Date.now() }))
    .then((who) => {
      if (noted === undefined) return;
      Object.assign(noted, { identity: '', ...who });
      ownStatus()?.heardWho();
    })
    .then(written, written);
}
