/** The ledger of one user of the service: who may send, what was spent, and whether the account is on hold. */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities';
import * as policy from '../src/ledger';
import { LEDGER_ID, type LedgerInput, type Opened } from '../src/ledger/messages';
import type { Settlement } from '../src/paying/open-sends';
import { FailureType } from '../src/runs/failure-types';
import { queueName } from '../src/temporal/queues';
import { Book, DROPS_PROMISES, REREADS, since } from './ledger/book';
import { handleQuestions, handleWorkers } from './ledger/handlers';
import { askWorkers, handedOn } from './ledger/opening';
import { handlePeople } from './ledger/people';
import { HEARTBEAT } from './shared/calls';
import { handOn } from './shared/handed';
import { allHandled, handledWhileWritten, hasUnwritten } from './shared/kept-acts';
import { epoch } from './shared/reset';
import { tell } from './shared/tell';
import { goesOnWithCurrentBuild } from './shared/versioned';

// ---- Constants

/** Off hold, while credits move or with a floor, the balance is read up to this many times more seldom. */
const BALANCE_EVERY = 10;
/** Many payments that wait share one reading. */
const MIN_BETWEEN_READINGS_MS = 1_000;
/** A ledger that was evicted from a worker's memory answers when it is replayed: a short history is soon replayed. */
const MAX_EVENTS = 1_500;
const MIN_EVENTS = 50;
const MAX_HISTORY_BYTES = 5_000_000;
/** How long a run that is to continue as new waits for the next entry of the log of what people did. */
const WRITTEN_WITHIN_MS = 15_000;
/** And for all of them: meanwhile it reads no balance. */
const HANDED_ON_WITHIN_MS = 120_000;
const NOBODY_TELLS = 'no worker has answered';

// ---- Workflow

goesOnWithCurrentBuild(accountLedger);

/**
 * An entity workflow that never ends: every call that costs or must not happen twice, of every run and process, asks it
 * first (S1, S3), because nothing else sees them all.
 */
