/** A call that costs, or that would do something twice (S1–S3). */

import { patched } from '@temporalio/workflow';
import type { Doubt, Replied } from '../../activities/any-call';
import type { LookOutcome, SendOutcome } from '../../src/paying/attempt-plan';
import { FailureType } from '../../src/runs/failure-types';
import { reasonInWords } from '../../src/runs/reason-words';
import { grouped } from '../../src/text/numbers';
import { type Outcome, type Purchase, payOnce } from '../paying/pay-once';
import type { Order } from '../paying/walk';
import { control, retryUntilAnswered, type Sends } from '../shared/calls';
import { failureType } from '../shared/failures';
import type { CallRun, End } from './call-run';

/** Failures of the activity before the ledger was asked. */
const BEFORE_THE_GRANT: readonly (string | undefined)[] = [FailureType.held, FailureType.upstream];
/**
 * And those of a ledger that could not be had: of an earlier try of the activity the ledger knows, if it is asked in time. Runs
 * from before this patch do not know that.
 */
const UNGRANTED: readonly (string | undefined)[] = [FailureType.ledger, FailureType.waiting];

/** Not an attempt's name in the ledger. */
const OWN = 'this run';

/**
 * The API is not looked at: what a list of contacts or survey links shows is not documented, and an equal record may be
 * there for another reason. The ledger and the storage know of every equal call; of one whose outcome nobody knows a
 * person decides, once it would have shown.
 */
export async function callOnce(at: CallRun): Promise<End> {
  const { input, plan, facts, status, asker, place, run, name } = at;
  const { account } = input;
  const { subject } = plan;
  /** A send whose outcome is not known, as this run remembers it: the ledger forgets. */
  let doubt: (Doubt & { own: boolean }) | undefined;
  /** Attempts of which a person said that they had no effect. */
  const without = new Set<string>();
  /** What the next answer is about. */
  let asked: Doubt[] = [];
  let replied: Replied | undefined;

  const callKnown = () => retryUntilAnswered(status, facts, account, () => control.callKnown({ account, subject }));

  async function look(): Promise<LookOutcome> {
    const { done, doubts } = await callKnown();
    if (done) {
      replied ??= done;
      return 'found';
    }
    const known = doubts.filter(({ attempt }) => !without.has(attempt));
    // S2: what another run's send gave back to the ledger before its end has had no effect.
    if (doubt && !doubt.own && known.length === 0 && Date.now() <= doubt.until) doubt = undefined;
    asked = [...known, ...(doubt ? [doubt] : [])].filter(({ until }) => Date.now() > until);
    return asked.length > 0 ? 'cannotTell' : 'notFound';
  }

  async function send(calls: Sends, order: Order): Promise<SendOutcome> {
    try {
      const sent = await calls.callAnyOnce({ subject, ...order });
      replied = sent.replied ?? replied;
      const { outcome } = sent;
      if (outcome.kind === 'unknown') doubt = { attempt: OWN, until: outcome.overAt, own: true };
      // A ledger that replaced a lost one knows of no attempt: then it may be anybody's.
      if (outcome.kind === 'open' && !doubt?.own)
        doubt = { attempt: OWN, until: outcome.overAt, own: (await callKnown()).doubts.length === 0 };
      return outcome;
    } catch (error) {
      const type = failureType(error);
      if (!BEFORE_THE_GRANT.includes(type)) {
        const { sendWindowMs, paidTimeoutMs, settlingMs } = facts.timing;
        const until = Date.now() + sendWindowMs + paidTimeoutMs + settlingMs;
        doubt = { attempt: OWN, until, own: !(UNGRANTED.includes(type) && patched('knowsUngranted')) };
      }
      throw error;
    }
  }

  const call: Purchase = {
    ...{ subject, price: plan.credits, run: { key: run, maxCredits: input.maxCredits }, look, send },
    summary: `Call ${name}`,
    step: ['sending', plan.credits > 0 ? `Calling ${name} for ${grouped(plan.credits)} credits` : `Calling ${name}`],
    async ask(_, said) {
      const decision = await asker.decide(
        `It is unknown whether ${name} was done, and the API does not tell.${said} Look in the web app.`,
        plan.credits,
      );
      if (decision !== 'sendAgain') return decision;
      if (doubt && asked.includes(doubt)) doubt = undefined;
      for (const { attempt } of asked) without.add(attempt);
      return decision;
    },
  };
  return payOnce({ account, facts, status, place }, call, (outcome) => conclude(at, outcome, replied));
}

/** What the outcome means for people. */
async function conclude(at: CallRun, outcome: Outcome, replied: Replied | undefined): Promise<End> {
  const { input, plan, name } = at;
  const { account, maxCredits } = input;
  const { subject } = plan;
  switch (outcome.how) {
    case 'done': {
      const { by, ours, credits } = outcome;
      await control.keepMade({ account, subject, happened: true, ...(replied?.reply && { ref: replied.reply.ref }) });
      const done = { outcome: 'done', credits, ...(replied && { replied }) } as const;
      if (!ours)
        return {
          ...done,
          reason: 'alreadyDone',
          sentence: `An equal call of ${name} was made before, so nothing was sent; with another reference it is made again.`,
        };
      if (by === 'reply' && !replied?.lost) return { ...done, sentence: `${name} is done.` };
      if (replied?.reply) return { ...done, sentence: `${name} is done.` };
      return { ...done, reason: 'replyLost', sentence: `${name} is done; its reply is lost.` };
    }
    case 'overRunCap': {
      const sentence = `${name} would cost more than the ${grouped(maxCredits)} credits allowed.`;
      return { outcome: 'skipped', reason: 'overMaxCredits', sentence, credits: 0 };
    }
    case 'gaveUp': {
      // S2: whoever makes an equal call later is asked first, too.
      await control.keepMade({ account, subject, happened: false });
      const sentence = `Whether ${name} was done could not be found out.`;
      return { outcome: 'unresolved', reason: 'nobodyDecided', sentence, credits: 0 };
    }
    case 'refused': {
      const { reason } = outcome;
      const status = /^http(\d{3})$/.exec(reason)?.[1];
      const who = reason === 'notAllowed' ? `${name} is not allowed` : `The service refused ${name}`;
      const sentence = `${who}: ${reasonInWords(reason)}.`;
      return { outcome: 'refused', reason, ...(status && { status: Number(status) }), sentence, credits: 0 };
    }
    case 'cannotLook':
      throw outcome.error;
  }
}
