/** The books of a ledger: closed until it is known what stands in them, and again when the run is reset. */

import { ApplicationFailure, patched, setCurrentDetails, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { isRead, type LedgerState } from '../../src/ledger';
import { describeLedger } from '../../src/ledger/details';
import { isSamePassage, PASSAGE, type Passage, passageOf } from '../../src/ledger/passage';
import { FailureType } from '../../src/runs/failure-types';
import { withRoom } from '../../src/text/details';
import { md } from '../../src/text/md';
import { utc } from '../../src/time/utc';
import { epoch } from '../shared/reset';

const OPENING =
  'The ledger is finding out from a worker what is in its books. Until it knows, it grants nothing, and takes nothing but a hold: try again in a moment.';
const opening = () => ApplicationFailure.nonRetryable(OPENING, FailureType.opening);

/** Runs from before this patch read the books in the storage only when they open. */
export const REREADS = 'rereadsBooks';
/** Runs from before this one do not mind books that have less. */
export const COMPARES = 'comparesBooks';
/** Runs from before this one do not mind books that are elsewhere. */
export const MINDS_PLACE = 'mindsPlaceOfBooks';

/** Runs from before this one give no request its turn. */
export const TAKES_TURNS = 'takesTurns';
/** Runs from before this one give a request that needs no grant its turn while its class is parked. */
export const MINDS_PARKS = 'mindsParks';
/** Runs from before this one let permits that were not used grow old. */
export const TAKES_BACK_PERMITS = 'takesBackPermits';
/** Runs from before this one take it that a ledger which was lost had given no permit. */
export const MINDS_LOST_PERMITS = 'mindsLostPermits';
/** Runs from before this one keep what they have promised, whatever happens. */
export const DROPS_PROMISES = 'dropsPromises';
/** Runs from before this one tell what calls must know of only by the query `status`. */
const TELLS_PASSAGE = 'tellsPassage';

/** What a change of policy makes of a state: runs from before its patch stay at what they had. */
export const since = (isPatched: () => boolean, before: LedgerState, after: LedgerState): LedgerState =>
  after !== before && isPatched() ? after : before;

export class Book {
  /** The balance is to be read soon. */
  balanceWanted = false;
  /** A payment waits for a reading of it. */
  readNow = false;
  /** The books in the storage know of more payments. */
  isBehind = false;
  private books: LedgerState | undefined;
  private openedIn: object | undefined;
  /** What the memo says of it since the books were opened. */
  private told: Passage | undefined;

  constructor() {
    setCurrentDetails(
      withRoom(
        md`**Opening** since ${utc(workflowInfo().runStartTime.getTime())} UTC: it asks the workers for their configuration and for what the previous ledger knew. Until they answer, nothing is granted. If this lasts, no worker is running whose token belongs to the user of this ledger.`,
      ),
    );
  }

  /** Nothing may be granted or booked before. */
  get isOpen(): boolean {
    return this.books !== undefined && this.openedIn === epoch();
  }

  /** @throws ApplicationFailure while it is closed */
  get state(): LedgerState {
    if (this.books === undefined || !this.isOpen) throw opening();
    return this.books;
  }

  /** @throws ApplicationFailure while it is closed */
  requireOpen(): void {
    if (!this.isOpen) throw opening();
  }

  open(state: LedgerState): void {
    this.openedIn = epoch();
    this.balanceWanted = !isRead(state);
    this.books = state;
    // The memo goes back with a reset, and is the word of the run before.
    this.told = undefined;
    this.change(state);
  }

  change(next: LedgerState): void {
    this.books = next;
    setCurrentDetails(withRoom(describeLedger(next, Date.now())));
    this.tell(passageOf(next, workflowInfo().runId, Date.now()));
  }

  /** S5: what calls must know before they leave. */
  private tell(passage: Passage): void {
    if (this.told && isSamePassage(this.told, passage)) return;
    if (!patched(TELLS_PASSAGE)) return;
    this.told = passage;
    upsertMemo({ [PASSAGE]: passage });
  }
}
