/**
 * Any call that has no workflow of its own. What is sent is read from the run's own input, and what comes back goes to the
 * storage: the history has neither (S4).
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import { z } from 'zod';
import type { CallInput } from '../src/agent-api/call-input';
import { type QueueClass, queueClassOf } from '../src/agent-api/rate-class';
import { type CallSummary, summarise } from '../src/agent-api/reply-summary';
import { isRepeatable, type RouteName, routes } from '../src/agent-api/routes';
import { deletes, notAllowed } from '../src/config/call-routes';
import { type AnyCall, callKey, checkCall, createsSomething } from '../src/inputs/any-call';
import type { SubjectState } from '../src/ledger/messages';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { ownOutcome } from '../src/paying/own-send';
import { callSubject } from '../src/paying/subject';
import { FailureType, type Refusal } from '../src/runs/failure-types';
import { inAccount } from '../src/storage/account-folder';
import { readIfThere, storedJson } from '../src/storage/stored-json';
import { callRoute } from './call';
import { type AccountRuntime, type Deps, ledgerFor, runtimeOf } from './deps';
import { ownInput } from './own-input';
import { ledgerToSend, type OnceCall, sendOnce } from './send-once';

/** How a call is to be made. */
export interface CallPlan {
  method: string;
  queue: QueueClass;
  /** It costs, or it would do something twice: it goes by the ledger (S1–S3). */
  once: boolean;
  /** By the account's configuration. */
  credits: number;
  /** What must happen once, as the ledger names it. */
  subject: string;
}

/** A reply in the storage. */
export interface StoredReply {
  ref: string;
  url: string;
  bytes: number;
}

/** What a call came back with. */
export interface Replied {
  /** HTTP status of the reply. */
  status?: number;
  /** Absent where the reply had no body, or could not be stored any more. */
  reply?: StoredReply;
  summary?: CallSummary;
  /** The reply is lost: what it was an answer to has happened. */
  lost?: boolean;
}

/** What became of a call that may be repeated. `unreadable`: 2xx, and no guess reads the body. */
export type CallOutcome =
  | ({ kind: 'done' } & Replied)
  | ({ kind: 'refused'; reason: string; repeated: boolean } & Refusal)
  | { kind: 'unreadable'; problem: string };

/** What is known of a call that must happen once. */
export interface CallKnown {
  /** It has happened, by this run or another one. */
  done?: Replied;
  /** Attempts that are under way, or of which nobody knows what became of them. */
  doubts: Doubt[];
}

/** An attempt, and until when it may still have an effect. */
export interface Doubt {
  attempt: string;
  until: number;
}

/** How a call that must happen once is sent; see `OnceCall`. */
type OnceOf = Pick<OnceCall<RouteName>, 'subject' | 'run' | 'runCap' | 'lookedAt'>;

/** Kept of a call beyond its runs. */
const Made = z.looseObject({ happened: z.boolean(), ref: z.string().optional() });
/** The attempts of earlier runs that were given up. */
const GIVEN_UP: Doubt = { attempt: 'given up', until: 0 };

/** The call, its place in the table and what it sends. */
interface OwnCall {
  call: AnyCall;
  input: CallInput;
}

