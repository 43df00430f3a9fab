/** Carries out one attempt plan (S2): performs the steps that it decides, and nothing else. */
import type { Priority } from '@temporalio/common';
import { CancellationScope, isCancellation, patched, sleep, workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import {
  type AttemptPlan,
  advance,
  type LookOutcome,
  type PersonDecision,
  resume,
  type SendOutcome,
  type Step,
  start,
} from '../../src/paying/attempt-plan';
import { ownOutcome, ownSend } from '../../src/paying/own-send';
import { FailureType } from '../../src/runs/failure-types';
import type { Stage } from '../../src/runs/stages';
import { formatDuration } from '../../src/time/duration';
import { utc, utcIn } from '../../src/time/utc';
import { awaitClearance, control, type Sends } from '../shared/calls';
import { failureType, refusalOf } from '../shared/failures';
import { givePlace, takePlace } from '../shared/place';
import type { Status } from '../shared/status';
import { Stop } from '../shared/stop';
import { ASKS_BOOKS, gotSomething, isWithdrawal, withdrawn } from '../shared/withdraw';
import { mindsBudget } from './budgets';
import { sends } from './sends';

/** The run that wants something. */
export interface Wanting {
  readonly account: string;
  readonly facts: AccountFacts;
  readonly status: Status;
  /** Its place in line. */
  readonly place: Priority;
}

/** With what the ledger is asked: an activity hands it on as it is. */
export interface Order {
  /** When the look was asked for that found that it had not happened. */
  lookedAt: number;
  /** A person says that what was paid for before has come to nothing. */
  again: boolean;
  /** The run whose cap counts, and that cap in credits. */
  run: string;
  runCap: number;
}

/** A look that was made for several things at once. */
export interface Looked {
  /** When it was asked for. */
  askedAt: number;
  found: LookOutcome;
}

/** What is to happen once, and all that differs from one such thing to another. */
export interface Wanted {
  /** What happens once; see src/paying/subject.ts. */
  subject: string;
  /** Credits; 0 where it only must not happen twice. */
  price: number;
  /** The run whose cap counts: its key, and that cap in credits, which means nothing where the price is 0. */
  run: { key: string; maxCredits: number };
  /** Of the call, for lists of activities. */
  summary: string;
  /** The step that the run is at once it sends: a word for lists, a sentence for people. @default it stays at the one before */
  step?: [name: Stage, sentence: string];
  /** The first look, where it was made for several things at once. */
  looked?: Looked;
  /** Asks the API whether it has happened. A look that is refused after something was sent tells nothing (S2). */
  look(): Promise<LookOutcome>;
  /** Makes the call, once the ledger grants it. */
  send(calls: Sends, order: Order): Promise<SendOutcome>;
  /**
   * A person decides; resolves with `giveUp` when the deadline passes.
   * @param doubt a sentence on the last send whose outcome is unknown, with a space before it; '' where nothing is known
   */
  ask(why: Extract<Step, { do: 'ask' }>['why'], doubt: string): Promise<PersonDecision>;
}

export type Ending = Extract<Step, { do: 'end' }>;

/**
 * Until it is paid for once, found to be paid for, refused, or given up by a person.
 *
 * S6: a run that is cancelled sends nothing from then on, and finds out all the same what became of what it had sent.
 */
export async function walk(at: Wanting, wanted: Wanted): Promise<Ending> {
  const { account, facts, status } = at;
  const { subject, price, run, looked } = wanted;
  // A cap, and a try that nobody heard out, are of what costs.
  const paidBy = price > 0 ? run.key : undefined;
  const spending = (credits: number) => ({ credits, subject, ...(paidBy !== undefined && { run: paidBy }) });
  const { settlingMs } = facts.timing;
  let plan: AttemptPlan = start(Date.now());
  if (looked) plan = advance(plan, { type: 'looked', ...looked }, Date.now(), settlingMs);
  let stale = false;
  let hasTried = false;
  /** The last try failed by itself: what an earlier try of it has sent, nobody has said. */
  let isUnheard = false;
  /** The last try met a look that was too old: the ledger may have found out meanwhile what an earlier one has sent. */
  let wasStale = false;
  /** The look on which the last try was made. */
  let triedOn: number | undefined;
  /** The last answer was that of a ledger which replaced a lost one. */
  let newBooks = false;
  /** What the ledger and the books have of it; asked for even though the run was cancelled. */
  const inBooks = () => CancellationScope.nonCancellable(() => control.subjectState({ account, subject }));
  for (;;) {
    try {
      const next = await perform(plan);
      if (next === 'withdrawn') return withdrawn();
      if ('do' in next) return next;
      plan = next;
    } catch (error) {
      const own = hasTried
        ? isCancellation(error) && (await ownTry(plan.step))
        : isWithdrawal(error) && (await forgottenTry());
      if (!own) throw error;
      if ('do' in own) return own;
      plan = advance(plan, { type: 'sent', outcome: own }, Date.now(), settlingMs);
    }
  }

  /** Performs the next step. @returns where that leads to */
  async function perform(plan: AttemptPlan): Promise<AttemptPlan | Ending | 'withdrawn'> {
    const { step } = plan;
    const owesAnswer = plan.unknowns > 0 && (step.do === 'look' || step.do === 'ask');
    const within = <T>(work: () => Promise<T>) => (owesAnswer ? CancellationScope.nonCancellable(work) : work());
    const wait = 'notBefore' in step ? step.notBefore - Date.now() : 0;
    if (wait > 0) {
      if (plan.overAt !== undefined) givePlace();
      status.waits(whyWait(plan, wait, newBooks));
      await within(() => sleep(wait));
      // From now on what it asks for says why it waits: it may stand in its queue for long.
      status.goesOn();
    }
    switch (step.do) {
      case 'end':
        if (step.how === 'foundPaid' || step.how === 'paid') gotSomething();
        return step;
      case 'look': {
        stale = step.why === 'stale';
        const askedAt = Date.now();
        const isOpen = plan.unknowns > 0 || plan.overAt !== undefined || isUnheard || wasStale;
        const maySay = () => hasTried && (isOpen || !patched('refusesAfterTry'));
        const found = await within(() => lookWhen(maySay, () => wanted.look()));
        return advance(plan, { type: 'looked', askedAt, found }, Date.now(), settlingMs);
      }
      case 'send': {
        takePlace();
        hasTried = true;
        triedOn = step.lookedAt;
        const send = () => order(step.lookedAt, step.again === true);
        isUnheard = false;
        const outcome = await orSay(status, facts, send).catch((error) => {
          isUnheard = true;
          return withoutAnswer(error, facts);
        });
        if (outcome.kind === 'withdrawn') return 'withdrawn';
        wasStale = outcome.kind === 'stale';
        newBooks = outcome.kind === 'open' && outcome.newBooks === true;
        const next = advance(plan, { type: 'sent', outcome }, Date.now(), settlingMs);
        // Runs from before this patch look again at once, however often.
        return (next.stales ?? 0) > 1 && !patched('waitsWhenStale') ? resume(next, Date.now()) : next;
      }
      case 'awaitHold': {
        const own = isUnheard ? await ownTryAfterHold(step) : undefined;
        if (own) return advance(plan, { type: 'sent', outcome: own }, Date.now(), settlingMs);
        await awaitClearance(status, account, spending(price));
        return resume(plan, Date.now());
      }
      case 'awaitBudget':
        status.at('budget');
        await awaitClearance(status, account, spending(step.credits ?? price));
        return resume(plan, Date.now());
      case 'ask': {
        const decision = await within(() => wanted.ask(step.why, doubtOf(plan)));
        return advance(plan, { type: 'decided', decision }, Date.now(), settlingMs);
      }
    }
  }

  /** Sends once, if the ledger grants it. What had become stale in the queue goes to its front. */
  function order(lookedAt: number, again: boolean): Promise<SendOutcome> {
    const { step, summary } = wanted;
    if (step) status.step(...step);
    const place = stale ? { ...at.place, priorityKey: 1 } : at.place;
    const calls = sends(account, facts, place, summary);
    return wanted.send(calls, { lookedAt, again, run: run.key, runCap: run.maxCredits });
  }

  /** S6: asked before anything else is waited for: the ledger forgets what others have found out meanwhile. */
  async function ownTryAfterHold(step: Step): Promise<ReturnType<typeof ownOutcome>> {
    if (paidBy === undefined || !patched('hearsTryAfterHold')) return undefined;
    // As what is free: a lack of credits does not keep anybody from asking.
    await awaitClearance(status, account, spending(0));
    return ownTry(step);
  }

  /**
   * S6: a try whose worker was lost may have sent, and the next try may have ended before it asked the ledger. This run
   * must find out what came of it, even though it was cancelled.
   */
  async function ownTry({ do: at }: Step): Promise<ReturnType<typeof ownOutcome>> {
    if (paidBy === undefined) return undefined;
    // Runs of before asked only where the call itself was cancelled, and looked in any case.
    const isBefore = !patched('asksForOwnTry');
    if (isBefore && at !== 'send') return undefined;
    const state = await inBooks();
    const { workflowId } = workflowInfo();
    // Those looked once more for what a look had shown to have come to nothing.
    if (!isBefore) {
      const lookedAt = patched('ownTryKnowsLook') ? triedOn : undefined;
      return ownOutcome(state, { workflowId, run: run.key, mindsBudget }, lookedAt);
    }
    const sent = ownSend(state, workflowId);
    return sent && { kind: 'unknown', ...sent };
  }

  /**
   * S6: where Temporal went back to a backup, a run that is withdrawn before it has tried anything may have paid all the
   * same. What the books have of it under its budget it reports as what a look finds: a try before it may have told it.
   */
  async function forgottenTry(): Promise<Ending | ReturnType<typeof ownOutcome>> {
    if (paidBy === undefined || !patched('asksWhenWithdrawn')) return undefined;
    status.waits(ASKS_BOOKS);
    const { open, settled } = await inBooks();
    status.goesOn();
    // What another budget paid, others report. A run that tried nothing has nothing to find out where nothing was paid.
    const paid = settled && settled.credits > 0 && settled.run === paidBy ? settled : undefined;
    const own = ownOutcome({ open, settled: paid }, { workflowId: workflowInfo().workflowId, run: paidBy });
    if (own?.kind === 'paid') return { do: 'end', how: 'alreadyDone', ...(own.ref !== undefined && { ref: own.ref }) };
    hasTried = own !== undefined;
    return own;
  }
}

/**
 * S2: once something was sent that may have happened, a look that is refused tells nothing; else it ends the run with its
 * reason.
 * @param mayHaveHappened asked only where it matters
 */
export async function lookWhen(mayHaveHappened: () => boolean, look: () => Promise<LookOutcome>): Promise<LookOutcome> {
  try {
    return await look();
  } catch (error) {
    if (refusalOf(error) !== undefined && mayHaveHappened()) return 'cannotTell';
    throw error;
  }
}

/** A call without an answer for so long stands in the queue, most likely: 15 s by default, and a second at least. */
const quietMs = ({ timing }: AccountFacts): number => Math.max(1_000, timing.settlingMs / 20);

/** S7: a send says that it waits for its turn, as every call with a limit does. */
async function orSay<T>(status: Status, facts: AccountFacts, send: () => Promise<T>): Promise<T> {
  const { writes } = facts.limits;
  const answer = send();
  const quiet = new CancellationScope();
  // What was waited for before it is over.
  status.goesOn();
  status.calling(send, `writes (${writes.max} in ${formatDuration(writes.windowMs)})`);
  // Runs of before said it late, by a timer.
  if (!patched('savesActions')) quiet.run(() => sleep(quietMs(facts))).catch(() => undefined);
  try {
    return await answer;
  } finally {
    quiet.cancel();
    status.calling(send, undefined);
  }
}

/** The activity failed. It does so by a failure of ours only before the grant; else nobody knows what it did. */
function withoutAnswer(error: unknown, { timing }: AccountFacts): SendOutcome {
  switch (failureType(error)) {
    case FailureType.held:
    case FailureType.ledger:
      return { kind: 'held' };
    case FailureType.upstream:
      return { kind: 'notSent', reason: 'upstream' };
    case FailureType.waiting:
      // It had gone back to the queue, and is not tried again: the run was cancelled.
      return { kind: 'notSent', reason: 'cancelled' };
  }
  // Nothing was sent: `wanted.send` ended before it called an activity, or that was cancelled in the queue.
  if (error instanceof Stop || isCancellation(error)) throw error;
  return { kind: 'unknown', overAt: Date.now() + timing.sendWindowMs + timing.paidTimeoutMs + timing.settlingMs };
}

const doubtOf = ({ doubt }: AttemptPlan): string => (doubt === undefined ? '' : ` The call in doubt: ${doubt}.`);

function whyWait(plan: AttemptPlan, wait: number, newBooks: boolean): string {
  const { step } = plan;
  const at = utcIn(wait);
  if (plan.overAt !== undefined && newBooks)
    return `The account's ledger was lost, and its books are new. Nothing is sent before ${utc(plan.overAt)} UTC, because earlier calls may still be under way; it is looked up again at ${at}.`;
  if (plan.overAt !== undefined)
    return `It is unknown whether the call had its effect. The run looks again at ${at} and does not send again before ${utc(plan.overAt)} UTC: by then an effect would be visible.${doubtOf(plan)}`;
  if (step.do === 'look' && step.why === 'unsent') return `${whyUnsent(step.reason)}; tried again at ${at}.`;
  if (plan.stales)
    return `The last look counts as too old: what it was about had been settled just then, or a clock was set back. The run looks again at ${at}, and goes on by itself.`;
  return `Rate-limited; it is tried again at ${at}.`;
}

/** @param reason of a request that never left */
function whyUnsent(reason: string): string {
  switch (reason) {
    case 'lateGrant':
      return "The storage, Temporal or the worker is slow: no grant was in the books within the account's timing.sendWindowMs and nothing was sent";
    case 'tooLate':
      return "The service took no connection within the account's timing.sendWindowMs or storage, Temporal or worker are slow: nothing was sent";
    case 'ledgerSilent':
      return "The account's ledger did not answer within the account's timing.sendWindowMs and nothing was sent";
    case 'storage':
      return 'What is about to be sent could not be kept in the storage, so nothing was sent';
    case 'aborted':
      return 'What is to be sent could not be read, so nothing was sent';
    case 'balanceUnread':
      return 'A part of the balance must remain and the balance could not be read, so nothing was sent';
    case 'upstream':
      return 'It could not be found out whose token this is, so nothing was sent';
    case 'cancelled':
      return 'The call was called off before it was sent';
    default:
      return 'The service could not be reached';
  }
}
