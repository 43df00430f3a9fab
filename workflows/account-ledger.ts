/** The ledger of one user of the service: who may send a paid call, what was spent, and whether the account is on hold. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountActivities } from '../activities/account';
import * as policy from '../src/policy/ledger';
import type { Flight, Settled } from '../src/policy/pay-once';
import { queueName } from '../src/temporal/queues';
import { describeLedger } from './shared/ledger-details';
import { messages, requireReason, requireShape, requireSpend } from './shared/validate';

// ---- Types

export interface LedgerInput extends policy.LedgerStart {
  /** Least time between two probes while the account is on hold, milliseconds. @default 60000 */
  probeEveryMs: number;
  /** The state to go on with: after continue-as-new, or recovered from a ledger that was terminated. */
  state?: policy.LedgerState;
  /** This ledger replaces one whose state could not be recovered. */
  lost?: boolean;
  /** Continue as new after so many history events. @default 4000 */
  maxEvents?: number;
}

/** Who asks for a change of the books, and why. Kept with the ledger and shown in its details. */
export interface Said {
  by?: string;
  reason: string;
}

export interface LedgerStatus {
  account: string;
  balance?: number;
  available?: number;
  reserved: number;
  spentToday: number;
  elsewhere: number;
  budget: policy.Budget;
  holds: readonly policy.Hold[];
  parked: Readonly<Record<string, number>>;
  open: { subject: string; run: string; grantedAt: number; overAt: number }[];
  patientUntil?: number;
}

/** What the ledger knows of one subject. */
export interface SubjectState {
  open?: Flight;
  settled?: Settled;
}

// ---- Messages

export const beginSendUpdate = defineUpdate<policy.BeginAnswer, [policy.BeginSend]>('beginSend');
export const settleUpdate = defineUpdate<number, [policy.Settle]>('settle');
export const configureUpdate = defineUpdate<void, [policy.LedgerStart]>('configure');
export const setBudgetUpdate = defineUpdate<policy.Budget, [Partial<policy.Budget> & Said]>('setBudget');
export const holdUpdate = defineUpdate<string, [Said]>('hold');
export const releaseUpdate = defineUpdate<string, [Said]>('release');
export const clearUpdate = defineUpdate<string, [{ subject: string } & Said]>('clear');
export const adjustUpdate = defineUpdate<number, [{ credits: number } & Said]>('adjust');
export const reportHoldUpdate = defineUpdate<void, [policy.Hold]>('reportHold');
export const parkUpdate = defineUpdate<void, [{ rateClass: string; until: number }]>('park');
export const statusQuery = defineQuery<LedgerStatus, [number?]>('status');
export const stateQuery = defineQuery<policy.LedgerState>('state');

export const subjectQuery = defineQuery<SubjectState, [string]>('subject');
export const claimsQuery = defineQuery<string[], [string]>('claims');

// ---- Helpers

/** The balance is read again after this while credits move, so that spending elsewhere is noticed. */
const BALANCE_EVERY = 10;
const MAX_HISTORY_BYTES = 5_000_000;

function statusOf(state: policy.LedgerState, now: number): LedgerStatus {
  const available = policy.available(state);
  return {
    account: state.account,
    ...(state.balance && { balance: state.balance.amount - state.balance.bookedSince }),
    ...(available !== undefined && { available }),
    reserved: policy.reservedCredits(state),
    spentToday: policy.spentOn(state, now),
    elsewhere: state.elsewhere,
    budget: state.budget,
    holds: state.holds,
    parked: state.parked,
    open: Object.entries(state.flights.open).map(([subject, { run, grantedAt, overAt }]) => ({
      subject,
      run,
      grantedAt,
      overAt,
    })),
    ...(state.patientUntil !== undefined && now < state.patientUntil && { patientUntil: state.patientUntil }),
  };
}

// ---- Workflow

/**
 * An entity workflow that never ends: every paid call of every run and process asks it first (S1, S3), because nothing
 * else sees them all. Its handlers never wait, so that a grant is one workflow task old at most.
 */