export async function accountLedger(start?: LedgerInput): Promise<void> {
  if (!LEDGER_ID.test(workflowInfo().workflowId))
    throw ApplicationFailure.nonRetryable(
      'accountLedger cannot start with this input: it takes none, and workers start it themselves, one for each user under the ID account-ledger.{user}, as soon as it is needed.',
      FailureType.badInput,
    );
  const input = start ?? {};
  const book = new Book();
  // Runs from before this patch leave what people say to the next one.
  const keepsSaid = patched('keepsSaid');
  // And those from before this one do not note the balance, nor compare it with the books.
  const notesBalance = patched('notesBalance');
  const notes = notesBalance ? policy.NOTES : policy.WORDS;
  let probeEveryMs = 0;
  let probedAt = 0;
  let rereadAt = 0;
  const open = (opened: Opened) => {
    probeEveryMs = opened.probeEveryMs;
    const known = notesBalance ? opened.state : policy.withoutComparison(opened.state);
    const { unread, ...state } = known;
    const before = unread && patched(REREADS) ? known : state;
    const clipped = since(() => patched('clipsTurns'), before, policy.withTurnsOf(before, Date.now()));
    book.open(since(() => patched(DROPS_PROMISES), clipped, policy.permitsOfBefore(clipped, Date.now())));
  };
  // The Web UI offers updates in the order of their handlers. What has waited for the run is heard in that order, too: those
  // of before go on as they were.
  for (const handle of patched('peopleFirst') ? [handlePeople, handleWorkers] : [handleWorkers, handlePeople])
    handle(book);
  handleQuestions(book);
  const given = handedOn(input);
  if (given) open(given);

  for (;;) {
    if (!book.isOpen) {
      const before = epoch();
      const opened = await askWorkers();
      // The answer to what was asked before a reset knows nothing of what came after.
      if (epoch() === before) open(opened);
    } else if (renewalDue(input)) {
      // With what people said written down, if that does not take long; what holds by it is handed on in any case.
      // Runs from before this patch wait once, and not for what is said while somebody still waits for an answer.
      if (!allHandled() && patched('waitsWhileWritten'))
        await handledWhileWritten(WRITTEN_WITHIN_MS, HANDED_ON_WITHIN_MS);
      else if (hasUnwritten()) await condition(() => !hasUnwritten(), WRITTEN_WITHIN_MS);
      await condition(allHandlersFinished);
      if (book.isOpen) break;
    } else await tend();
  }
  const { state } = book;
  return continueAsNew<typeof accountLedger>({ maxEvents: mostEvents(input), ...handOn({ probeEveryMs, state }) });

  /** Does what is due, or waits for it. */
  async function tend(): Promise<void> {
    tellNews();
    const due = nextDue();
    if (due > Date.now()) {
      // Woken only for what comes sooner than what it waits for: a timer for each message would be half of the history.
      const wake = () => !book.isOpen || nextDue() < due || untold().length > 0 || renewalDue(input);
      if (Number.isFinite(due)) await condition(wake, due - Date.now());
      else await condition(wake);
    } else if (nextRereading() <= Date.now()) await rereadBooks();
    else if (nextProbe() <= Date.now()) await probe();
    else await seeToAbandoned();
    // A day may have ended meanwhile, or a park.
    if (book.isOpen) book.change(book.state);
  }

  function dearer(): string[] {
    return policy.dearer(book.state).map(({ kind, real }) => `${kind}: ${real} credits`);
  }

  /** Holds that have begun or ended since people were told last, and calls that cost more. */
  function untold() {
    const { kinds = [], prices = [] } = book.state.told ?? {};
    const now = book.state.holds.map(({ kind }) => kind);
    return [
      ...now.filter((kind) => !kinds.includes(kind)).map((what) => ({ kind: 'holdBegan', what }) as const),
      ...kinds.filter((kind) => !now.includes(kind)).map((what) => ({ kind: 'holdEnded', what }) as const),
      ...dearer().flatMap((what) => (prices.includes(what) ? [] : ({ kind: 'priceRose', what } as const))),
    ];
  }

  function tellNews(): void {
    const { state } = book;
    const { account, holds, told } = state;
    let nth = told?.count ?? 0;
    const news = untold();
    if (news.length === 0) return;
    for (const { kind, what } of news) void tell({ kind, account, what, nth: ++nth });
    book.change({ ...state, told: { kinds: holds.map(({ kind }) => kind), prices: dearer(), count: nth } });
  }

  /** When to probe next: soon on hold, on request or to compare, seldom after credits moved or with a floor, else never. */
  function nextProbe(): number {
    const { state } = book;
    if (state.restingSince !== undefined) return Number.POSITIVE_INFINITY;
    return Math.min(nextReading(state), policy.nextComparison(state, probedAt, probeEveryMs));
  }

  function nextReading(state: policy.LedgerState): number {
    if (book.readNow) return probedAt + Math.min(MIN_BETWEEN_READINGS_MS, probeEveryMs);
    if (book.balanceWanted || state.holds.some(({ kind }) => kind !== 'manual' && kind !== 'books'))
      return probedAt + probeEveryMs;
    const telling = policy.nextReading(state);
    // Where there is a floor, keep reading: a top-up, of which nobody tells us, may lift the balance above it.
    const { balanceFloor } = policy.budgetInForce(state, Date.now());
    if (!Number.isFinite(telling) && balanceFloor === 0) return telling;
    return probedAt + Math.min(BALANCE_EVERY * probeEveryMs, Math.max(probeEveryMs, telling - probedAt));
  }

  function nextDue(): number {
    const abandoned = policy.abandoned(book.state).map(({ dueAt }) => dueAt);
    return Math.min(nextProbe(), nextRereading(), policy.nextChange(book.state, Date.now()), ...abandoned);
  }

  function nextRereading(): number {
    if (keepsSaid && book.state.restingSince !== undefined) return Number.POSITIVE_INFINITY;
    if (book.state.unread) return book.state.unread.triedAt + probeEveryMs;
    if (book.isBehind) return rereadAt + probeEveryMs;
    return hasUnkept() ? rereadAt + MIN_BETWEEN_READINGS_MS : Number.POSITIVE_INFINITY;
  }

  /** Whether people said something that the books lack, and there are books to take it. */
  function hasUnkept(): boolean {
    const { state } = book;
    return keepsSaid && policy.isUnkept(state, notes) && policy.booksApart(state, Date.now()) === undefined;
  }

  /** S8: what people said is written into the books in the storage, and what these know and it does not, it takes over. */
  async function rereadBooks(): Promise<void> {
    rereadAt = Date.now();
    book.isBehind = false;
    const asked = { at: rereadAt, open: book.state.flights.open };
    const said = hasUnkept() ? policy.saidOf(book.state) : undefined;
    const { timeZone } = book.state;
    const found = await ask((activities) => activities.rereadBooks(said, timeZone));
    if (!book.isOpen) return;
    const reread = policy.reread(book.state, found ?? { unread: NOBODY_TELLS }, asked, Date.now());
    book.change(notesBalance ? reread : policy.withoutComparison(reread));
    const isKept = !said || !policy.hasLater(policy.momentsOf(said), book.state.keptSaid ?? {}, notes);
    if (!found || found.unread !== undefined || !isKept) book.isBehind = true;
    rereadAt = Date.now();
    book.balanceWanted ||= !policy.isRead(book.state);
  }

  /** One cheap GET: it tells the balance, and whether the kill switch is off and the token valid again. */
  async function probe(): Promise<void> {
    const askedAt = Date.now();
    probedAt = askedAt;
    // Who wants a reading from now on waits for the next.
    book.readNow = false;
    const answer = await ask((activities, account) => activities.probe({ account }));
    if (!answer || !book.isOpen) return;
    book.balanceWanted = false;
    const { state } = book;
    if (answer.kind === 'otherUser') {
      // Unless a worker that works for this one has said so since it was asked.
      if ((state.configuredAt ?? 0) <= askedAt) book.change(policy.rest(state, Date.now()));
      return;
    }
    const free = policy.release(state, 'killSwitch', 'token', 'otherUser');
    book.change(
      'problem' in answer
        ? policy.answeredWithoutBalance(free, answer.problem, Date.now())
        : (notesBalance ? policy.compareBalance : policy.readBalance)(free, answer.balance, askedAt, Date.now()),
    );
  }

  /** S6: a send that no run settles (its run was terminated) is looked up and booked by the ledger itself. */
  async function seeToAbandoned(): Promise<void> {
    const due = policy.abandoned(book.state).filter(({ dueAt }) => dueAt <= Date.now());
    // A look may take minutes: the balance and what people say do not wait for many of them. Runs from before made all at once.
    const next = patched('looksOneByOne') ? due.sort((one, other) => one.dueAt - other.dueAt).slice(0, 1) : due;
    for (const { subject, credits } of next) {
      const lookedAt = Date.now();
      const { found, inVain } = credits === 0 ? ({ found: 'free' } as const) : await lookUp(subject);
      if (!book.isOpen) return;
      const { state } = book;
      if (found === 'cannotTell') book.change(policy.postpone(state, subject, Date.now(), inVain));
      else {
        const settlement = {
          // Nothing to book; whoever wants it again has to look first.
          free: { kind: 'over' },
          found: { kind: 'foundPaid' },
          notFound: { kind: 'foundNothing', lookedAt },
        }[found] as Settlement;
        const settled = { subject, attempt: '', run: 'ledger', settlement };
        book.change(policy.settle(state, settled, Date.now()).state);
      }
    }
  }

  async function lookUp(subject: string) {
    const answer = await ask((activities, account) => activities.lookUp({ account, subject }));
    return { found: answer?.found ?? 'cannotTell', inVain: answer?.inVain };
  }

  /**
   * Asks the service, through a worker of the account's.
   * @returns undefined without an answer; also when the account has another name by then, whose workers are others
   */
  function ask<T>(question: (activities: Activities, account: string) => Promise<T>): Promise<T | undefined> {
    const { account } = book.state;
    return CancellationScope.cancellable(async () => {
      const renamed = condition(() => !book.isOpen || book.state.account !== account).then(() => undefined);
      const answer = question(asking(account), account).catch(() => undefined);
      try {
        const told = await Promise.race([answer, renamed]);
        // Whoever completes it by hand may say anything.
        return typeof told === 'object' && told !== null ? told : undefined;
      } finally {
        renamed.catch(() => undefined);
        CancellationScope.current().cancel();
      }
    });
  }
}

// ---- Helpers

/** The ledger's own questions to the service. */
const asking = (account: string) =>
  proxyActivities<Activities>({
    taskQueue: queueName(account, 'reads'),
    // A question that no worker takes must not keep the ledger from continuing as new.
    scheduleToCloseTimeout: '2 minutes',
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: HEARTBEAT,
    allowEagerDispatch: false,
    priority: { priorityKey: 1 },
  });

/** What whoever started it wishes, within bounds. */
const mostEvents = ({ maxEvents }: LedgerInput): number =>
  Number.isInteger(maxEvents) ? Math.min(MAX_EVENTS, Math.max(MIN_EVENTS, maxEvents ?? 0)) : MAX_EVENTS;

const renewalDue = (input: LedgerInput): boolean => {
  const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
  return continueAsNewSuggested || historyLength > mostEvents(input) || historySize > MAX_HISTORY_BYTES;
};
