/** The project to audit: the given one, a new one (S1–S3), or the one that a lead becomes. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  ParentClosePolicy,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { NewProject, ReferencePage } from '../../activities/projects';
import type { ListPlace } from '../../activities/references';
import type { LookOutcome } from '../../src/policy/course';
import { convertLeadId } from '../../src/policy/run-ids';
import { projectSubject } from '../../src/policy/subject';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { type ConvertLeadResult, convertLead } from '../convert-lead';
import { WHY } from '../shared/asker';
import { control, notShownUntil, onceCalls, patiently, reads, refusalOf, writes } from '../shared/calls';
import { concluding, type Ending, payOnce } from '../shared/pay-once';
import { Stop } from '../shared/stop';
import { runKind } from '../shared/tell';
import { type At, ofProject, type Taken } from './step';

/** Pages of the project list that are read for one look; beyond them a person is asked. */
const MAX_PAGES = 100;
/** Projects of the same name that are asked one by one. */
const MAX_ASKED = 20;

/** A note of the result, and part of the question. */
const CUT =
  'The list of projects could not be read to its end: set unshown.projectsList to the names of its parameters.';

/** @returns its ID; what is known of it stands in `at.taken` from then on, also when this throws (S6) */
export async function takeProject(at: At): Promise<string> {
  const { project, projectId, leadId, fresh } = at.input;
  if (project) return createProject(at, project);
  if (leadId) return convert(at, leadId);
  if (!projectId) throw new TypeError('an input that was checked names a project');
  return take(at, { projectId, how: 'given', ...(!fresh && { freshUntil: 0 }) });
}

function take(at: At, taken: Partial<Taken> & Required<Pick<Taken, 'projectId' | 'how'>>): string {
  Object.assign(at.taken, { freshUntil: notShownUntil(at.facts), ...taken });
  return taken.projectId;
}

async function createProject(at: At, project: NewProject): Promise<string> {
  const { account, facts, status, place, run, asker, input } = at;
  const reference = input.reference ?? (await control.referenceOf({ account, project }));
  status.step('looking', 'Looking whether the project is there already');
  let found: string | undefined;
  let sent = false;
  const look = async (): Promise<LookOutcome> => {
    try {
      const seen = await lookFor(at, reference, project.clientName);
      if (seen !== 'cannotTell') found = seen;
      return seen === 'cannotTell' ? 'cannotTell' : seen === undefined ? 'notFound' : 'found';
    } catch (error) {
      // S2: a look that is refused after something was sent tells nothing; before, it ends the run with its reason.
      if (sent && refusalOf(error)) return 'cannotTell';
      throw error;
    }
  };
  const ending = await payOnce(account, facts, status, {
    credits: facts.createPrice,
    look,
    send(lookedAt, again) {
      sent = true;
      status.step('creating', `Creating the project for ${facts.createPrice} credits`);
      const priority = again ? { ...place, priorityKey: 1 } : place;
      return onceCalls(account, facts, priority, 'Create the project').createProjectOnce({
        ...{ account, project, reference, lookedAt },
        run: run.key,
        runCap: run.maxCredits,
      });
    },
    ask: (why) =>
      asker.decide(
        `${WHY[why]} ${at.notes.includes(CUT) ? `${CUT} ` : ''}Look in the web app for a project whose description ends with [audit-runner ${reference}].`,
      ),
  });
  return concluding(ending, () => conclude(at, { project, reference, look, found: () => found }, ending));
}

/** What the creation was about, and how it is looked for. */
interface Creation {
  project: NewProject;
  reference: string;
  look(): Promise<LookOutcome>;
  /** What the last look found. */
  found(): string | undefined;
}

/** What the ending means for the run and for the books. */
async function conclude(at: At, { project, reference, look, found }: Creation, ending: Ending): Promise<string> {
  const { account, facts, run } = at;
  switch (ending.how) {
    case 'paid': {
      at.taken.credits = ending.credits ?? facts.createPrice;
      const projectId = ending.ref ?? (await awaitShown(at, look, found));
      return removed(at, reference, take(at, { projectId, how: 'created' }));
    }
    case 'foundPaid':
    case 'alreadyDone': {
      const paid = ending.how === 'foundPaid';
      if (paid) at.taken.credits = facts.createPrice;
      const projectId = found() ?? ending.ref ?? (await awaitShown(at, look, found));
      const subject = projectSubject(reference);
      const settlement = { kind: 'foundPaid', ref: projectId, ...(paid && { credits: facts.createPrice }) } as const;
      const booked = await control.settleSubject({ account, subject, run: run.key, settlement });
      const { settled } = await control.subjectState({ account, subject });
      // An earlier try of this run may have settled it: then it is ours after all.
      const ours = paid || booked > 0 || (settled?.run === run.key && settled.credits > 0);
      if (!ours)
        at.notes.push(
          `A project with the reference ${reference} was there already; another reference makes another project.`,
        );
      const credits = ours ? (settled?.credits ?? facts.createPrice) : 0;
      return removed(at, reference, take(at, { projectId, how: ours ? 'created' : 'found', credits }));
    }
    case 'overRunCap':
      throw new Stop(
        'skipped',
        'overMaxCredits',
        `The project would cost more than the ${run.maxCredits} credits allowed.`,
      );
    case 'gaveUp':
      throw new Stop('unresolved', 'nobodyDecided', 'Whether the project was created could not be found out.');
    case 'refused':
      throw new Stop('refused', ending.reason, refusedToCreate(project, ending.reason));
  }
}

