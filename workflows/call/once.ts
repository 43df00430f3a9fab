/** A call that costs, or that would do something twice (S1–S3). */
import type { Doubt, Replied } from '../../activities/any-call';
import type { LookOutcome, SendOutcome } from '../../src/policy/course';
import { FailureType } from '../../src/policy/failures';
import { control, onceCalls, patiently } from '../shared/calls';
import { failureType } from '../shared/failures';
import { concluding, type Ending, payOnce } from '../shared/pay-once';
import type { At, End } from './step';

/** Failures of the activity before the ledger was asked. */
const BEFORE_THE_GRANT: readonly (string | undefined)[] = [FailureType.held, FailureType.upstream];

/** Not an attempt's name in the ledger. */
const OWN = 'this run';

/**
 * The API is not looked at: what a list of contacts or survey links shows is not documented, and an equal record may be
 * there for another reason. The ledger and the storage know of every equal call; of one whose outcome nobody knows a
 * person decides, once it would have shown.
 */
export async function callOnce(at: At): Promise<End> {
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

  const callKnown = () => patiently(status, facts, account, () => control.callKnown({ account, subject }));

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

  async function send(lookedAt: number, again: boolean): Promise<SendOutcome> {
    status.step('sending', plan.credits > 0 ? `Calling ${name} for ${plan.credits} credits` : `Calling ${name}`);
    const priority = again ? { ...place, priorityKey: 1 } : place;
    const calls = onceCalls(account, facts, priority, `Call ${name}`);
    try {
      const sent = await calls.callAnyOnce({ subject, lookedAt, run, runCap: input.maxCredits });
      replied = sent.replied ?? replied;
      const { outcome } = sent;
      if (outcome.kind === 'unknown') doubt = { attempt: OWN, until: outcome.overAt, own: true };
      // A ledger that replaced a lost one knows of no attempt: then it may be anybody's.
      if (outcome.kind === 'open' && !doubt?.own)
        doubt = { attempt: OWN, until: outcome.overAt, own: (await callKnown()).doubts.length === 0 };
      return outcome;
    } catch (error) {
      if (!BEFORE_THE_GRANT.includes(failureType(error))) {
        const { sendWindowMs, paidTimeoutMs, settlingMs } = facts.timing;
        const until = Date.now() + sendWindowMs + paidTimeoutMs + settlingMs;
        doubt = { attempt: OWN, until, own: true };
      }
      throw error;
    }
  }

  const ending = await payOnce(account, facts, status, {
    ...{ credits: plan.credits, look, send },
    ...(plan.credits > 0 && { paid: { subject, run } }),
    async ask() {
      const decision = await asker.decide(
        `It is unknown whether ${name} was done: the answer was lost, and the API does not tell. Look in the web app.`,
      );
      if (decision !== 'sendAgain') return decision;
      if (doubt && asked.includes(doubt)) doubt = undefined;
      for (const { attempt } of asked) without.add(attempt);
      return decision;
    },
  });
  return concluding(ending, () => conclude(at, ending, replied));
}

/** What the ending means for people and for the books. */
async function conclude(at: At, ending: Ending, replied: Replied | undefined): Promise<End> {
  const { input, plan, run, name } = at;
  const { account, maxCredits } = input;
  const { subject } = plan;
  switch (ending.how) {
    case 'paid':
    case 'foundPaid':
    case 'alreadyDone': {
      const { ours, credits } = ending.how === 'paid' ? { ours: true, credits: ending.credits ?? 0 } : await booked();
      await control.keepMade({ account, subject, happened: true, ...(replied?.reply && { ref: replied.reply.ref }) });
      const done = { outcome: 'done', credits, ...(replied && { replied }) } as const;
      if (!ours)
        return {
          ...done,
          reason: 'alreadyDone',
          sentence: `An equal call of ${name} was made before, so nothing was sent; with another reference it is made again.`,
        };
      if (ending.how === 'paid' && !replied?.lost) return { ...done, sentence: `${name} is done.` };
      if (replied?.reply) return { ...done, sentence: `${name} is done.` };
      return { ...done, reason: 'replyLost', sentence: `${name} is done; its reply is lost.` };
    }
    case 'overRunCap': {
      const sentence = `${name} would cost more than the ${maxCredits} credits allowed.`;
      return { outcome: 'skipped', reason: 'overMaxCredits', sentence, credits: 0 };
    }
    case 'gaveUp': {
      // S2: whoever makes an equal call later is asked first, too.
      await control.keepMade({ account, subject, happened: false });
      const sentence = `Whether ${name} was done could not be found out.`;
      return { outcome: 'unresolved', reason: 'nobodyDecided', sentence, credits: 0 };
    }
    case 'refused': {
      const { reason } = ending;
      const status = /^http(\d{3})$/.exec(reason)?.[1];
      const sentence = `The service refused ${name} (${reason}).`;
      return { outcome: 'refused', reason, ...(status && { status: Number(status) }), sentence, credits: 0 };
    }
  }

  async function booked(): Promise<{ ours: boolean; credits: number }> {
    const sent = ending.how === 'foundPaid';
    const price = sent && plan.credits > 0 && { credits: plan.credits };
    const settlement = { kind: 'foundPaid', ...price } as const;
    const now = await control.settleSubject({ account, subject, run, settlement });
    const { settled } = await control.subjectState({ account, subject });
    // An earlier try of this run may have settled it: then it is ours after all.
    const ours = sent || now > 0 || settled?.run === run;
    return { ours, credits: ours ? (settled?.credits ?? plan.credits) : 0 };
  }
}
