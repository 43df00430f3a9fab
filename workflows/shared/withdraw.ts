/**
 * Withdrawing: a run that has got nothing yet ends, and one that has goes on. The run that began it sends the signal,
 * and it decides itself: it finds out what became of what it has sent, sends nothing more, and ends without paying
 * (S3, S6).
 */
import {
  CancellationScope,
  CancelledFailure,
  defineSignal,
  isCancellation,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

/** Whose child is meant. */
export interface Withdrawal {
  /** Its first run: by then another one may have its workflow ID. @default whichever has it */
  of?: string;
}

export const withdrawSignal = defineSignal<[Withdrawal?]>('withdraw');

/** The reason of a result. */
export const WITHDRAWN = 'withdrawn';

/** S7: what a run does that is withdrawn before it has tried anything. */
export const ASKS_BOOKS = 'It was withdrawn, and asks the books of the account whether it has paid before.';

/** Of this run: it has its modules for itself. */
const own = { asked: false, got: false, end: () => {} };

/** Something that was sent has happened: the rest belongs to it, and is not given up for another run's sake. */
export function gotSomething(): void {
  own.got = true;
}

/**
 * The run itself was cancelled and ends as cancelled, even if a call or a child first tells it that nobody wants it any
 * more: those ask the server, which knows of a cancellation before the run does.
 */
export const endsCancelled = (): boolean => CancellationScope.current().consideredCancelled && patched('endsCancelled');

/** Ends the run before it sends: nobody wants it any more. */
export function withdrawn(): never {
  if (!endsCancelled()) {
    own.asked = true;
    own.end();
  }
  throw new CancelledFailure('withdrawn');
}

/** Lets the run that began this one withdraw it. */
export function mayBeWithdrawn(): void {
  const scope = CancellationScope.current();
  own.end = () => scope.cancel();
  setHandler(
    withdrawSignal,
    (meant) => {
      if (own.got || own.asked || !isMeant(meant)) return;
      own.asked = true;
      own.end();
    },
    {
      description:
        'Internal: sent by the run that began this one, when it is stopped: ends it unless it has got something already.',
    },
  );
}

/** Anybody may send anything. */
function isMeant(meant: unknown): boolean {
  if (typeof meant !== 'object' || meant === null || !('of' in meant)) return true;
  return meant.of === workflowInfo().firstExecutionRunId;
}

/** The run ends by this because nobody wants it any more, and has sent nothing whose outcome is not known. */
export const isWithdrawal = (error: unknown): boolean => own.asked && isCancellation(error);
