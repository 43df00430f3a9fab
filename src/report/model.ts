import type { AuditAnalysis, Deliverables, Opportunity, Project } from '../agent-api/records';
import { CATEGORIES, type Category } from '../audits/categories';
import { clean, clip } from '../text/printable';

/** What a report is made from: answers of the API, parsed, and nothing else. */
export interface AuditReport {
  readonly project: Project;
  readonly analysis?: AuditAnalysis | undefined;
  readonly deliverables?: Deliverables | undefined;
  /** All opportunities, in the order of the API. When there are none, those of the deliverables are shown. */
  readonly opportunities: readonly Opportunity[];
  /** IDs of the opportunities that the API's own filter gives for each category; never computed from scores. */
  readonly categories: Readonly<Partial<Record<Category, readonly string[]>>>;
}

/** One opportunity as a report shows it. Texts are clean; an absent one was not given. */
export interface Entry {
  /** Key between matrix, table and details, from 1. */
  readonly number: number;
  readonly category: Category | undefined;
  readonly title: string;
  readonly description: string | undefined;
  readonly impact: number | undefined;
  readonly effort: number | undefined;
  readonly roi: string | undefined;
  readonly timeline: string | undefined;
  readonly resources: string | undefined;
  readonly strategy: string | undefined;
  readonly riskMitigation: string | undefined;
  readonly dependencies: readonly string[] | undefined;
  readonly parallel: string | undefined;
}

/** An entry that has a place in the matrix. */
export type Placed = Entry & { readonly impact: number; readonly effort: number };

export interface View {
  readonly client: string;
  readonly about: readonly string[];
  readonly projectId: string;
  readonly analysisId: string | undefined;
  readonly generatedAt: string | undefined;
  /** What the reader must know of the data's completeness: plain sentences, which may quote the API. */
  readonly notices: readonly string[];
  readonly summary: string | undefined;
  readonly entries: readonly Entry[];
  readonly risks: readonly { title: string | undefined; description: string | undefined }[];
  readonly memos: readonly { name: string | undefined; role: string | undefined; memo: string | undefined }[];
  /** As parsed: its shape varies by audit type. */
  readonly synthesis: unknown;
}

/** A text as given, or undefined when there is none. What should be a text and is not, is shown as it stands. */
export function given(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = clean(typeof value === 'string' ? value : JSON.stringify(value)).trim();
  return text === '' ? undefined : text;
}

/** What an opportunity says of itself besides title, description and scores, in the order of a report. */
export const FACTS: readonly { label: string; of: (entry: Entry) => string | undefined }[] = [
  { label: 'ROI potential', of: ({ roi }) => roi },
  { label: 'Timeline', of: ({ timeline }) => timeline },
  { label: 'Can run in parallel', of: ({ parallel }) => parallel },
  { label: 'Resources', of: ({ resources }) => resources },
  { label: 'Strategy', of: ({ strategy }) => strategy },
  { label: 'Risk mitigation', of: ({ riskMitigation }) => riskMitigation },
  { label: 'Dependencies', of: ({ dependencies }) => (dependencies?.length === 0 ? 'None' : dependencies?.join('\n')) },
];

/** Has both scores from 1 to 10 (agent-api.md, "What the service does", 5). */
export const isPlaced = (entry: Entry): entry is Placed => isScore(entry.impact) && isScore(entry.effort);
const isScore = (score: number | undefined) => score !== undefined && score >= 1 && score <= 10;

