/** A ledger's handlers. None of them waits, so that a grant is one workflow task old at most (S1). */
import { setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { AdjustSaid, BudgetSaid, ClearSaid, Reasoned, ReleaseSaid } from '../../src/policy/inputs/messages';
import * as policy from '../../src/policy/ledger';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { checked } from '../shared/said';
import * as messages from './messages';
import { requireShape, shapes } from './validate';

/** The ledger's state, as its handlers see and change it. */
export interface Book {
  readonly state: policy.LedgerState;
  change(next: policy.LedgerState): void;
  /** The balance is to be read soon. */
  wantBalance(): void;
}

/** What workers say: before and after each call that must not happen twice, and what the service told them. */
export function handleWorkers(book: Book): void {
  setHandler(
    messages.beginSendUpdate,
    (request) => {
      const { state, answer } = policy.beginSend(policy.wake(book.state), request, Date.now());
      if (answer.kind === 'capped' && answer.cap === 'floor') book.wantBalance();
      book.change(state);
      return answer;
    },
    {
      validator: requireShape(shapes.beginSend),
      description: 'Asked by a call just before it sends: may this attempt send for this subject?',
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
      validator: requireShape(shapes.settle),
      description: 'Books what became of a call; answers the credits booked by this very message.',
    },
  );
  setHandler(
    messages.configureUpdate,
    (configured) => {
      const { account } = configured;
      if (account !== book.state.account)
        upsertSearchAttributes([{ key: searchAttributeKeys.account, value: account }]);
      // What stood in the way of reading it may have been corrected.
      if (book.state.restingSince !== undefined || book.state.unreadableSince !== undefined) book.wantBalance();
      book.change(policy.configure(book.state, configured, Date.now()));
    },
    {
      validator: requireShape(shapes.configure),
      description: 'Sent by a worker at its start: what is configured, the account with its budget and timing.',
    },
  );
  setHandler(
    messages.reportHoldUpdate,
    (hold) => book.change(policy.hold(policy.wake(book.state), { ...hold, since: Date.now() })),
    {
      validator: requireShape(shapes.hold),
      description: 'Sent by a worker that met a kill switch, a revoked token or an empty balance.',
    },
  );
  setHandler(messages.parkUpdate, ({ rateClass, until }) => book.change(policy.park(book.state, rateClass, until)), {
    validator: requireShape(shapes.park),
    description: 'Sent by a worker that met a 429: its whole class waits.',
  });
}

/** What people may change; who did it and why is kept. */
export function handlePeople(book: Book): void {
  const act = (next: policy.LedgerState, what: string, { by, reason }: Reasoned) => {
    const action = { at: Date.now(), by: by ?? 'somebody', what, reason };
    book.change({ ...next, actions: [...(next.actions ?? []), action].slice(-50) });
  };
  setHandler(
    messages.setBudgetUpdate,
    ({ perDay, balanceFloor, timeZone, ...said }) => {
      const budget = {
        ...book.state.budget,
        ...(perDay !== undefined && { perDay }),
        ...(balanceFloor !== undefined && { balanceFloor }),
        ...(timeZone !== undefined && { timeZone }),
      };
      act({ ...book.state, budget }, `budget set to ${JSON.stringify(budget)}`, said);
      return budget;
    },
    {
      description:
        'Changes what may be spent: {"perDay": 20000, "balanceFloor": 0, "reason": "…", "by": "…"}. perDay null: no limit.',
      validator: checked(BudgetSaid, 'setBudget'),
    },
  );
  setHandler(
    messages.holdUpdate,
    (said) => {
      const hold = { kind: 'manual', since: Date.now(), reason: said.reason } as const;
      act(policy.hold(book.state, hold), 'put on hold', said);
      return 'The account is on hold: nothing that costs or that could happen twice is sent until it is released.';
    },
    { description: 'Puts the account on hold: {"reason": "…", "by": "…"}', validator: checked(Reasoned, 'hold') },
  );
  setHandler(
    messages.releaseUpdate,
    ({ parks = false, ...said }) => {
      act(policy.releaseAll(book.state, parks), parks ? 'released, with what a 429 has parked' : 'released', said);
      return 'The account is released. A cause that is still there puts it on hold again.';
    },
    {
      description:
        'Lifts every hold of the account: {"reason": "…", "by": "…"}. What the service asked to wait for (429) goes on when that is over; with "parks": true at once, and the service may refuse it again.',
      validator: checked(ReleaseSaid, 'release'),
    },
  );
  setHandler(
    messages.clearUpdate,
    ({ subject, ...said }) => {
      const { state, cleared } = policy.clear(book.state, subject);
      if (cleared) act(state, `cleared ${subject}`, said);
      return cleared ? 'It is no longer held.' : "It was not held; see 'open' in the status.";
    },
    {
      description:
        'Says that an open send is over and did not happen: {"subject": "lead:…", "reason": "…", "by": "…"}. Look into the web app first.',
      validator: checked(ClearSaid, 'clear'),
    },
  );
  setHandler(
    messages.adjustUpdate,
    ({ credits, ...said }) => {
      const adjustment = { subject: 'adjustment', run: 'adjustment', credits, at: Date.now() };
      act(policy.book(book.state, adjustment), `adjusted by ${credits} credits`, said);
      return policy.spentOn(book.state, Date.now());
    },
    {
      description: 'Corrects today\'s sum: {"credits": -1000, "reason": "…", "by": "…"}',
      validator: checked(AdjustSaid, 'adjust'),
    },
  );
}

/** What anybody may ask. Workflow time stands still between messages: the asker brings the time, or no day would end here. */
export function handleQuestions(book: Book): void {
  const later = (now: number | undefined) => Math.max(Date.now(), now ?? 0);
  setHandler(messages.statusQuery, (now) => statusOf(book.state, later(now)), {
    description: 'Balance, sums, open sends, holds.',
  });
  setHandler(
    messages.obstacleQuery,
    ({ credits, now }) => policy.obstacle(book.state, credits, later(now)) ?? { kind: 'none' },
    { description: 'What stands in the way of spending so many credits more: a hold, a cap, or nothing.' },
  );
  setHandler(messages.stateQuery, () => book.state, {
    description: 'The whole state, from which a lost ledger is recovered.',
  });
  setHandler(
    messages.subjectQuery,
    (subject) => {
      const { open, settled } = book.state.flights;
      const [flight, last] = [open[subject], settled.find((one) => one.subject === subject)];
      return { ...(flight && { open: flight }), ...(last && { settled: last }) };
    },
    { description: 'What is known of one subject, for example "lead:…".' },
  );
  setHandler(
    messages.claimsQuery,
    (but) => book.state.flights.settled.flatMap(({ ref, subject }) => (subject === but ? [] : (ref ?? []))),
    { description: 'What recently settled subjects became (projects, captures), but for one subject.' },
  );
}

function statusOf(state: policy.LedgerState, now: number): messages.LedgerStatus {
  const available = policy.available(state);
  const balance = policy.balance(state);
  return {
    account: state.account,
    ...(balance !== undefined && { balance }),
    ...(available !== undefined && { available }),
    reserved: policy.reservedCredits(state),
    spentToday: policy.spentOn(state, now),
    elsewhere: state.elsewhere,
    ...(state.unreadableSince !== undefined && { unreadableSince: state.unreadableSince }),
    budget: state.budget,
    holds: state.holds,
    parked: state.parked,
    ...(state.configuredAt !== undefined && { configuredAt: state.configuredAt }),
    ...(state.restingSince !== undefined && { restingSince: state.restingSince }),
    open: Object.entries(state.flights.open).map(([subject, { run, grantedAt, overAt }]) => ({
      subject,
      run,
      grantedAt,
      overAt,
    })),
    ...(state.patientUntil !== undefined && now < state.patientUntil && { patientUntil: state.patientUntil }),
  };
}
