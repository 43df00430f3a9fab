/**
 * What people say to a run, and it takes, is kept in the books of its account (S8), with what Temporal knows of who said it.
 * They are answered at once; a run that comes to its end well waits until it is written and told, or each was tried for a minute.
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
import { lastNoted } from './said';
import { ownStatus } from './status';
import { tell } from './tell';

const books = proxyActivities<Activities>({
  taskQueue: WORKFLOW_QUEUE,
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 ms', maximumInterval: '10 seconds' },
  allowEagerDispatch: false,
  summary: 'What a person said, for the books',
});

/** How long somebody is told of an act; a run that has ended its work waits for that. */
const TELL_WITHIN_MS = 60_000;

/** Of this run: acts that are not written yet. It has its modules for itself. */
let unwritten = 0;
/** Acts of which somebody was told. */
let told = 0;

export const hasUnwritten = (): boolean => unwritten > 0;

/** Every message is answered and written down: the condition for continuing as new, or for ending. */
export const allHandled = (): boolean => allHandlersFinished() && !hasUnwritten();

/** The last wait before a result: who said something is answered, and a cancellation now takes no result away (S6). */
export const allAnswered = (): Promise<void> => CancellationScope.nonCancellable(() => condition(allHandled));

export const keepsActs: WorkflowInboundCallsInterceptor = {
  handleUpdate(input, next) {
    const before = lastNoted();
    const answer = next(input);
    const noted = lastNoted();
    if (!INTERNAL_UPDATES.has(input.name) && patched('keepsActs'))
      answer.then(
        () => keep(input, noted === before ? undefined : noted),
        () => undefined,
      );
    return answer;
  },
};

/** @param noted puts who it was onto the run's page, and into its result */
function keep({ name, updateId, args: [said] }: UpdateInput, noted: ReturnType<typeof lastNoted>): void {
  // By now: with the start of a run comes a message before the run has said whose it is.
  const account = workflowInfo().typedSearchAttributes.get(searchAttributeKeys.account);
  if (account === undefined) return;
  unwritten++;
  const written = () => {
    unwritten--;
  };
  CancellationScope.nonCancellable(async () => {
    const kept = await books.keepAct({ account, update: name, id: updateId, said, when: Date.now() }).catch((error) => {
      // Where it cannot be written down, people are told of it all the same.
      if (!patched('tellsUnkept')) throw error;
      return undefined;
    });
    const { notice, ...who } = kept ?? { notice: {} };
    if (kept) noted?.({ identity: '', ...who });
    ownStatus()?.heardWho();
    if (notice && (kept === undefined || patched('tellsActs')))
      await tell({ kind: 'personActed', account, what: name, ...notice, ...who, nth: ++told }, TELL_WITHIN_MS);
  }).then(written, written);
}
