/**
 * Withdrawing: what has got nothing yet ends, and what has goes on. Who began a run says it, and the run decides: of what it
 * has sent it finds out what became, it sends nothing more, and ends without paying (S3, S6).
 */
import { CancellationScope, CancelledFailure, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';

export const withdrawSignal = defineSignal('withdraw');

/** The reason of a result. */
export const WITHDRAWN = 'withdrawn';

/** Of this run: it has its modules for itself. */
const own = { asked: false, got: false, end: () => {} };

/** Something that was sent has happened: the rest belongs to it, and is not given up for another run's sake. */
export function gotSomething(): void {
  own.got = true;
}

/** Ends the run before it sends: nobody wants it any more. */
export function withdrawn(): never {
  own.asked = true;
  own.end();
  throw new CancelledFailure('withdrawn');
}

/** Lets the run that began this one withdraw it. */
export function mayBeWithdrawn(): void {
  const scope = CancellationScope.current();
  own.end = () => scope.cancel();
  setHandler(
    withdrawSignal,
    () => {
      if (own.got || own.asked) return;
      own.asked = true;
      own.end();
    },
    {
      description:
        'Sent by the run that began this one, when it is stopped: ends it unless it has got something already.',
    },
  );
}

/** The run ends by this because nobody wants it any more, and has sent nothing whose outcome is not known. */
export const isWithdrawal = (error: unknown): boolean => own.asked && isCancellation(error);