export function createAnyCallActivities(deps: Deps) {
  const { storage, client, log } = deps;

  const ownCall = async (): Promise<OwnCall> => {
    const { problems, call } = checkCall(await ownInput(client));
    if (call === undefined) throw ApplicationFailure.nonRetryable(problems.join(' '), FailureType.badInput, problems);
    const { id, query = {}, body } = call;
    return { call, input: { id, query, ...(body !== undefined && { body }) } };
  };

  const store = async (account: string, value: unknown): Promise<Replied> => {
    if (value === undefined) return {};
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const { ref, size } = await storage.write(replyRef(account), text, { contentType: 'application/json' });
    return { reply: { ref, url: storage.urlOf(ref), bytes: size }, ...summarise(value) };
  };

  /** What has had its effect is not done again over a storage that takes nothing (S6). */
  const storeIfPossible = (account: string, value: unknown): Promise<Replied> =>
    store(account, value).catch((error) => {
      log.warn({ err: error }, 'the reply of a call cannot be stored');
      return { ...summarise(value), lost: true };
    });

  /** Whether an earlier try of this run may have sent it. Its number would not do: who resets the activity starts that again. */
  const hasBegun = async (account: string): Promise<boolean> => {
    const markOf = (of?: string) => replyRef(of).replace(/json$/, 'begun');
    const mark = markOf(account);
    // Where an earlier version left it, too: a worker may be replaced between two tries.
    if ((await storage.stat(mark)) ?? (await storage.stat(markOf()))) return true;
    await storage.write(mark, '');
    return false;
  };

  const readMade = (account: string, subject: string) => readIfThere(storage, madeRef(account, subject), Made);

  return {
    /** What is wrong with the run's input by the table of routes, and how it is called. No call of the API. */
    async planCall({ run }: { run: string }): Promise<{ problems: string[]; plan?: CallPlan }> {
      const { problems, call } = checkCall(await ownInput(client));
      if (call === undefined) return { problems };
      const { account } = runtimeOf(deps, call.account, false);
      if (!account.mayCall(call.route)) return { problems: [notAllowed(account.name, call.route)] };
      const credits = account.credits(call.route);
      const creates = createsSomething(call.route);
      const { method, rateClass } = routes[call.route];
      const plan: CallPlan = {
        ...{ method, queue: queueClassOf(rateClass), credits },
        once: creates || credits > 0,
        subject: callSubject(call.route, callKey(call, creates ? undefined : run)),
      };
      return { problems, plan };
    },

    /** Makes a call that may be repeated, and stores the reply. */
    async callAny(): Promise<CallOutcome> {
      const { call, input } = await ownCall();
      const { route } = call;
      if (!isRepeatable(route)) throw new TypeError(`${route} must not be repeated`);
      const runtime = runtimeOf(deps, call.account);
      // The worker that checked the call may have another configuration.
      if (!runtime.account.mayCall(route))
        throw ApplicationFailure.nonRetryable(notAllowed(call.account, route), FailureType.badInput);
      const repeated = deletes(route) && (await hasBegun(call.account));
      try {
        const { body, status } = await callRoute(runtime, route, { ...input, asIs: true });
        // A read is nothing without its reply: it is read again.
        const keep = routes[route].method === 'GET' ? store : storeIfPossible;
        return { kind: 'done', status, ...(await keep(call.account, body)) };
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        if (error.type === FailureType.unreadable) return { kind: 'unreadable', problem: error.message };
        if (error.type !== FailureType.refused) throw error;
        const refusal = error.details?.[0] as Refusal;
        const { status, code, requiredTier } = refusal;
        const reason = requiredTier ? `planTooLow:${requiredTier}` : (code ?? `http${status}`);
        return { kind: 'refused', ...refusal, reason, repeated };
      }
    },

    /** What is known of a call that must happen once: by the ledger, and in the storage. No call of the API. */
    async callKnown({ account, subject }: { account: string; subject: string }): Promise<CallKnown> {
      const ledger = await ledgerFor(runtimeOf(deps, account));
      const { open, settled } = await ledger.subject(subject).catch((error): SubjectState => {
        // A ledger that was deleted is started again by whoever asks to send, and is patient then.
        if (error instanceof WorkflowNotFoundError) return {};
        throw error;
      });
      const made = await readMade(account, subject);
      // The ledger also remembers, without a reference and as if by a look, what was never settled.
      const told = settled && (settled.credits > 0 || (!settled.byLook && settled.ref !== undefined));
      if (told || made?.happened) {
        const ref = made?.ref ?? settled?.ref;
        const stored = ref === undefined ? undefined : await storage.stat(ref);
        const reply = stored && { ref: stored.ref, url: storage.urlOf(stored.ref), bytes: stored.size };
        return { done: { ...(reply && { reply }) }, doubts: [] };
      }
      const doubts = made ? [GIVEN_UP] : [];
      if (open) doubts.push({ attempt: open.attempt, until: open.overAt });
      else if (settled?.byLook) doubts.push({ attempt: settled.attempt, until: settled.at });
      return { doubts };
    },

    /** Makes a call that must happen once: one attempt, under S1–S3. */
    async callAnyOnce(once: OnceOf): Promise<{ outcome: SendOutcome; replied?: Replied }> {
      const { call, input } = await ownCall();
      const got: { body?: unknown; status?: number } = {};
      const runtime = runtimeOf(deps, call.account);
      if (!runtime.account.mayCall(call.route)) return { outcome: await withoutSending(runtime, once) };
      const outcome = await sendOnce<RouteName>(runtime, {
        ...{ ...once, input: { ...input, asIs: true }, route: call.route },
        read(_, body, status) {
          Object.assign(got, { body, status });
          return { ref: replyRef(call.account) };
        },
      });
      if (outcome.kind !== 'paid') return { outcome };
      // S3: paid for, and the reply could not be read.
      if (outcome.ref === undefined) return { outcome, replied: { lost: true } };
      const { body, ...status } = got;
      return { outcome, replied: { ...status, ...(await storeIfPossible(call.account, body)) } };
    },

    /** Keeps in the storage what is known of the call, beyond what the ledger remembers. No call of the API. */
    async keepMade(made: { account: string; subject: string; happened: boolean; ref?: string }): Promise<void> {
      const { account, subject, happened, ref } = made;
      if ((await readMade(account, subject))?.happened) return;
      const run = Context.current().info.workflowExecution?.workflowId;
      const text = `${storedJson({ run, at: new Date().toISOString(), happened, ref })}\n`;
      await storage.write(madeRef(account, subject), text, { contentType: 'application/json' });
    },
  };
}

/** The configuration does not allow the call: what became of this run's own earlier try, if it had one. */
async function withoutSending(runtime: AccountRuntime, { subject, run, lookedAt }: OnceOf): Promise<SendOutcome> {
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const ledger = await ledgerToSend(runtime);
  const own = ownOutcome(await ledger.subject(subject), { workflowId, run }, lookedAt);
  return own ?? { kind: 'refused', reason: 'notAllowed' };
}

/** A workflow ID as a name in the storage. */
const asName = (id: string) => id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100);

/** @param account absent: where an earlier version put it */
function replyRef(account?: string): string {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  return inAccount(account, `calls/${asName(workflowId)}/${runId}.json`);
}

const madeRef = (account: string, subject: string) => `calls-made/${account}/${asName(subject)}.json`;