/** Which fields a service requires is not shown: what a refusal without a better reason can mean. */
function refusedToCreate(project: NewProject, reason: string): string {
  const refused = `The service refused to create the project (${reason})`;
  if (/^(PAT_|planTooLow:|http40[34])/.test(reason)) return `${refused}.`;
  const missing = (['industry', 'companySize', 'description', 'currency'] as const).filter((field) => !project[field]);
  return missing.length === 0
    ? `${refused}: it may not take one of the values that were given in project.`
    : `${refused}: it may require fields of project that are optional here. Not given: ${missing.join(', ')}; give them and start again.`;
}

/** S3: what is paid for shows sooner or later; looks until it must have shown. */
async function awaitShown(at: At, look: () => Promise<LookOutcome>, found: () => string | undefined): Promise<string> {
  const { settlingMs } = at.facts.timing;
  for (let wait = settlingMs / 60; wait <= 2 * settlingMs; wait *= 3) {
    await look();
    const projectId = found();
    if (projectId !== undefined) return projectId;
    at.status.waits(
      `The project is paid for, and not in the list yet; it is looked for again in ${Math.ceil(wait / 1000)} s.`,
    );
    await sleep(wait);
  }
  throw new Stop('unresolved', 'paidButNotFound', 'The project was paid for and cannot be found: look in the web app.');
}

/** The ID of the project that carries the reference; undefined when none does. */
async function lookFor(at: At, reference: string, clientName: string): Promise<string | 'cannotTell' | undefined> {
  const { account, facts, status, place } = at;
  const ask: string[] = [];
  let next: ListPlace | undefined = { offset: 0 };
  let cut = false;
  for (let pages = 0; next !== undefined; pages++) {
    if (pages === MAX_PAGES) return 'cannotTell';
    const from: ListPlace = next;
    const page: ReferencePage = await patiently(status, facts, account, () =>
      reads(account, place, 'Look for the project').lookForProject({ account, reference, clientName, place: from }),
    );
    if (page.found) return page.found;
    ask.push(...page.ask);
    next = page.next;
    cut ||= page.cut === true;
  }
  // The newest are likely to be listed first or last, so both ends are asked.
  const asked = ask.length <= MAX_ASKED ? ask : [...ask.slice(0, MAX_ASKED / 2), ...ask.slice(-MAX_ASKED / 2)];
  const freshUntil = notShownUntil(facts);
  for (const projectId of asked) {
    const ask = () =>
      reads(account, place, `Look at project ${projectId}`).carriesReference({ account, projectId, reference });
    if (await patiently(status, facts, account, ask, freshUntil)) return projectId;
  }
  if (!cut) return ask.length <= MAX_ASKED ? undefined : 'cannotTell';
  if (!at.notes.includes(CUT)) at.notes.push(CUT);
  return 'cannotTell';
}

/** S2: the reference goes only now that the project's ID is in the history. */
async function removed(at: At, reference: string, projectId: string): Promise<string> {
  const { account, place, input } = at;
  if (input.keepReference) return projectId;
  try {
    const { without } = await ofProject(at, () =>
      reads(account, place, 'Read the description').descriptionOf({ account, projectId, reference }),
    );
    if (without !== undefined)
      await ofProject(at, () =>
        writes(account, place, 'Take the reference out').setDescription({ account, projectId, description: without }),
      );
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    at.notes.push(`The reference could not be taken out of the description (${reason}).`);
  }
  return projectId;
}

/** How often another run's conversion of the lead is waited for. */
const MAX_FOLLOWED = 3;

async function convert(at: At, leadId: string): Promise<string> {
  at.status.step(
    'converting',
    `Converting lead ${leadId}; the run ${convertLeadId(at.account, leadId)} says how far it is`,
  );
  const { outcome, reason, credits, projectId } = await conversionOf(at, leadId);
  at.taken.credits = credits;
  if (projectId) return take(at, { projectId, how: outcome === 'converted' ? 'converted' : 'alreadyConverted' });
  if (outcome === 'converted' || outcome === 'alreadyConverted')
    throw new Stop(
      'unresolved',
      'projectNotFound',
      `Lead ${leadId} is converted, and which project it became could not be found out: start auditProject with its projectId.`,
    );
  throw new Stop(outcome, reason ?? outcome, `Lead ${leadId} was not converted (${reason ?? outcome}).`);
}

async function conversionOf(at: At, leadId: string): Promise<ConvertLeadResult> {
  const { account, input, run } = at;
  const { priority, askPerson, personDeadline } = input;
  const workflowId = convertLeadId(account, leadId);
  for (let tries = 1; ; tries++) {
    try {
      const child = await startChild(convertLead, {
        workflowId,
        args: [
          {
            account,
            leadId,
            run,
            priority,
            askPerson,
            personDeadline: `${Math.ceil(personDeadline / 1000)}s`,
            findProject: true,
          },
        ],
        // It may hold an unfinished payment: it outlives this run whatever becomes of it.
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `Convert lead ${leadId}`,
        staticDetails: `Started by the audit ${workflowInfo().workflowId}.`,
        typedSearchAttributes: [
          { key: searchAttributeKeys.account, value: account },
          { key: searchAttributeKeys.leadId, value: leadId },
          // What a batch is behind, the batch tells of.
          { key: searchAttributeKeys.runKind, value: runKind() === 'backfill' ? 'backfill' : 'audit' },
        ],
      });
      return await child.result();
    } catch (error) {
      // The conversion was cancelled with this run, before anything was sent.
      if (CancellationScope.current().consideredCancelled) throw error;
      if (error instanceof WorkflowExecutionAlreadyStartedError && tries <= MAX_FOLLOWED)
        await control.awaitRun({ workflowId });
      else if (error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError)
        throw new Stop(
          'unresolved',
          'conversionEnded',
          `The run ${workflowId} was ended from outside. Start this audit again: it finds out what became of the lead.`,
        );
      else throw error;
    }
  }
}
