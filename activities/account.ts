import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { includesId } from '../src/agent-api/id';
import type { RateClass } from '../src/agent-api/rate-class';
import { concernsAccount, refusalReason } from '../src/ledger/account-failures';
import { describeStandstill } from '../src/ledger/details';
import type { SubjectState } from '../src/ledger/messages';
import type { LookOutcome } from '../src/paying/attempt-plan';
import { isPaidKind, type PaidKind, type Prices, pricesOf } from '../src/paying/once-only';
import type { PayTiming, Settlement } from '../src/paying/open-sends';
import { partsOf } from '../src/paying/subject';
import { rootMessage } from '../src/root-cause';
import { FailureType } from '../src/runs/failure-types';
import { StorageError } from '../src/storage';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { describeMend, lookAtRuns } from '../src/temporal/failing-tasks';
import { type LedgerClient, ledgerAway } from '../src/temporal/ledger-client';
import { within } from '../src/time/within';
import { askBalance, callRoute, refusalOf } from './call';
import { type Clearance, type ClearanceAsked, clearanceOf, UNTOLD } from './clearance';
import { type AccountRuntime, type Deps, ledgerFor, leftToOthers, runtimeOf } from './deps';
import {
  askingRun,
  type EndedRun,
  endOf,
  type FollowedRun,
  followDelay,
  type OwnChild,
  ownChild,
} from './followed-run';
import { isOver } from './over';
import { lookForReference } from './references';
import { requeueAfter } from './requeue';

/** What a workflow needs to know of the account that it works for. */
export interface AccountFacts extends Prices {
  timing: PayTiming & { holdProbeMs: number };
  limits: Record<RateClass, { max: number; windowMs: number }>;
  /** Why nothing that costs goes on for a while, in our own words; absent when it does, or nobody knows. For estimates. */
  standstill?: string;
}

/** What a question for the balance came back with; `problem`: an answer, in which no balance can be read. */
type Probed = { kind: 'ok'; balance: number } | { kind: 'ok'; problem: string } | { kind: 'otherUser' };

/** Of these the run says what it waits for. */
const SAYS_BY_ITSELF: readonly unknown[] = [FailureType.ledger, FailureType.parked];
/** A ledger that does not answer within this, or so often, is told of. */
const PASSES_WITHIN_MS = 10_000;
const PASSING_TRIES = 4;
/** An activity that takes two minutes would be repeated without a word (S7): all that one asks is answered before, or told of. */
const ANSWERED_WITHIN_MS = 100_000;
/** Looks in vain of the ledger, one each settling time, until what became of a call is left to a person. */
const MOST_LOOKS = 12;

export interface LookedUp {
  found: LookOutcome;
  inVain?: true;
}

export interface SettledAsked {
  account: string;
  subject: string;
  givesUp?: boolean;
}

