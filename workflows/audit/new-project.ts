/** A new project: created once, under its reference (S1–S3). */
import { workflowInfo } from '@temporalio/workflow';
import type { NewProject } from '../../activities/projects';
import type { LookOutcome } from '../../src/policy/course';
import { isOwnPayment } from '../../src/policy/own-send';
import { isShortened } from '../../src/policy/reference';
import { projectSubject } from '../../src/policy/subject';
import { WHY } from '../shared/asker';
import { control, onceCalls, reads, writes } from '../shared/calls';
import { refusalOf } from '../shared/failures';
import { concluding, type Ending, elsewhere, payOnce } from '../shared/pay-once';
import { Stop } from '../shared/stop';
import { CUT, ProjectSearch } from './project-search';
import { type At, ofProject, take } from './step';

/** @returns its ID; what is known of it stands in `at.taken` from then on, also when this throws (S6) */
export async function createProject(at: At, project: NewProject): Promise<string> {
  const { account, facts, status, place, run, asker, input } = at;
  const reference = input.reference ?? (await control.referenceOf({ account, project }));
  status.step('looking', 'Looking whether the project is there already');
  const search = new ProjectSearch(at, reference, project.clientName);
  let sent = false;
  const look = async (): Promise<LookOutcome> => {
    try {
      return await search.look();
    } catch (error) {
      // S2: a look that is refused after something was sent tells nothing; before, it ends the run with its reason.
      if (sent && refusalOf(error)) return 'cannotTell';
      throw error;
    }
  };
  const ending = await payOnce(account, facts, status, {
    credits: facts.createPrice,
    paid: { subject: projectSubject(reference), run: run.key },
    look,
    send(lookedAt, stale, again) {
      sent = true;
      status.step('creating', `Creating the project for ${facts.createPrice} credits`);
      const priority = stale ? { ...place, priorityKey: 1 } : place;
      return onceCalls(account, facts, priority, 'Create the project').createProjectOnce({
        ...{ account, project, reference, lookedAt, again, before: [...search.before] },
        ...(search.newest !== undefined && { newest: search.newest }),
        run: run.key,
        runCap: run.maxCredits,
      });
    },
    async ask(why) {
      search.projectId = await elsewhere(at, projectSubject(reference));
      if (search.projectId !== undefined) return 'itHappened';
      const unsent = !sent && search.unread;
      // Nothing to ask about.
      if (unsent && (await control.subjectState({ account, subject: projectSubject(reference) })).settled === undefined)
        throw new Stop('refused', 'listCut', `${CUT} Nothing was sent; then start this run again.`);
      const { candidates } = search;
      const which =
        candidates.length === 0
          ? `Look in the web app for a project whose description ends with [audit-runner ${reference}].`
          : `What the service shows of ${candidates.length === 1 ? 'project' : 'projects'} ${candidates.slice(0, 5).join(', ')} does not say whether the reference ${reference} stood in its description. Look in the web app whether this run created it.`;
      return asker.decide(`${WHY[why]} ${at.notes.includes(CUT) ? `${CUT} ` : ''}${which}`);
    },
  });
  return concluding(ending, () => conclude(at, { project, reference, look, search }, ending));
}

/** What the creation was about, and how it is looked for. */
interface Creation {
  project: NewProject;
  reference: string;
  look(): Promise<LookOutcome>;
  search: ProjectSearch;
}

/** What the ending means for the run and for the books. */
async function conclude(at: At, { project, reference, look, search }: Creation, ending: Ending): Promise<string> {
  const { account, facts, run } = at;
  switch (ending.how) {
    case 'paid': {
      at.taken.credits = ending.credits ?? facts.createPrice;
      const given = ending.ref !== undefined && (await search.isOwn(ending.ref)) ? ending.ref : undefined;
      const projectId = given ?? (await search.shown(look));
      if (given === undefined)
        await control.settleSubject({
          ...{ account, subject: projectSubject(reference), run: run.key },
          settlement: { kind: 'foundPaid', ref: projectId },
        });
      return kept(take(at, { projectId, how: 'created' }));
    }
    case 'foundPaid':
    case 'alreadyDone': {
      const paid = ending.how === 'foundPaid';
      if (paid) at.taken.credits = facts.createPrice;
      const projectId = search.projectId ?? ending.ref ?? (await known(search, look));
      const subject = projectSubject(reference);
      const settlement = { kind: 'foundPaid', ref: projectId, ...(paid && { credits: facts.createPrice }) } as const;
      const booked = await control.settleSubject({ account, subject, run: run.key, settlement });
      const { settled } = await control.subjectState({ account, subject });
      // An earlier try of this run may have settled it: then it is ours after all.
      const { workflowId } = workflowInfo();
      const ours = booked > 0 || isOwnPayment(settled, { workflowId, run: run.key, sent: paid });
      if (!ours)
        at.notes.push(
          `A project with the reference ${reference} was there already; another reference makes another project.`,
        );
      const credits = ours ? (settled?.credits ?? facts.createPrice) : 0;
      return kept(take(at, { projectId, how: ours ? 'created' : 'found', credits }));
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

  /** S2: the description is touched, if at all, only when the project's ID is kept, here and beyond this run. */
  async function kept(projectId: string): Promise<string> {
    await search.keep(projectId);
    await describe(at, project, reference, projectId);
    return projectId;
  }
}

/** What a person says to have happened is there: the one that could be it, or else what shows up. */
const known = (search: ProjectSearch, look: () => Promise<LookOutcome>): Promise<string> =>
  search.candidates.length > 0 ? search.identified() : search.shown(look);

/** Which fields a service requires is not shown: what a refusal without a better reason can mean. */
function refusedToCreate(project: NewProject, reason: string): string {
  const refused = `The service refused to create the project (${reason})`;
  if (/^(PAT_|planTooLow:|http40[34])/.test(reason)) return `${refused}.`;
  const missing = (['industry', 'companySize', 'description', 'currency'] as const).filter((field) => !project[field]);
  return missing.length === 0
    ? `${refused}: it may not take one of the values that were given in project.`
    : `${refused}: it may require fields of project that are optional here. Not given: ${missing.join(', ')}; give them and start again.`;
}

/** Writes the description as it is to stay, where the project was created with another one. */
async function describe(at: At, project: NewProject, reference: string, projectId: string): Promise<void> {
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
        ? `The description, shortened to leave room for the reference, could not be written in full (${reason}).`
        : `The reference could not be taken out of the description (${reason}).`,
    );
  }
}
