/** What people answer whom runs ask: what the web app shows, and what the run's page lets them choose from. */
import { shownBy } from '../engine/proto';
import type { Run } from '../engine/run';
import type { Scene } from './scene';

/** Whom the project with this reference is for. */
export const clientOf = (reference: string): string => reference.replace('R-', 'Client ');

/** Whether a capture is of a note; one may be the beginning of another, as "meeting 1" of "meeting 10". */
export const carries = ({ rawContent }: { rawContent: string }, note: string): boolean =>
  new RegExp(`${note}(?!\\d)`).test(rawContent);

const stageOf = ({ searchAttributes }: Run): unknown => shownBy(searchAttributes.Stage);

export class Answers {
  constructor(private readonly scene: Scene) {}

  /** @returns the update that answers what it asks; undefined where it asks nothing, or nobody knows yet */
  async to(run: Run): Promise<{ update: string; said: object } | undefined> {
    const { scene } = this;
    if (shownBy(run.searchAttributes.NeedsPerson) !== true) return undefined;
    const stage = stageOf(run);
    const [, asked = ''] =
      /: ([^:]*)\. Answer with the update `chooseProject`/.exec((await scene.detailsOf(run)) ?? '') ?? [];
    if (asked !== '') return { update: 'chooseProject', said: { projectId: this.#chosen(run, asked.split(', ')) } };
    if (stage === 'approval') return { update: 'approve', said: {} };
    if (stage !== 'asking') return { update: 'decide', said: { decision: this.#decisionOn(run) } };
    const captureId = this.#captureOf(run);
    return captureId === undefined ? undefined : { update: 'noteSubmitted', said: { captureId } };
  }

  /** Whether the project for which an audit waits really has no analysis, as the web app shows it. */
  async lacksAnalysis(run: Run): Promise<boolean> {
    if (stageOf(run) !== 'prerequisites') return false;
    const details = await this.scene.detailsOf(run);
    const projects = this.scene.control.projects() as {
      id: string;
      hasAnalysis: boolean;
      hasInterviewAnalysis: boolean;
    }[];
    const project = projects.find(({ id }) => details?.includes(id));
    return project !== undefined && !(project.hasAnalysis && project.hasInterviewAnalysis);
  }

  /** Whether what a run asks about has happened, as the web app shows it. */
  #decisionOn(run: Run): 'itHappened' | 'sendAgain' | 'giveUp' {
    const { scene } = this;
    const stage = stageOf(run);
    const { reference = '' } = (scene.inputOf(run) ?? {}) as { reference?: string };
    const leadId = shownBy(run.searchAttributes.LeadId);
    let isThere: boolean | undefined;
    if (run.type === 'convertLead')
      isThere = scene.leads.some(({ id, surveyStatus }) => id === leadId && surveyStatus === 'converted');
    else if (run.type === 'auditProject' && stage === 'creating')
      isThere = (scene.control.projects() as { clientName: string }[]).some(
        ({ clientName }) => clientName === clientOf(reference),
      );
    else if (run.type === 'ingestCapture' && stage === 'submitting') isThere = this.#captureOf(run) !== undefined;
    return isThere === undefined ? 'giveUp' : isThere ? 'itHappened' : 'sendAgain';
  }

  /** That for the client; where none is, any: one that is another one's already is refused, and then another is chosen. */
  #chosen(run: Run, ids: readonly string[]): string {
    const { control, world } = this.scene;
    const { project } = (this.scene.inputOf(run) ?? {}) as { project?: { clientName: string } };
    const all = control.projects() as { id: string; clientName: string }[];
    const own = all.find(({ id, clientName }) => ids.includes(id) && clientName === project?.clientName);
    return own?.id ?? world.random.pick(ids);
  }

  /** The capture that a note became. */
  #captureOf(run: Run): string | undefined {
    const { note } = (this.scene.inputOf(run) ?? {}) as { note?: string };
    const captures = this.scene.control.captures() as { id: string; rawContent: string }[];
    return captures.find((capture) => note !== undefined && carries(capture, note))?.id;
  }
}
