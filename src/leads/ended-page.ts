/** What became of the leads of a pipeline that has ended. Pure. */
import { outcomeInWords, reasonInWords } from '../runs/reason-words';
import { bullets, code, type Markdown, md, paragraphs } from '../text/md';
import { grouped } from '../text/numbers';
import type { LeadDecision } from './selection';

/** What of an ended run's leads is shown. */
const MOST_ENDED = 10;

interface EndedLead {
  readonly leadId: string;
  readonly outcome: string;
  /** Why, as a stable code. */
  readonly reason?: string;
  readonly credits: number;
  readonly projectId?: string;
  /** The run that audits it. */
  readonly audit?: string;
}

/** How the page names the runs of leads. */
export interface LinksToRuns {
  /** The run that converts a lead. */
  idOf(leadId: string): string;
  /** A run as a link of the Web UI. */
  linkTo(workflowId: string, text: string): Markdown;
  /** All runs about a project. */
  linkToProject(projectId: string): Markdown;
}

/** In place of what was to be done. */
export function describeEnded(
  outcomes: readonly EndedLead[],
  {
    chosen,
    preview = [],
  }: { readonly chosen: readonly string[]; readonly preview?: readonly LeadDecision[] | undefined },
  runs: LinksToRuns,
): Markdown {
  const names = new Map(preview.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])));
  const called = (id: string) => {
    const name = names.get(id);
    return name === undefined ? md`lead ${code(id)}` : md`**${name}**, lead ${code(id)}`;
  };
  const ended = ({ leadId, outcome, reason, credits, projectId, audit }: EndedLead) => {
    const why = reason === undefined ? undefined : md`: ${reasonInWords(reason, 'lead')}`;
    const project = projectId === undefined ? undefined : md`, ${runs.linkToProject(projectId)}`;
    const audits = audit === undefined ? undefined : md`, ${runs.linkTo(audit, 'its audit')}`;
    return md`${called(leadId)}: ${outcomeInWords(outcome)}, ${grouped(credits)} credits${why}${project}, ${runs.linkTo(runs.idOf(leadId), 'its run')}${audits}`;
  };
  const cut = (lines: readonly Markdown[]) =>
    lines.length > MOST_ENDED
      ? [...lines.slice(0, MOST_ENDED), md`and ${grouped(lines.length - MOST_ENDED)} more`]
      : lines;
  const heard = new Set(outcomes.map(({ leadId }) => leadId));
  return paragraphs([
    bullets(md`What became of them:`, cut(outcomes.map(ended))),
    bullets(md`Chosen, and nothing was done with them:`, cut(chosen.filter((id) => !heard.has(id)).map(called))),
    outcomes.length + chosen.length > 0
      ? md`The decision on every lead is in the result: *History*, *Result*, ${code('decisions')}.`
      : undefined,
  ]);
}