export async function accountLedger(input: LedgerInput): Promise<void> {
  let state = input.state ?? policy.openLedger(input, Date.now(), input.lost ?? false);
  let woken = false;
  let wantBalance = state.balance === undefined;
  let probedAt = 0;
  const account = proxyActivities<AccountActivities>({
    taskQueue: queueName(state.account, 'reads'),
    // A probe that no worker takes must not keep the ledger from continuing as new.
    scheduleToCloseTimeout: '2 minutes',
    startToCloseTimeout: '1 minute',
    allowEagerDispatch: false,
    priority: { priorityKey: 1 },
  });
  const change = (next: policy.LedgerState) => {
    state = next;
    woken = true;
    setCurrentDetails(describeLedger(state, Date.now()));
  };
  const said = (what: string, { by, reason }: Said) =>
    change({
      ...state,
      actions: [...(state.actions ?? []), { at: Date.now(), by: by ?? 'somebody', what, reason }].slice(-50),
    });

  setHandler(
    beginSendUpdate,
    (request) => {
      const { state: next, answer } = policy.beginSend(state, request, Date.now());
      if (answer.kind === 'capped' && answer.cap === 'floor') wantBalance = true;
      change(next);
      return answer;
    },
    {
      validator: requireShape(messages.beginSend),
      description: 'Asked by a paid call just before it sends: may this attempt send for this subject?',
    },
  );
  setHandler(
    settleUpdate,
    (request) => {
      const { state: next, booked } = policy.settle(state, request, Date.now());
      change(next);
      return booked;
    },
    {
      validator: requireShape(messages.settle),
      description: 'Books what became of a paid call; answers the credits booked by this very message.',
    },
  );
  setHandler(configureUpdate, ({ budget, timing }) => change(policy.configure(state, budget, timing)), {
    validator: requireShape(messages.configure),
    description: "Sent by a worker at its start: the configuration's budget and timing.",
  });
  setHandler(
    setBudgetUpdate,
    ({ by, reason, ...budget }) => {
      change({ ...state, budget: { ...state.budget, ...budget } });
      said(`budget set to ${JSON.stringify(state.budget)}`, { ...(by && { by }), reason });
      return state.budget;
    },
    {
      description:
        'Changes what may be spent: {"perDay": 20000, "balanceFloor": 0, "reason": "…", "by": "…"}. perDay null: no limit.',
      validator: requireSpend,
    },
  );
  setHandler(
    holdUpdate,
    (words) => {
      change(policy.hold(state, { kind: 'manual', since: Date.now(), reason: words.reason }));
      said('put on hold', words);
      return 'The account is on hold: nothing paid for is sent until it is released.';
    },
    { description: 'Puts the account on hold: {"reason": "…", "by": "…"}', validator: requireReason },
  );
  setHandler(
    releaseUpdate,
    (words) => {
      change(policy.releaseAll(state));
      said('released', words);
      return 'The account is released. A cause that is still there puts it on hold again.';
    },
    { description: 'Lifts every hold of the account: {"reason": "…", "by": "…"}', validator: requireReason },
  );
  setHandler(
    clearUpdate,
    ({ subject, ...words }) => {
      const { state: next, cleared } = policy.clear(state, subject);
      change(next);
      if (cleared) said(`cleared ${subject}`, words);
      return cleared ? `${subject} is no longer held.` : `${subject} was not held; see 'open' in the status.`;
    },
    {
      description:
        'Says that an open send is over and did not happen: {"subject": "lead:…", "reason": "…", "by": "…"}. Look into the web app first.',
      validator: requireReason,
    },
  );
  setHandler(
    adjustUpdate,
    ({ credits, ...words }) => {
      change(policy.book(state, { subject: 'adjustment', run: 'adjustment', credits, at: Date.now() }));
      said(`adjusted by ${credits} credits`, words);
      return policy.spentOn(state, Date.now());
    },
    { description: 'Corrects today\'s sum: {"credits": -1000, "reason": "…", "by": "…"}', validator: requireSpend },
  );
  setHandler(reportHoldUpdate, (hold) => change(policy.hold(state, { ...hold, since: Date.now() })), {
    validator: requireShape(messages.hold),
    description: 'Sent by a worker that met a kill switch, a revoked token or an empty balance.',
  });
  setHandler(parkUpdate, ({ rateClass, until }) => change(policy.park(state, rateClass, until)), {
    validator: requireShape(messages.park),
    description: 'Sent by a worker that met a 429: its whole class waits.',
  });
  // Workflow time stands still between messages: the asker brings the time, or a day would never end here.
  setHandler(statusQuery, (now) => statusOf(state, Math.max(Date.now(), now ?? 0)), {
    description: 'Balance, sums, open sends, holds.',
  });
  setHandler(stateQuery, () => state, { description: 'The whole state, from which a lost ledger is recovered.' });
  setHandler(
    subjectQuery,
    (subject) => {
      const open = state.flights.open[subject];
      const settled = state.flights.settled.find((s) => s.subject === subject);
      return { ...(open && { open }), ...(settled && { settled }) };
    },
    { description: 'What is known of one subject, for example "lead:…".' },
  );
  setHandler(
    claimsQuery,
    (but) => state.flights.settled.flatMap(({ ref, subject }) => (subject === but ? [] : (ref ?? []))),
    {
      description: 'The projects that recently settled subjects became, but for one subject.',
    },
  );
  change(state);

  const renewalDue = () =>
    workflowInfo().continueAsNewSuggested ||
    workflowInfo().historyLength > (input.maxEvents ?? 4_000) ||
    workflowInfo().historySize > MAX_HISTORY_BYTES;
  const onHold = () => state.holds.some((hold) => hold.kind !== 'manual');
  /** When the account should next be asked something: soon while it is on hold, seldom while credits move, else never. */
  const nextProbe = () => {
    if (onHold() || wantBalance) return probedAt + input.probeEveryMs;
    // A floor that stands in the way is reached from the other side by a top-up that nobody tells us of.
    const moving = (state.balance?.bookedSince ?? 0) !== 0 || state.budget.balanceFloor > 0;
    return moving ? probedAt + BALANCE_EVERY * input.probeEveryMs : Number.POSITIVE_INFINITY;
  };
  const nextDue = () => Math.min(nextProbe(), ...policy.abandoned(state).map(({ dueAt }) => dueAt));

  while (!renewalDue()) {
    woken = false;
    const wait = nextDue() - Date.now();
    const wake = () => woken || renewalDue();
    if (wait > 0) {
      if (Number.isFinite(wait)) await condition(wake, wait);
      else await condition(wake);
      continue;
    }
    if (nextProbe() <= Date.now()) {
      probedAt = Date.now();
      const booked = state.balance?.bookedSince ?? 0;
      const probe = await account.probe({ account: state.account }).catch(() => ({ kind: 'failed' as const }));
      if (probe.kind === 'ok') {
        wantBalance = false;
        const free = policy.release(state, 'killSwitch', 'token');
        const { balance } = probe;
        change(
          balance === undefined
            ? policy.answeredWithoutBalance(free, Date.now())
            : policy.readBalance(free, balance, Date.now(), booked),
        );
      }
      continue;
    }
    // S6: a send that no run settles (its run was terminated) is looked up and booked by the ledger itself.
    for (const { subject, dueAt } of policy.abandoned(state)) {
      if (dueAt > Date.now()) continue;
      const lookedAt = Date.now();
      const { found } = await account
        .lookUp({ account: state.account, subject })
        .catch(() => ({ found: 'cannotTell' as const }));
      const settlement =
        found === 'found'
          ? ({ kind: 'foundPaid' } as const)
          : found === 'notFound'
            ? ({ kind: 'foundNothing', lookedAt } as const)
            : undefined;
      if (settlement)
        change(policy.settle(state, { subject, attempt: '', run: 'ledger', settlement }, Date.now()).state);
      else change(policy.postpone(state, subject, Date.now()));
    }
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof accountLedger>({ ...input, state });
}
