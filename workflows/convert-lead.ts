/** Converts one lead into a project, once. */

import { isCancellation, patched, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { LeadSeen } from '../activities/leads';
import { ConvertLeadInput, type ConvertLeadJson } from '../src/inputs/convert-lead';
import { leadSubject } from '../src/paying/subject';
import { outcomeInWords, reasonInWords } from '../src/runs/reason-words';
import { summaries } from '../src/runs/summaries';
import { searchAttributeKeys } from '../src/temporal/search-attribute-keys';
import { grouped } from '../src/text/numbers';
import { utcIn } from '../src/time/utc';
import { bookName } from './paying/booking';
import { isPaidBefore, type Outcome, type Purchase, payOnce } from './paying/pay-once';
import { Asker, WHY } from './shared/asker';
import { factsOf, fairnessKey, reads, retryUntilAnswered, runKey } from './shared/calls';
import { ProjectChoice } from './shared/choose-project';
import { failureText, refusalOf } from './shared/failures';
import { type FoundProject, findProject } from './shared/find-project';
import { type FirstLook, firstLook } from './shared/first-look';
import { allAnswered } from './shared/kept-acts';
import { givePlace } from './shared/place';
import { readInput } from './shared/read-input';
import type { Answered } from './shared/said';
import { creditsSpent, identity, Status } from './shared/status';
import { isWithdrawal, mayBeWithdrawn, WITHDRAWN } from './shared/withdraw';

// ---- Types

export interface ConvertLeadResult {
  leadId: string;
  /**
   * `converted`: by this run, or by an attempt whose outcome was found out later. `alreadyConverted`: by somebody else.
   * `skipped`: a cap. `refused`: the service said no. `unresolved`: nobody could tell, and nobody decided.
   */
  outcome: 'converted' | 'alreadyConverted' | 'skipped' | 'refused' | 'unresolved';
  /** A stable code for `skipped`, `refused` and `unresolved`; or `projectNotFound`. */
  reason?: string;
  /** What could not be read, and the setting that corrects it. */
  problem?: string;
  /** Credits that this lead cost this account through audit-runner, as booked. */
  credits: number;
  /** A look has found them paid: an earlier run with the same budget may have told them. */
  paidBefore?: true;
  /** The project that the lead became, when known. */
  projectId?: string;
  /** What people answered, when the run asked. */
  answers?: Answered[];
}

// ---- Workflow

/** Looks before it pays, asks the ledger when it pays, and finds out afterwards when it does not know (S1–S3). */
export async function convertLead(raw: ConvertLeadJson): Promise<ConvertLeadResult> {
  const input = readInput(ConvertLeadInput, raw, 'convertLead');
  const status = new Status();
  const { leadId } = input;
  status.about(summaries.convertLead(input), input.account);
  mayBeWithdrawn();
  return convert(input, status).catch((error) => {
    if (!isWithdrawal(error)) throw error;
    return finish(status, [], { leadId, outcome: 'skipped', reason: WITHDRAWN, credits: 0 });
  });
}

async function convert(input: ConvertLeadInput, status: Status): Promise<ConvertLeadResult> {
  const { account, leadId } = input;
  const asker = new Asker(status, input, 'the conversion');
  const choice = new ProjectChoice(account, asker, 'the lead');
  const about = identity(account, { key: searchAttributeKeys.leadId, value: leadId });
  const looking = ['looking', `Looking at lead ${leadId}`] as const;
  const run = input.run ?? { key: runKey(), maxCredits: input.maxCredits };
  const place = { priorityKey: input.priority, fairnessKey: fairnessKey(run.key) };
  const looks: LeadSeen[] = [];
  const saves = patched('savesActions');
  if (saves) status.begins(...looking, about);
  else {
    upsertSearchAttributes(about);
    status.step(...looking);
  }
  const first: FirstLook = saves ? await firstLook(account, leadId, place) : { facts: await factsOf(account) };
  const { facts, looked } = first;

  const see = () =>
    retryUntilAnswered(status, facts, account, () => {
      const { failed } = first;
      first.failed = undefined;
      if (failed !== undefined) throw failed;
      return reads(account, place, `Look at lead ${leadId}`).lookAtLead({ account, leadId });
    });
  const showsConverted = (seen: LeadSeen) => {
    looks.push(seen);
    return seen.surveyStatus === 'converted';
  };
  const isConverted = async () => showsConverted(await see());

  const conversion: Purchase = {
    subject: leadSubject(leadId),
    price: facts.convertPrice,
    run,
    summary: `Convert lead ${leadId}`,
    step: ['converting', `Converting lead ${leadId} for ${grouped(facts.convertPrice)} credits`],
    ...(looked && { looked: { askedAt: looked.askedAt, found: asOutcome(showsConverted(looked.seen)) } }),
    look: async () => asOutcome(await isConverted()),
    send: (calls, order) => calls.convertLeadOnce({ account, leadId, ...order }),
    ask: (why, doubt) =>
      asker.decide(`${WHY[why]}${doubt} Look in the web app whether lead ${leadId} is converted.`, facts.convertPrice),
  };
  const at = { account, facts, status, place };
  return payOnce(at, conversion, concluded);

  async function concluded(outcome: Outcome): Promise<ConvertLeadResult> {
    const result = resultOf(leadId, outcome);
    const isAnswered = outcome.how === 'done' && outcome.by === 'reply';
    // S3: a reply that could not be read counts as spent; whether the lead is converted is another question.
    if (isAnswered && !outcome.ref && !(await isConfirmed()))
      return finish(status, asker.answers, { ...result, outcome: 'unresolved', reason: 'paidButNotConverted' });
    // Whether the reply's auditId is that of the project, the document does not say: a look confirms it.
    if (isAnswered && outcome.ref && !(await isProject(outcome.ref))) delete result.projectId;
    const before = looks.find(({ surveyStatus }) => surveyStatus !== 'converted');
    const [seen] = looks.slice(-1);
    const wanted = result.outcome === 'converted' || (result.outcome === 'alreadyConverted' && input.findProject);
    if (!wanted || result.projectId || !seen) return finish(status, asker.answers, result);
    // No reply, or none that names the project: it has to be found among those created since the look before.
    status.step('finding', `Lead ${leadId} is converted; finding its project`);
    const since = before?.serverTime ?? Date.parse(seen.createdAt ?? '');
    const search = { account, facts, status, place, subject: leadSubject(leadId), since };
    const found = await findProject(search, seen, see).catch((error): FoundProject => {
      // What is paid for does not fail over a list that cannot be read (S6).
      if (isCancellation(error)) throw error;
      return { kind: 'none', problem: failureText(error) };
    });
    if (found.kind === 'none' && found.problem) result.problem = found.problem;
    const question = `Lead ${leadId} is converted and paid for. Two or more projects could be its own`;
    const projectId =
      found.kind === 'several'
        ? await choice.ask(question, found.ids, leadSubject(leadId))
        : found.kind === 'one'
          ? found.id
          : undefined;
    if (projectId && result.credits > 0) await bookName({ account, ...conversion }, projectId);
    return finish(status, asker.answers, { ...result, ...(projectId ? { projectId } : { reason: 'projectNotFound' }) });
  }

  /** A project that was just made may be shown late. What stands in the way of looking disproves nothing (S6). */
  async function isProject(projectId: string): Promise<boolean> {
    const { settlingMs } = facts.timing;
    try {
      for (let wait = settlingMs / 60; ; wait *= 3) {
        const ask = () =>
          reads(account, place, `Look whether ${projectId} is the project`).isProject({ account, projectId });
        if (await retryUntilAnswered(status, facts, account, ask)) return true;
        if (wait > settlingMs) return false;
        status.waits(`The service does not show project ${projectId} yet; it is looked at again at ${utcIn(wait)}.`);
        await sleep(wait);
      }
    } catch (error) {
      if (isCancellation(error) || refusalOf(error) === undefined) throw error;
      return true;
    }
  }

  /** The service may show a conversion late: looks until it must have shown. */
  async function isConfirmed(): Promise<boolean> {
    for (let wait = facts.timing.settlingMs / 60; wait <= facts.timing.settlingMs; wait *= 3) {
      if (await isConverted().catch(() => false)) return true;
      givePlace();
      status.waits(`The reply could not be read; lead ${leadId} is looked at again at ${utcIn(wait)}.`);
      await sleep(wait);
    }
    return isConverted().catch(() => false);
  }
}

// ---- Helpers

const asOutcome = (isConverted: boolean) => (isConverted ? 'found' : 'notFound');

/** What the outcome means for people. */
function resultOf(leadId: string, outcome: Outcome): ConvertLeadResult {
  switch (outcome.how) {
    case 'done': {
      const { ours, credits, ref } = outcome;
      const how = ours ? 'converted' : 'alreadyConverted';
      const paid = isPaidBefore(outcome) && { paidBefore: true as const };
      return { leadId, outcome: how, credits, ...paid, ...(ref && { projectId: ref }) };
    }
    case 'overRunCap':
      return { leadId, outcome: 'skipped', reason: 'overMaxCredits', credits: 0 };
    case 'gaveUp':
      return { leadId, outcome: 'unresolved', reason: 'nobodyDecided', credits: 0 };
    case 'refused':
      return { leadId, outcome: 'refused', reason: outcome.reason, credits: 0 };
    case 'cannotLook':
      return { leadId, outcome: 'refused', reason: outcome.reason, credits: 0, problem: failureText(outcome.error) };
  }
}

/** agent-api.md, "Errors": of its 400s without a code, one is that the lead is converted already, which it is not. */
const NOT_CONVERTED_400 = ' The AI provider key of the service may be missing or revoked: look in the web app.';

async function finish(status: Status, answers: Answered[], result: ConvertLeadResult): Promise<ConvertLeadResult> {
  const project = result.projectId ? ` It is project ${result.projectId}.` : '';
  status.step(
    result.outcome,
    `Lead ${result.leadId}: ${outcomeInWords(result.outcome)}, ${grouped(result.credits)} credits.${result.reason ? ` Reason: ${reasonInWords(result.reason, 'lead')}.` : ''}${project}${result.problem ? ` ${result.problem}.` : ''}${result.reason === 'http400' ? NOT_CONVERTED_400 : ''}`,
    creditsSpent(result.credits),
    ...(result.projectId ? [{ key: searchAttributeKeys.projectId, value: result.projectId }] : []),
  );
  await allAnswered();
  return { ...result, ...(answers.length > 0 && { answers }) };
}
