/** A ledger's handlers of what is not said by people. No worker's message waits, so that a grant is one workflow task old at most (S1). */
import { patched, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { ClearSaid } from '../../src/inputs/person-messages';
import * as policy from '../../src/ledger';
import * as messages from '../../src/ledger/messages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { overtakes } from '../shared/overtaken';
import {
  type Book,
  COMPARES,
  DROPS_PROMISES,
  MINDS_LOST_PERMITS,
  MINDS_PARKS,
  MINDS_PLACE,
  REREADS,
  since,
  TAKES_BACK_PERMITS,
  TAKES_TURNS,
} from './book';
import { obstacleOf, statusOf } from './ledger-status';
import { requireShape, shapes } from './validate';

/** Refuses messages until the ledger knows what is in its books: their senders repeat them. */
const onceOpen =
  <T>(book: Book, validator: (message: T) => void) =>
  (message: T): void => {
    book.requireOpen();
    validator(message);
  };

/** What workers say: before and after each call that must not happen twice, and what the service told them. */
export function handleWorkers(book: Book): void {
  setHandler(
    messages.beginSendUpdate,
    ({ turn, ...request }) => {
      const gives = turn !== undefined && patched(TAKES_TURNS);
      const known = policy.wake(turn && !gives ? policy.withoutTurns(book.state) : book.state);
      const awake = since(() => patched(DROPS_PROMISES), known, policy.promisedBy(known, request.own, Date.now()));
      const mindsUnknown =
        policy.unknownPermit(awake, request, Date.now()) === undefined || patched(MINDS_LOST_PERMITS);
      const asked = { ...request, ...(gives && { turn }) };
      const { state, answer } = policy.beginSend(awake, asked, Date.now(), { mindsUnknown });
      if (answer.kind === 'capped' && answer.cap === 'floor') book.balanceWanted = true;
      const { subject } = request;
      if (state.flights.open[subject] !== awake.flights.open[subject])
        overtakes<ClearSaid>('clear', 'another call for it was let through', (said) => said.subject === subject);
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
    ({ own, ...request }) => {
      const takesBack = policy.isUnused({ ...request, own }) && patched(TAKES_BACK_PERMITS);
      const { state, booked } = policy.settle(book.state, { ...request, ...(takesBack && { own }) }, Date.now());
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
      const mindsParks = policy.parkedMs(book.state, rateClass, Date.now()) > 0 && patched(MINDS_PARKS);
      const { state, inMs } = policy.askTurn(policy.wake(book.state), rateClass, asked, Date.now(), { mindsParks });
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
      return {
        ...(flight && { open: flight, inVain: policy.looksInVain(book.state, flight) }),
        ...(last && { settled: last }),
        forgottenBefore,
      };
    },
    { description: 'What is known of one subject, for example "lead:…".' },
  );
  setHandler(
    messages.claimsQuery,
    (but) => book.state.flights.settled.flatMap(({ ref, subject }) => (subject === but ? [] : (ref ?? []))),
    { description: 'What recently settled subjects became (projects, captures), but for one subject.' },
  );
}
