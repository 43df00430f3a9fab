/** What people said to runs, kept in the books (S8): histories are deleted after some weeks. */
import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { type Act, MOST_SAID } from '../src/books/entry';
import { LEDGER_ID } from '../src/ledger/messages';
import type { Notice } from '../src/notify/message';
import { redactText } from '../src/redact';
import { rootMessage } from '../src/root-cause';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { type Who, whoSaid } from '../src/temporal/who';
import { oneLine } from '../src/text/printable';
import { type Deps, ledgerOf, noLedgerHere, runtimeOf } from './deps';
import { requeueAfter } from './requeue';

/** Characters of a text that are kept. */
const MOST = 500;
/** Tries until an act is kept without who it was. */
const ASKED_TRIES = 5;
/** Another worker is asked after this. */
const ELSEWHERE_MS = 1_000;

/** A message that a run has taken. */
export interface ActTaken {
  account: string;
  /** The name and the ID of the update, and what was said with it. */
  update: string;
  id: string;
  said: unknown;
  /** When the run took it, in workflow time. */
  when: number;
}

/** Who it was, and what else is to be told of it, where somebody wants to be told. */
export interface ActKept extends Who {
  notice?: Pick<Notice, 'by'>;
}

export const createActsActivities = (deps: Deps) => ({
  /** Writes down what a person said to this run. No call of the API. @returns who it was, as far as Temporal knows */
  async keepAct({ account, update, id, said, when }: ActTaken): Promise<ActKept> {
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const ledger = await bookkeeperOf(deps, account, workflowId);
    const { by, ...rest } = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
    const found = await whoSaid(deps.client, { workflowId, runId }, id).catch((error: unknown): Who => {
      if (Context.current().info.attempt < ASKED_TRIES) throw error;
      return {};
    });
    const who = keptWho(found);
    const text = JSON.stringify(rest, (_, value) => (typeof value === 'string' ? kept(value) : value));
    const act: Act = {
      ...{ kind: 'act', update: kept(update), workflowId, runId, when, said: text.slice(0, MOST_SAID) },
      ...(typeof by === 'string' && { by: kept(by) }),
      ...who,
    };
    await ledger.books.act(act, uuidOf(`${workflowId}/${runId}/${id}`, 'said'));
    if (!deps.receiver?.kinds.includes('personActed')) return who;
    // S4: neither the reason nor what else was said: it is free text, and the receiver is elsewhere.
    return { ...who, notice: act.by ? { by: act.by } : {} };
  },
});

/** A ledger's acts stand in the books of its own user, also where the account has another one by now. */
async function bookkeeperOf(deps: Deps, account: string, workflowId: string): Promise<BookedLedger> {
  if (!LEDGER_ID.test(workflowId))
    return runtimeOf(deps, account)
      .ledger()
      .catch((error: unknown) => {
        throw requeueAfter(rootMessage(error), ELSEWHERE_MS);
      });
  const ledger = ledgerOf(deps, workflowId);
  if (!ledger) throw requeueAfter(noLedgerHere(deps), ELSEWHERE_MS);
  return ledger;
}

/** For tables and terminals: nothing that either would obey. */
export const kept = (text: string): string => oneLine(redactText(text)).slice(0, MOST);

export const keptWho = ({ identity, principal }: Who): Who => ({
  ...(identity && { identity: kept(identity) }),
  ...(principal && { principal: kept(principal) }),
});

/** Clients choose the IDs of updates: no name of theirs gives the ID of a start. */
const VERSION = { said: 8, start: 5 };

/** Equal for equal names of one kind. */
export function uuidOf(name: string, kind: keyof typeof VERSION): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [
    ...[hex.slice(0, 8), hex.slice(8, 12), `${VERSION[kind]}${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`],
    hex.slice(20, 32),
  ].join('-');
}
