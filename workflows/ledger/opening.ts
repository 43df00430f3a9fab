/** How a ledger comes by its books (S1, S3). A workflow does not see who started it: it believes the server, and workers. */
import { isCancellation, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities';
import type { BooksTold } from '../../activities/books';
import * as policy from '../../src/ledger';
import type { LedgerInput, Opened } from '../../src/ledger/messages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { onControlQueue } from '../shared/control-queue';
import { handed } from '../shared/handed';
import { wasReset } from '../shared/reset';

/** What its account was called when it was begun may be what none is called any more. */
const workers = onControlQueue<Activities>(
  {
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 ms', maximumInterval: '5 seconds' },
    allowEagerDispatch: false,
    priority: { priorityKey: 1 },
    summary: 'What stands in the books',
  },
  true,
);

/** After a question that was ended by hand. */
const AGAIN_MS = 1_000;

/** What the run before handed on; undefined where this one was started, or reset: that one knows nothing of what came after. */
export function handedOn(given: LedgerInput): Opened | undefined {
  const opened = wasReset() ? undefined : handed<Opened>(given);
  return opened && { ...opened, state: policy.whole(opened.state, Date.now()) };
}

/** What a worker says: its configuration, and what the ledger before this one knew. */
export async function askWorkers(): Promise<Opened> {
  const { configured, probeEveryMs, before } = await untilTold();
  upsertSearchAttributes([
    { key: searchAttributeKeys.account, value: configured.account },
    { key: searchAttributeKeys.runKind, value: 'ledger' },
  ]);
  return { state: policy.reopen(before, configured, Date.now()), probeEveryMs };
}

/** Temporal repeats the question until a worker can say; a person may end it (`temporal activity fail`, `complete`), and not the ledger. */
async function untilTold(): Promise<BooksTold> {
  for (;;) {
    try {
      const told: Partial<BooksTold> | null = await workers.openBooks();
      if (told?.configured && told.before) return told as BooksTold;
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
    await sleep(AGAIN_MS);
  }
}