export function createAccountActivities(deps: Deps) {
  /**
   * Asks the ledger, for activities that have all the time: while it cannot be had the run says so itself, and asks again
   * (S7). What passes at once is not worth saying.
   */
  const askLedger = async <T>(name: string, ask: (ledger: BookedLedger) => Promise<T>): Promise<T> => {
    const runtime = runtimeOf(deps, name);
    const cannotBeHad = (error: unknown) => {
      if (error instanceof ApplicationFailure && SAYS_BY_ITSELF.includes(error.type)) return error;
      return ledgerAway(rootMessage(error));
    };
    const ledger = await runtime.ledger().catch((error) => {
      throw leftToOthers(error) ?? cannotBeHad(error);
    });
    const askedAt = performance.now();
    const late = `the ledger and the books have not answered within ${ANSWERED_WITHIN_MS / 1_000} s`;
    return within(ask(ledger), ANSWERED_WITHIN_MS, late).catch((error) => {
      const passes = performance.now() - askedAt < PASSES_WITHIN_MS && Context.current().info.attempt < PASSING_TRIES;
      throw passes ? error : cannotBeHad(error);
    });
  };

  /** What was paid for shows without the run that has paid: else its credits stay reserved until a person decides. */
  const looks: Record<PaidKind, (runtime: AccountRuntime, of: string) => Promise<LookOutcome>> = {
    async lead(runtime, id) {
      const { value: lead } = await callRoute(runtime, 'leads.get', { id });
      return lead.surveyStatus === 'converted' ? 'found' : 'notFound';
    },
    project: (runtime, reference) => lookForReference(runtime, deps.storage, reference),
  };

  return {
    /**
     * The account's facts from the worker's configuration, and what its ledger says of now; no call of the API.
     * @param asked.begun the run was begun by one that knew the account, so its name is no mistake
     */
    async accountFacts({ account: name, begun = false }: { account: string; begun?: boolean }): Promise<AccountFacts> {
      const { account, knownLedger } = runtimeOf(deps, name, begun);
      const standstill = await standstillOf(knownLedger());
      return { ...configuredFacts(account), ...(standstill !== undefined && { standstill }) };
    },

    /** GET the balance, for the ledger: the cheap call that finds out whether a hold has ended. */
    async probe({ account }: { account: string }): Promise<Probed> {
      const runtime = runtimeOf(deps, account);
      if (!isAsking(await ledgerFor(runtime))) return { kind: 'otherUser' };
      return { kind: 'ok', ...(await askBalance(runtime)) };
    },

    /**
     * Asks the API whether a subject was paid for, for the ledger and without personal data.
     * @returns `inVain`: the service was asked, and does not tell
     */
    async lookUp({ account, subject }: { account: string; subject: string }): Promise<LookedUp> {
      const runtime = runtimeOf(deps, account);
      const ledger = await ledgerFor(runtime);
      // Another user's leads and projects prove nothing.
      if (!isAsking(ledger)) return { found: 'cannotTell' };
      const { kind, of = '' } = partsOf(subject) ?? {};
      if (!isPaidKind(kind)) return { found: 'cannotTell' };
      const lookedAt = ledger.now();
      const found = await looks[kind](runtime, of).catch(untold);
      if (found === 'cannotTell') return { found, inVain: true };
      await ledger.lookedUp(subject, found === 'found', lookedAt);
      return { found };
    },

    /** Tells the ledger what a look found; answers the credits that this booked. */
    async settleSubject(input: {
      account: string;
      subject: string;
      run: string;
      settlement: Settlement;
    }): Promise<number> {
      const { account, ...rest } = input;
      return askLedger(account, (ledger) => ledger.settle({ ...rest, attempt: '' }));
    },

    /** What other subjects became: these projects are taken. */
    async claimedRefs({ account, but }: { account: string; but: string }): Promise<string[]> {
      return askLedger(account, (ledger) => ledger.claims(but));
    },

    /** Returns once at most one of these is nobody else's. Retried by Temporal without history events. */
    async awaitLastOne({ account, but, ids }: { account: string; but: string; ids: string[] }): Promise<string[]> {
      const taken = await askLedger(account, (ledger) => ledger.claims(but));
      const left = ids.filter((id) => !includesId(taken, id));
      if (left.length <= 1) return left;
      throw requeueAfter(`${left.length} projects could be it`, followDelay(Context.current().info.attempt));
    },

    /** What the ledger knows of a subject, and the books: open, or recently settled. */
    async subjectState({ account, subject }: { account: string; subject: string }): Promise<SubjectState> {
      return askLedger(account, (ledger) => ledger.everything(subject));
    },

    /**
     * Waits until the ledger knows what became of every attempt for the subject. Retried by Temporal without history events.
     * @param givesUp not for ever, where the service does not tell the ledger, however often it looks
     */
    async awaitSettled({ account, subject, givesUp }: SettledAsked): Promise<void> {
      const { open, inVain = 0 } = await askLedger(account, (ledger) => ledger.subject(subject));
      if (!open || (givesUp && inVain >= MOST_LOOKS)) return;
      throw requeueAfter(
        `${subject} may still be paid for until ${new Date(open.overAt).toISOString()}`,
        followDelay(Context.current().info.attempt),
      );
    },

    /** May a waiting run go on? Asked once; the answer says why not. */
    async clearance(asked: ClearanceAsked): Promise<Clearance> {
      const found = await clearanceOf(deps, asked);
      const { failing, closed } = await lookAtRuns(deps.client, asked.others ?? []);
      return { ...found, ...(failing && { stuck: describeMend(failing) }), ...(closed.length > 0 && { closed }) };
    },

    /**
     * Returns when the run may go on, or when something else than `asked.what` keeps it, or the same until later. Retried by
     * Temporal without history events; costs no call of the API.
     */
    async awaitClearance(asked: ClearanceAsked & Pick<Clearance, 'what' | 'until'>): Promise<Clearance | undefined> {
      const found = await clearanceOf(deps, asked);
      if (found.clear || (asked.run !== undefined && (await isOver(asked.run)))) return undefined;
      const { why, what, short, until = UNTOLD } = found;
      // The next day may be used up at once, or it may not end by itself any more. Workers may have several time zones: of a
      // limit only what is later is said.
      const { until: before } = asked;
      const hasMoved = before !== undefined && until !== before && (!short || until === UNTOLD || until > before);
      if (what !== undefined && (what !== asked.what || hasMoved)) return found;
      const { holdProbeMs } = runtimeOf(deps, asked.account).account.timing;
      // A thousand runs may wait, and each question is a billed action: twice a minute each, as the document promises.
      throw requeueAfter(
        why ?? 'still waiting',
        Math.min(15_000, holdProbeMs / 4) * Math.min(2, Context.current().info.attempt),
      );
    },

    /**
     * Follows another run until it has ended. Retried by Temporal without history events.
     * @returns its result only where it is asked for as a child, with its run ID
     */
    async awaitRun(run: FollowedRun): Promise<EndedRun> {
      const ended = await endOf(deps.client, run);
      if (ended) return run.runId === undefined ? { status: ended.status } : ended;
      throw requeueAfter(`${run.workflowId} is still running`, followDelay(Context.current().info.attempt));
    },

    /**
     * Whether a run is a child that another has begun: see {@link ownChild}.
     * @param call.of the other one @default this run, before it was reset
     */
    ownChild: ({ workflowId, of }: { workflowId: string; of?: FollowedRun }): Promise<OwnChild | undefined> =>
      ownChild(deps.client, workflowId, of ?? askingRun()),
  };
}

/** Those facts of an account that need no question to anybody. */
export const configuredFacts = (account: AccountRuntime['account']): AccountFacts => ({
  timing: account.timing,
  limits: account.limits,
  ...pricesOf((route) => account.credits(route)),
});

async function standstillOf(ledger: BookedLedger | undefined): Promise<string | undefined> {
  const status = await ledger?.status();
  return ledger && status && describeStandstill(status, ledger.now());
}

/** Whether the ledger whose workflow this activity belongs to is the one of the user that the token belongs to. */
const isAsking = ({ workflowId }: LedgerClient): boolean =>
  Context.current().info.workflowExecution?.workflowId === workflowId;

/** What the service or the storage says of this subject alone, and will say again. @throws whatever passes by itself */
function untold(error: unknown): 'cannotTell' {
  const refusal = refusalOf(error);
  const isRefused = refusal !== undefined && !concernsAccount(refusalReason(refusal));
  const isUnreadable = error instanceof ApplicationFailure && error.type === FailureType.unreadable;
  const isDamaged = error instanceof StorageError && error.kind === 'damaged';
  if (isRefused || isUnreadable || isDamaged) return 'cannotTell';
  throw error;
}
