/** What somebody who approves a pipeline reads: what is spent, for which leads and why these, and what is left after it. Markdown. Pure. */
import { inline } from '../text/markdown';
import { counted, grouped } from '../text/numbers';
import type { LeadDecision } from './selection';

export interface ApprovalPage {
  /** What the plan costs and takes, one sentence. */
  readonly outline: string;
  readonly chosen: number;
  /** Leads that meet all rules; absent where an earlier version chose. */
  readonly eligible?: number | undefined;
  /** The first of those chosen. */
  readonly preview: readonly LeadDecision[];
  /** What may still be spent, a line each. */
  readonly left: readonly string[];
  readonly minReadiness: number;
  /** Credits of one conversion. */
  readonly price: number;
  readonly limits: { readonly maxConversions: number; readonly maxCredits: number };
  /** Limits that the input does not name. */
  readonly byDefault: readonly ('maxConversions' | 'maxCredits')[];
}

export function approvalPage(page: ApprovalPage): string {
  const { outline, preview, chosen, left } = page;
  const more = chosen - preview.length;
  const leads = [
    ...preview.map((lead) => describeLead(lead, page)),
    ...(preview.length > 0 && more > 0 ? [`and ${grouped(more)} more`] : []),
  ];
  return [outline, choice(page), list('To be converted:', leads), list('What may be spent now:', left)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** 'Acme Ltd: score 71, readiness 64 (at least 60), 1,000 credits, lead 5f…' */
function describeLead({ id, name, score, readiness }: LeadDecision, { minReadiness, price }: ApprovalPage): string {
  const scores = [
    ...(score === null ? [] : [`score ${score}`]),
    readiness === undefined ? 'no readiness score' : `readiness ${readiness} (at least ${minReadiness})`,
  ];
  return `${name === undefined ? '' : `**${inline(name)}**: `}${scores.join(', ')}, ${grouped(price)} credits, lead \`${id}\``;
}

/** Why these, where a limit leaves others. */
function choice({ chosen, eligible = chosen, price, limits, byDefault }: ApprovalPage): string {
  if (eligible <= chosen) return '';
  const limit =
    price > 0 && Math.floor(limits.maxCredits / price) < limits.maxConversions ? 'maxCredits' : 'maxConversions';
  const kind = byDefault.includes(limit) ? 'default limit' : 'limit';
  return `${grouped(chosen)} of the ${grouped(eligible)} leads that meet all rules, by the ${kind} \`${limit}\` (${grouped(limits[limit])}).`;
}

const list = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${heading}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;

/** Somebody else's words, which must not read as ours or be marked up. */
const quoted = (name: string): string => `“${name.replace(/[“”"*_~`<>|]/g, '')}”`;

/** Named in a notification. */
const MOST_NAMED = 3;

/** '5 conversions for 5,000 credits (Acme Ltd, Beta and 3 more)' */
export function describeChoice(chosen: number, credits: number, preview: readonly LeadDecision[]): string {
  const names = preview.slice(0, MOST_NAMED).flatMap(({ name }) => name ?? []);
  const more = chosen - names.length;
  const named =
    names.length === 0 ? '' : ` (${names.map(quoted).join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''})`;
  return `${counted(chosen, 'conversion')} for ${grouped(credits)} credits${named}`;
}

/** What of an ended run's leads is shown. */
const MOST_ENDED = 10;

interface EndedLead {
  readonly leadId: string;
  readonly outcome: string;
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
  linkTo(workflowId: string, text: string): string;
}

/** What became of the leads of a run that has ended, in place of what was to be done. */
export function describeEnded(
  outcomes: readonly EndedLead[],
  {
    chosen,
    preview = [],
  }: { readonly chosen: readonly string[]; readonly preview?: readonly LeadDecision[] | undefined },
  runs: LinksToRuns,
): string {
  const names = new Map(preview.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])));
  const called = (id: string) => {
    const name = names.get(id);
    return `${name === undefined ? '' : `**${inline(name)}**, `}lead \`${id}\``;
  };
  const cut = (lines: readonly string[]) =>
    lines.length > MOST_ENDED
      ? [...lines.slice(0, MOST_ENDED), `and ${grouped(lines.length - MOST_ENDED)} more`]
      : lines;
  const heard = new Set(outcomes.map(({ leadId }) => leadId));
  return [
    list(
      'What became of them:',
      cut(
        outcomes.map(({ leadId, outcome, credits, projectId, audit }) => {
          const project = projectId === undefined ? '' : `, project ${inline(projectId)}`;
          const audits = audit === undefined ? '' : `, ${runs.linkTo(audit, 'its audit')}`;
          return `${called(leadId)}: ${outcome}, ${grouped(credits)} credits${project}, ${runs.linkTo(runs.idOf(leadId), 'its run')}${audits}`;
        }),
      ),
    ),
    list('Chosen, and nothing was done with them:', cut(chosen.filter((id) => !heard.has(id)).map(called))),
    outcomes.length + chosen.length > 0
      ? 'The decision on every lead is in the result: *History*, *Result*, `decisions`.'
      : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