export function viewOf({ project, analysis, deliverables, opportunities, categories }: AuditReport): View {
  const listed = opportunities.length > 0 ? opportunities : (deliverables?.opportunities ?? []);
  const categoryOf = (id: string) => CATEGORIES.find((category) => categories[category]?.includes(id));
  const ordered = [...CATEGORIES, undefined].flatMap((category) =>
    listed.filter(({ id }) => categoryOf(id) === category).map((opportunity) => ({ opportunity, category })),
  );
  const names = new Map(
    ordered.map(({ opportunity: { id, title } }, index) => [id, `No. ${index + 1}, ${clip(titleOf(title), 120)}`]),
  );
  const risks = deliverables?.risks ?? [];
  return {
    client: given(project.clientName) ?? 'Client not named',
    about: [project.industry, project.companySize].map(given).filter((text) => text !== undefined),
    projectId: clean(project.id),
    analysisId: given(analysis?.id),
    generatedAt: dateOf(given(deliverables?.generatedAt)),
    notices: noticesOf({ analysis, deliverables, categories, listed, risks: risks.length }),
    summary: given(deliverables?.executiveSummary) ?? given(analysis?.executiveSummary),
    entries: ordered.map(({ opportunity, category }, index) => entryOf(opportunity, category, index + 1, names)),
    risks: risks.map(({ title, description }) => ({ title: given(title), description: given(description) })),
    memos: (deliverables?.stakeholderMemos ?? []).map(({ stakeholderName, stakeholderRole, memo }) => ({
      name: given(stakeholderName),
      role: given(stakeholderRole),
      memo: given(memo),
    })),
    synthesis: analysis?.synthesis,
  };
}

const titleOf = (title: unknown) => given(title) ?? 'No title given';

function entryOf(
  opportunity: Opportunity,
  category: Category | undefined,
  number: number,
  names: ReadonlyMap<string, string>,
): Entry {
  const { dependencies, parallelExecution } = opportunity;
  // A dependency is a text by the document; where it is another opportunity's ID, its number and title say more.
  const needed = (Array.isArray(dependencies) ? dependencies : [dependencies])
    .map((dependency) => (typeof dependency === 'string' ? names.get(dependency) : undefined) ?? given(dependency))
    .filter((text) => text !== undefined);
  return {
    number,
    category,
    title: titleOf(opportunity.title),
    description: given(opportunity.description),
    impact: opportunity.impactScore ?? undefined,
    effort: opportunity.effortScore ?? undefined,
    roi: given(opportunity.roiPotential),
    timeline: given(opportunity.implementationTimeline),
    resources: given(opportunity.resourceRequirements),
    strategy: given(opportunity.implementationStrategy),
    riskMitigation: given(opportunity.riskMitigation),
    dependencies: Array.isArray(dependencies) || needed.length > 0 ? needed : undefined,
    parallel: typeof parallelExecution === 'boolean' ? (parallelExecution ? 'Yes' : 'No') : given(parallelExecution),
  };
}

/** `21 November 2026`, in UTC and the same on every machine; a text that is no date stays as it is. */
function dateOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '');
  if (Number.isNaN(time)) return text;
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function noticesOf({
  analysis,
  deliverables,
  categories,
  listed,
  risks,
}: Pick<AuditReport, 'analysis' | 'deliverables' | 'categories'> & {
  listed: readonly Opportunity[];
  risks: number;
}): string[] {
  const notices: string[] = [];
  if (analysis === undefined) notices.push('The service gave no audit analysis.');
  else if (analysis.status !== 'complete')
    notices.push(`The service gives the status of the analysis as “${clean(analysis.status)}”.`);
  if (deliverables === undefined) notices.push('The service gave no deliverables.');
  else if (deliverables.isComplete === false) notices.push('The service calls its deliverables incomplete.');

  const counted = analysis?.opportunityCount;
  if (counted != null && counted !== listed.length)
    notices.push(`The analysis counts ${counted} opportunities; the service listed ${listed.length}.`);
  if (analysis?.riskCount != null && analysis.riskCount !== risks)
    notices.push(`The analysis counts ${analysis.riskCount} risks; the service listed ${risks}.`);

  const ids = new Set(listed.map(({ id }) => id));
  const inCategories = CATEGORIES.flatMap((category) => [...new Set(categories[category])]);
  const unlisted = new Set(inCategories.filter((id) => !ids.has(id))).size;
  if (unlisted > 0) notices.push(`Opportunities that the service puts in a category but does not list: ${unlisted}.`);
  const twice = new Set(inCategories.filter((id, index) => inCategories.indexOf(id) < index)).size;
  if (twice > 0) notices.push(`Opportunities in more than one category, shown in the first: ${twice}.`);
  return notices;
}
