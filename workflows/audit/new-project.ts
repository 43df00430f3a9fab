/** A new project: created once, under its reference (S1–S3). */

import { patched } from '@temporalio/workflow';
import type { NewProject } from '../../activities/projects';
import { isShortened } from '../../src/audits/reference';
import type { LookOutcome } from '../../src/paying/attempt-plan';
import { projectSubject } from '../../src/paying/subject';
import { reasonInWords } from '../../src/runs/reason-words';
import { grouped } from '../../src/text/numbers';
import { elsewhere } from '../paying/elsewhere';
import { isPaidBefore, type Outcome, type Purchase, payOnce } from '../paying/pay-once';
import { lookWhen } from '../paying/walk';
import { WHY } from '../shared/asker';
import { control, reads, writes } from '../shared/calls';
import { refusalOf } from '../shared/failures';
import { Stop } from '../shared/stop';
import { type AuditRun, ofProject, take } from './audit-run';
import { CUT, ProjectSearch } from './project-search';

/** @returns its ID; what is known of it stands in `at.taken` from then on, also when this throws (S6) */
export async function createProject(at: AuditRun, project: NewProject): Promise<string> {
  const { account, facts, status, run, asker, input } = at;
  const reference = input.reference ?? (await control.referenceOf({ account, project }));
  status.step('looking', 'Looking whether the project is there already');
  const search = new ProjectSearch(at, reference, project.clientName);
  let isSent = false;
  const subject = projectSubject(reference);
  // What is paid for is not refused over a list that cannot be read while it is looked for (S6).
  const look = () =>
    lookWhen(
      () => isSent,
      () => search.look(),
    );
  /** Nobody has sent it, by the books: there is nothing to ask about. */
  const isUnknown = async () => {
    const { open, settled } = await control.subjectState({ account, subject });
    return open === undefined && settled === undefined;
  };
  const creation: Purchase = {
    ...{ subject, price: facts.createPrice, run, look: () => search.look() },
    summary: 'Create the project',
    step: ['creating', `Creating the project for ${grouped(facts.createPrice)} credits`],
    send(calls, order) {
      isSent = true;
      const { before, newest } = search;
      const seen = { before: [...before], ...(newest !== undefined && { newest }) };
      return calls.createProjectOnce({ account, project, reference, ...seen, ...order });
    },
    async ask(why, doubt) {
      search.projectId = await elsewhere(at, subject);
      if (search.projectId !== undefined) return 'itHappened';
      if (!isSent && search.unread && (await isUnknown()))
        throw new Stop('refused', 'listCut', `${CUT} Nothing was sent. Start this run again afterwards.`);
      return asker.decide(
        `${WHY[why]}${doubt} ${at.notes.includes(CUT) ? `${CUT} ` : ''}${search.question()}`,
        facts.createPrice,
      );
    },
    async identify({ by, sent, credits, ref }) {
      if (sent) at.taken.credits = credits;
      if (by === 'look') {
        const projectId = search.projectId ?? ref;
        if (projectId !== undefined) return projectId;
        isSent ||= patched('asksWhenWithdrawn');
        return known(search, look);
      }
      return ref !== undefined && (await search.isOwn(ref)) ? ref : search.shown(look);
    },
  };
  return payOnce(at, creation, (outcome) => conclude(at, { project, reference, search }, outcome));
}

/** What the creation was about, and how it is looked for. */
interface Creation {
  project: NewProject;
  reference: string;
  search: ProjectSearch;
}

/** What the outcome means for the run. @returns the project's ID */
async function conclude(at: AuditRun, { project, reference, search }: Creation, outcome: Outcome): Promise<string> {
  switch (outcome.how) {
    case 'done': {
      const { ours, credits, ref: projectId } = outcome;
      if (projectId === undefined) throw new TypeError('a project that is there has an ID');
      if (!ours)
        at.notes.push(
          `A project with the reference ${reference} was there already; another reference makes another project.`,
        );
      const paid = isPaidBefore(outcome) && { paidBefore: true as const };
      take(at, { projectId, how: ours ? 'created' : 'found', credits, ...paid });
      // S2: the description is touched, if at all, only when the project's ID is kept, here and beyond this run.
      await search.keep(projectId);
      await describe(at, project, reference, projectId);
      return projectId;
    }
    case 'overRunCap':
      throw new Stop(
        'skipped',
        'overMaxCredits',
        `The project would cost more than the ${grouped(at.run.maxCredits)} credits allowed.`,
      );
    case 'gaveUp':
      throw new Stop('unresolved', 'nobodyDecided', 'Whether the project was created could not be found out.');
    case 'refused':
      throw new Stop('refused', outcome.reason, refusedToCreate(project, outcome.reason));
    case 'cannotLook':
      throw outcome.error;
  }
}

/** What a person says to have happened is there: the one that could be it, or else what shows up. */
const known = (search: ProjectSearch, look: () => Promise<LookOutcome>): Promise<string> =>
  search.candidates.length > 0 ? search.identified() : search.shown(look);

/** Which fields a service requires is not shown: what a refusal without a better reason can mean. */
function refusedToCreate(project: NewProject, reason: string): string {
  const refused = `The service refused to create the project: ${reasonInWords(reason)}`;
  if (/^(PAT_|planTooLow:|http40[34])/.test(reason)) return `${refused}.`;
  const missing = (['industry', 'companySize', 'description', 'currency'] as const).filter((field) => !project[field]);
  return missing.length === 0
    ? `${refused}; it may not take one of the values that were given in project.`
    : `${refused}; it may require fields of project that are optional here. Not given: ${missing.join(', ')}; give them and start again.`;
}

/** Writes the description as it is to stay, where the project was created with another one. */
async function describe(at: AuditRun, project: NewProject, reference: string, projectId: string): Promise<void> {
  const { account, place } = at;
  const keep = at.input.keepReference;
  if (keep && !isShortened(project.description, reference)) return;
  try {
    const { wanted } = await ofProject(at, () =>
      reads(account, place, 'Read the description').descriptionOf({
        ...{ account, projectId, reference, keep },
        given: project.description,
      }),
    );
    if (wanted !== undefined)
      await ofProject(at, () =>
        writes(account, place, 'Write the description').setDescription({ account, projectId, description: wanted }),
      );
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    at.notes.push(
      keep
        ? `The description, shortened to leave room for the reference, could not be written in full: ${reasonInWords(reason, 'project')}.`
        : `The reference could not be taken out of the description: ${reasonInWords(reason, 'project')}.`,
    );
  }
}
