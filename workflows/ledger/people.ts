/** A ledger's handlers of what people say: of what they said the later word counts, and each once (S8). */
import { ApplicationFailure, condition, currentUpdateInfo, patched, setHandler } from '@temporalio/workflow';
import { AdjustSaid, BudgetSaid, ClearSaid, Reasoned, ReleaseSaid } from '../../src/inputs/person-messages';
import * as policy from '../../src/ledger';
import { describeCause, describeReleased } from '../../src/ledger/describe-holds';
import { describeWanted } from '../../src/ledger/details';
import * as messages from '../../src/ledger/messages';
import { FailureType } from '../../src/runs/failure-types';
import { loosens } from '../shared/kept-acts';
import { LATER_WORD, overtakes, overtakesLimits } from '../shared/overtaken';
import { wasReset } from '../shared/reset';
import { checked, note } from '../shared/said';
import { type Book, DROPS_PROMISES, since } from './book';

const onceOpened = <R>(book: Book, handle: () => R): Promise<R> => condition(() => book.isOpen).then(handle);

/**
 * A ledger that was reset is told once more what people said after the moment to which it went back, in any order, and cannot
 * tell that from what is new. Its books, which it asks for first, know of that. So while they are closed, nothing counts but a
 * hold. It is taken and refused, and not just refused: the server may tell once more what it only knows as refused.
 */
const isRetold = (book: Book): boolean => !book.isOpen && wasReset() && patched(LATER_WORD);

/** What a person says waits until the books are open. */
const whileOpen =
  <T, R>(book: Book, handle: (said: T) => R) =>
  (said: T): R | Promise<R> => {
    if (isRetold(book)) book.requireOpen();
    return book.isOpen ? handle(said) : onceOpened(book, () => handle(said));
  };

/** What holds an account is said once: it waits until the books are open, and counts unless they know of it. */
const inTurn =
  <T, R>(book: Book, handle: (said: T) => R) =>
  (said: T): R | Promise<R> =>
    book.isOpen
      ? handle(said)
      : onceOpened(book, () => {
          if (wasReset() && policy.knowsAct(book.state, currentUpdateInfo()?.id) && patched(LATER_WORD))
            throw ApplicationFailure.nonRetryable('It is known from before the reset.', FailureType.badInput);
          return handle(said);
        });

/** S8: the books mind no word while the call may still be booked. */
const COUNTS_A_WHILE =
  'If the books have reserved credits for it, these count towards the ceilings until an hour after it is over.';

const wordOf = <T>({ by = 'somebody' }: Reasoned, value: T) => ({ value, by, at: Date.now() });

/** What people may change; who did it and why is kept. */
export function handlePeople(book: Book): void {
  const act = (
    next: policy.LedgerState,
    what: string,
    { by = 'somebody', reason }: Reasoned,
    said: policy.Said = {},
  ) => {
    const id = currentUpdateInfo()?.id;
    const action = { at: Date.now(), by, what, reason, ...(id !== undefined && { id }) };
    note((who) => {
      if (!book.isOpen) return;
      const actions = book.state.actions?.map((one) => (one === action ? { ...one, ...who } : one));
      book.change({ ...book.state, ...(actions && { actions }) });
    });
    book.change(policy.withAction(policy.say(next, said), action));
  };
  for (const update of ['release', 'clear']) loosens(update, () => !isRetold(book));
  loosens('adjust', ({ credits }: AdjustSaid) => credits < 0 && !isRetold(book));
  loosens('setBudget', (wanted: BudgetSaid) => book.isOpen && policy.allowsMore(book.state, wanted, Date.now()));
  setHandler(
    messages.setBudgetUpdate,
    ({ by, reason, ...wanted }) => {
      const [who, at] = [by ?? 'somebody', Date.now()];
      const next = policy.setBudget(book.state, wanted, who, at);
      const limits = policy.LIMITS.filter((limit) => wanted[limit] !== undefined);
      overtakesLimits(wanted, who, 'setBudget');
      act(next, describeWanted(wanted), { by, reason }, policy.wordsOn(next, limits, who, at));
      return policy.budgetInForce(book.state, Date.now());
    },
    {
      description:
        'Changes what may be spent, up to what is configured: {"perDay": 20000, "balanceFloor": 0, "reason": "…", "by": "…"}. Give the configured value, or perDay null where none is configured, for no limit besides the configuration.',
      validator: checked(BudgetSaid, 'setBudget', (wanted) => {
        const refusal = book.isOpen ? policy.budgetRefusal(book.state, wanted, Date.now()) : undefined;
        if (refusal) throw new Error(`setBudget: ${refusal}`);
      }),
    },
  );
  setHandler(
    messages.holdUpdate,
    inTurn(book, (said) => {
      const hold = { kind: 'manual', since: Date.now(), reason: said.reason } as const;
      const already = book.state.holds.find(({ kind }) => kind === hold.kind);
      // A later hold of a worker's counts for nothing here: its cause, if it is still there, puts the account on hold again.
      overtakes('release', `the account was put on hold by ${said.by ?? 'somebody'}`);
      act(policy.hold(book.state, hold), 'put on hold', said, { hold: wordOf(said, said.reason) });
      const held = 'nothing that costs or that could happen twice is sent until it is released';
      return already
        ? `The account was on hold already, ${describeCause(already)}: ${held}, and one release ends both.`
        : `The account is on hold: ${held}.`;
    }),
    {
      description: 'Puts the account on hold: {"reason": "…", "by": "…"}',
      validator: checked(Reasoned, 'hold'),
    },
  );
  setHandler(
    messages.releaseUpdate,
    whileOpen(book, ({ parks = false, ...said }) => {
      const what = parks ? 'released, with what a 429 has parked' : 'released';
      const answer = describeReleased(book.state, parks);
      const state = parks
        ? since(() => patched(DROPS_PROMISES), book.state, policy.promisedToNobody(book.state))
        : book.state;
      act(policy.releaseAll(state, parks, Date.now()), what, said, { hold: wordOf(said, null) });
      return answer;
    }),
    {
      description:
        'Lifts every hold of the account: {"reason": "…", "by": "…"}. What the service asked to wait for (429) goes on when that is over; with "parks": true new calls go on at once, runs that already wait for a read look at least every hour, and the service may refuse it again.',
      validator: checked(ReleaseSaid, 'release'),
    },
  );
  setHandler(
    messages.clearUpdate,
    whileOpen(book, ({ subject, ...said }) => {
      const { state, cleared } = policy.clear(book.state, subject);
      if (cleared) act(state, `cleared ${subject}`, said);
      const held = cleared ? 'It is no longer held.' : "The ledger did not hold it; see 'open' in the status.";
      return `${held} ${COUNTS_A_WHILE}`;
    }),
    {
      description:
        'Says that an open send is over and did not happen: {"subject": "lead:…", "reason": "…", "by": "…"}. Look into the web app first.',
      validator: checked(ClearSaid, 'clear'),
    },
  );
  setHandler(
    messages.adjustUpdate,
    whileOpen(book, ({ credits, ...said }) => {
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
