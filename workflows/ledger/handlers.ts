/** A ledger's handlers. No worker's message waits, so that a grant is one workflow task old at most (S1). */
import { condition, patched, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { AdjustSaid, BudgetSaid, ClearSaid, Reasoned, ReleaseSaid } from '../../src/inputs/person-messages';
import * as policy from '../../src/ledger';
import { describeWanted } from '../../src/ledger/details';
import * as messages from '../../src/ledger/messages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { loosens } from '../shared/kept-acts';
import { checked, note } from '../shared/said';
import { type Book, COMPARES, MINDS_PLACE, REREADS, TAKES_TURNS } from './book';
import { obstacleOf, statusOf } from './ledger-status';
import { requireShape, shapes } from './validate';

/** Refuses messages until the ledger knows what is in its books: their senders repeat them. */
const onceOpen =
  <T>(book: Book, validator: (message: T) => void) =>
  (message: T): void => {
    book.requireOpen();
    validator(message);
  };

/** What a person says is said once: it waits until the books are open. */
const inTurn =
  <T, R>(book: Book, handle: (said: T) => R) =>
  (said: T): R | Promise<R> =>
    book.isOpen ? handle(said) : condition(() => book.isOpen).then(() => handle(said));

/** What workers say: before and after each call that must not happen twice, and what the service told them. */
export function handleWorkers(book: Book): void {
  setHandler(
    messages.beginSendUpdate,
    ({ turn, ...request }) => {
      const gives = turn !== undefined && patched(TAKES_TURNS);
      const awake = policy.wake(turn && !gives ? policy.withoutTurns(book.state) : book.state);
      const { state, answer } = policy.beginSend(awake, { ...request, ...(gives && { turn }) }, Date.now());
      if (answer.kind === 'capped' && answer.cap === 'floor') book.balanceWanted = true;
      book.change(state);
      return answer;
    },
    {
      validator: onceOpen(book, requireShape(shapes.beginSend)),
      description: 'Internal: asked by a call just before it sends: may this attempt send for this subject?',
    },
  );
  setHandler(
    messages.settleUpdate,
    (request) => {
      const { state, booked } = policy.settle(book.state, request, Date.now());
      book.change(state);
      return booked;
    },
    {
      validator: onceOpen(book, requireShape(shapes.settle)),
      description: 'Internal: books what became of a call; answers the credits booked by this very message.',
    },
  );
  setHandler(
    messages.configureUpdate,
    (configured) => {
      const { account } = configured;
      if (account !== book.state.account)
        upsertSearchAttributes([{ key: searchAttributeKeys.account, value: account }]);
      // What stood in the way of reading it may have been corrected.
      if (book.state.restingSince !== undefined || book.state.unreadable) book.balanceWanted = true;
      if (policy.isBehind(book.state, configured) && patched(REREADS)) book.isBehind = true;
      const known = policy.noteUnkept(book.state);
      const heard = policy.noteUnkept(policy.configure(known, configured, Date.now()));
      const located = patched(MINDS_PLACE) ? policy.placed(heard, configured, Date.now()) : heard;
      book.change(patched(COMPARES) ? policy.compared(located, configured, Date.now()) : located);
      return Date.now();
    },
    {
      validator: onceOpen(book, requireShape(shapes.configure)),
      description:
        'Internal: sent by each worker at its start, every five minutes and when its configuration changes: the account, its budget and timing.',
    },
  );
  setHandler(messages.leaveUpdate, ({ worker }) => book.change(policy.leave(book.state, worker, Date.now())), {
    validator: onceOpen(book, requireShape(shapes.leave)),
    description:
      'Internal: sent by a worker that ends: what it is configured with counts no longer, where others are left.',
  });
  setHandler(
    messages.readBalanceUpdate,
    () => {
      book.change(policy.wake(book.state));
      book.balanceWanted = true;
      book.readNow = true;
      return Date.now();
    },
    {
      validator: onceOpen(book, requireShape(shapes.nothing)),
      description:
        'Internal: sent by a worker before it pays, where a part of the balance must remain: the balance is read now.',
    },
  );
  setHandler(
    messages.reportHoldUpdate,
    (hold) => book.change(policy.hold(policy.wake(book.state), { ...hold, since: Date.now() })),
    {
      validator: onceOpen(book, requireShape(shapes.hold)),
      description: 'Internal: sent by a worker that met a kill switch, a revoked token or an empty balance.',
    },
  );
  setHandler(
    messages.takeTurnUpdate,
    ({ rateClass, ...asked }) => {
      if (!patched(TAKES_TURNS)) {
        book.change(policy.withoutTurns(book.state));
        return { gives: 'none' };
      }
      const { state, inMs } = policy.askTurn(policy.wake(book.state), rateClass, asked, Date.now());
      book.change(state);
      return { inMs };
    },
    {
      validator: onceOpen(book, requireShape(shapes.takeTurn)),
      description: 'Internal: asked by a call that may be repeated, just before it writes: is it its turn?',
    },
  );
  setHandler(
    messages.parkUpdate,
    ({ rateClass, forMs }) => book.change(policy.park(book.state, rateClass, Date.now() + forMs, Date.now())),
    {
      validator: onceOpen(book, requireShape(shapes.park)),
      description: 'Internal: sent by a worker that met a 429: its whole class waits.',
    },
  );
}

const wordOf = <T>({ by = 'somebody' }: Reasoned, value: T) => ({ value, by, at: Date.now() });

/** What people may change; who did it and why is kept. */
export function handlePeople(book: Book): void {
  const act = (
    next: policy.LedgerState,
    what: string,
    { by = 'somebody', reason }: Reasoned,
    said: policy.Said = {},
  ) => {
    const action = { at: Date.now(), by, what, reason };
    note((who) => {
      if (!book.isOpen) return;
      const actions = book.state.actions?.map((one) => (one === action ? { ...one, ...who } : one));
      book.change({ ...book.state, ...(actions && { actions }) });
    });
    book.change(policy.withAction(policy.say(next, said), action));
  };
  for (const update of ['release', 'clear']) loosens(update);
  loosens('adjust', ({ credits }: AdjustSaid) => credits < 0);
  loosens('setBudget', (wanted: BudgetSaid) => book.isOpen && policy.allowsMore(book.state, wanted, Date.now()));
  setHandler(
    messages.setBudgetUpdate,
    ({ by, reason, ...wanted }) => {
      const [who, at] = [by ?? 'somebody', Date.now()];
      const next = policy.setBudget(book.state, wanted, who, at);
      const limits = policy.LIMITS.filter((limit) => wanted[limit] !== undefined);
      act(next, describeWanted(wanted), { by, reason }, policy.wordsOn(next, limits, who, at));
      return policy.budgetInForce(book.state, Date.now());
    },
    {
      description:
        'Changes what may be spent, up to what is configured: {"perDay": 20000, "balanceFloor": 0, "reason": "…", "by": "…"}. Give the configured value, or perDay null where none is configured, for no limit besides the configuration.',
      validator: onceOpen(
        book,
        checked(BudgetSaid, 'setBudget', (wanted) => {
          const refusal = policy.budgetRefusal(book.state, wanted, Date.now());
          if (refusal) throw new Error(`setBudget: ${refusal}`);
        }),
      ),
    },
  );
  setHandler(
    messages.holdUpdate,
    inTurn(book, (said) => {
      const hold = { kind: 'manual', since: Date.now(), reason: said.reason } as const;
      act(policy.hold(book.state, hold), 'put on hold', said, { hold: wordOf(said, said.reason) });
      return 'The account is on hold: nothing that costs or that could happen twice is sent until it is released.';
    }),
    {
      description: 'Puts the account on hold: {"reason": "…", "by": "…"}',
      validator: checked(Reasoned, 'hold'),
    },
  );
  setHandler(
    messages.releaseUpdate,
    inTurn(book, ({ parks = false, ...said }) => {
      const what = parks ? 'released, with what a 429 has parked' : 'released';
      act(policy.releaseAll(book.state, parks, Date.now()), what, said, { hold: wordOf(said, null) });
      return 'The account is released. A cause that is still there puts it on hold again.';
    }),
    {
      description:
        'Lifts every hold of the account: {"reason": "…", "by": "…"}. What the service asked to wait for (429) goes on when that is over; with "parks": true new calls go on at once, runs that already wait for a read look at least every hour, and the service may refuse it again.',
      validator: checked(ReleaseSaid, 'release'),
    },
  );
  setHandler(
    messages.clearUpdate,
    inTurn(book, ({ subject, ...said }) => {
      const { state, cleared } = policy.clear(book.state, subject);
      if (cleared) act(state, `cleared ${subject}`, said);
      return cleared ? 'It is no longer held.' : "It was not held; see 'open' in the status.";
    }),
    {
      description:
        'Says that an open send is over and did not happen: {"subject": "lead:…", "reason": "…", "by": "…"}. Look into the web app first.',
      validator: checked(ClearSaid, 'clear'),
    },
  );
  setHandler(
    messages.adjustUpdate,
    inTurn(book, ({ credits, ...said }) => {
      const adjustment = { subject: policy.ADJUSTMENT, run: policy.ADJUSTMENT, credits, at: Date.now() };
      act(policy.book(book.state, adjustment), `adjusted by ${credits} credits`, said);
      return policy.spentOn(book.state, Date.now());
    }),
    {
      description: 'Corrects today\'s sum: {"credits": -1000, "reason": "…", "by": "…"}',
      validator: checked(AdjustSaid, 'adjust'),
    },
  );
}

/**
 * What anybody may ask. Workflow time stands still between messages; the ledger wakes when it would answer otherwise, so that
 * no clock but the server's counts.
 */
export function handleQuestions(book: Book): void {
  setHandler(messages.statusQuery, () => statusOf(book.state, Date.now()), {
    description: 'Balance, sums, open sends, holds.',
  });
  setHandler(messages.obstacleQuery, (asked) => obstacleOf(book.state, asked, Date.now()), {
    description: 'What stands in the way of spending so many credits more: a hold, a cap, or nothing.',
  });
  setHandler(messages.stateQuery, () => book.state, { description: 'The whole state.' });
  setHandler(messages.booksQuery, () => (book.isOpen ? book.state : null), {
    description: 'The whole state, with which a ledger that replaces this one goes on; null: it has granted nothing.',
  });
  setHandler(
    messages.subjectQuery,
    (subject) => {
      const { open, settled, forgottenBefore } = book.state.flights;
      const [flight, last] = [open[subject], settled.find((one) => one.subject === subject)];
      return { ...(flight && { open: flight }), ...(last && { settled: last }), forgottenBefore };
    },
    { description: 'What is known of one subject, for example "lead:…".' },
  );
  setHandler(
    messages.claimsQuery,
    (but) => book.state.flights.settled.flatMap(({ ref, subject }) => (subject === but ? [] : (ref ?? []))),
    { description: 'What recently settled subjects became (projects, captures), but for one subject.' },
  );
}
